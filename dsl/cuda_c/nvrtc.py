"""NVRTC, CUDA's compiler as a library, by ctypes: CUDA C++ to cubins without a GPU, a toolkit or its headers."""

from __future__ import annotations

import ctypes
import functools
import glob
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MISSING = (
    "there is no NVRTC, which builds CUDA kernels; it comes with torch for CUDA, alone with "
    "`pip install nvidia-cuda-nvrtc`, and with CUDA's toolkit (found in CUDA_HOME, /usr/local/cuda or by the linker)"
)


def _candidates() -> Iterator[str]:
    """Files and names that may be it: of this Python's packages first, of a toolkit then."""
    folders = [os.path.join(path, "nvidia", "*", "lib") for path in sys.path if path]
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            folders += [os.path.join(home, "lib64"), os.path.join(home, "targets", "*", "lib")]
    for folder in folders:
        found = [x for x in glob.glob(os.path.join(folder, "libnvrtc.so*")) if re.search(r"libnvrtc\.so(\.\d+)*$", x)]
        yield from sorted(found, key=len, reverse=True)
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


@functools.lru_cache(maxsize=1)
def nvrtc() -> Any:
    """The library; RuntimeError with the way out where there is none."""
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    raise RuntimeError(MISSING)


def nvrtc_version() -> str:
    """ "13.2"."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def _text(program: ctypes.c_void_p, size_of: Any, get: Any) -> bytes:
    size = ctypes.c_size_t()
    if size_of(program, ctypes.byref(size)) != 0 or size.value == 0:
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    return buffer.raw if get(program, buffer) == 0 else b""


def build_cubin(
    name: str, text: str, headers: Mapping[str, str], arch: str, flags: Sequence[str]
) -> tuple[bytes | None, str]:
    """Of a unit and the headers that it may include by name the cubin, None if there is none, and what was said."""
    library = nvrtc()
    program = ctypes.c_void_p()
    count = len(headers)
    texts = (ctypes.c_char_p * max(1, count))(*(x.encode() for x in headers.values()))
    names = (ctypes.c_char_p * max(1, count))(*(x.encode() for x in headers))
    code = library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), count, texts, names)
    if code != 0:
        return None, f"NVRTC took no program: {library.nvrtcGetErrorString(code).decode()}"
    options = [f"--gpu-architecture={arch}", "--ptxas-options=-v", *flags]
    given = (ctypes.c_char_p * len(options))(*(x.encode() for x in options))
    try:
        code = library.nvrtcCompileProgram(program, len(options), given)
        log = _text(program, library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog)
        said = log.replace(b"\0", b"").decode(errors="replace")  # one stands between what two passes say
        if code != 0:
            return None, said or f"NVRTC: {library.nvrtcGetErrorString(code).decode()}"
        cubin = _text(program, library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN)
        return (cubin or None), said
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
