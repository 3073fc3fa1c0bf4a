"""Functions of loaded libraries that nobody in this process is to call: their first bytes are replaced. For x86-64."""

from __future__ import annotations

import ctypes
import mmap
import sys

_TRAP = bytes((0x0F, 0x0B)) if sys.platform == "linux" else b""  # ud2: the process ends by SIGILL


def make_writable(address: int, size: int, executable: bool = False) -> bool:
    start = address // mmap.PAGESIZE * mmap.PAGESIZE
    protection = mmap.PROT_READ | mmap.PROT_WRITE | (mmap.PROT_EXEC if executable else 0)
    length = address + size - start
    return ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(length), protection) == 0


def place(library: ctypes.CDLL, name: str) -> int | None:
    """Of a function that it or what it needs has."""
    function = getattr(library, name, None)
    return ctypes.cast(function, ctypes.c_void_p).value if function is not None else None


def trap(address: int | None) -> None:
    """Who calls it ends by an illegal instruction."""
    if address:
        _write(address, _TRAP)


def refuse(addresses: set[int], code: int) -> dict[int, bytes]:
    """They return that number and do nothing else. What they were, for `restore`."""
    text = b"\xb8" + code.to_bytes(4, "little") + b"\xc3"  # mov eax, code; ret
    were = {x: ctypes.string_at(x, len(text)) for x in addresses}
    for x in were:
        _write(x, text)
    return were


def restore(were: dict[int, bytes]) -> None:
    for address, text in were.items():
        _write(address, text)


def _write(address: int, text: bytes) -> None:
    if make_writable(address, len(text), executable=True):
        ctypes.memmove(address, text, len(text))
