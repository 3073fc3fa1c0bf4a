"""A judge's part of a GPU, by ctypes on the driver: memory that it lends, and a kernel of its own."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

BLOCK = 2 << 20  # smaller allocations would share one, and a handle shows all of it


class _Handle(ctypes.Structure):
    _fields_ = (("content", ctypes.c_ubyte * 64),)


@functools.cache
def driver() -> Any:
    """None where there is no GPU that can be used."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    count = ctypes.c_int()
    if library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(count)) or count.value == 0:
        return None
    context = ctypes.c_void_p()
    check(library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(library.cuCtxSetCurrent(context))
    return library


def check(code: int) -> None:
    assert code == 0, f"the driver answered {code}"


def capability() -> tuple[int, int]:
    found = [ctypes.c_int(), ctypes.c_int()]
    for x, attribute in zip(found, (75, 76), strict=True):
        check(driver().cuDeviceGetAttribute(ctypes.byref(x), attribute, 0))
    return found[0].value, found[1].value


def cache_bytes() -> int:
    x = ctypes.c_int()
    check(driver().cuDeviceGetAttribute(ctypes.byref(x), 38, 0))
    return x.value


class Block:
    """Memory of this process's. Use `close` at its end."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // BLOCK) * BLOCK
        self._address = ctypes.c_uint64()
        check(driver().cuMemAlloc_v2(ctypes.byref(self._address), ctypes.c_size_t(self.size)))

    @property
    def address(self) -> int:
        return self._address.value

    def handle(self) -> bytes:
        x = _Handle()
        check(driver().cuIpcGetMemHandle(ctypes.byref(x), self._address))
        return bytes(x.content)

    def write(self, content: bytes, offset: int = 0) -> None:
        at = ctypes.c_uint64(self.address + offset)
        check(driver().cuMemcpyHtoD_v2(at, content, ctypes.c_size_t(len(content))))
        check(driver().cuCtxSynchronize())

    def read(self, size: int, offset: int = 0) -> bytes:
        content = ctypes.create_string_buffer(size)
        check(driver().cuMemcpyDtoH_v2(content, ctypes.c_uint64(self.address + offset), ctypes.c_size_t(size)))
        return content.raw

    def close(self) -> None:
        check(driver().cuMemFree_v2(self._address))


class Kernel:
    """A kernel of a binary, launched from here."""

    def __init__(self, image: bytes, name: str, *arguments: Any) -> None:
        """`arguments` are ctypes values."""
        module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver().cuModuleLoadData(ctypes.byref(module), image))
        check(driver().cuModuleGetFunction(ctypes.byref(self._function), module, name.encode()))
        self._kept = arguments
        self._parameters = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(x) for x in arguments))

    def launch(self, grid: int, block: int, stream: int) -> None:
        sides = (grid, 1, 1, block, 1, 1)
        code = driver().cuLaunchKernel(self._function, *sides, 0, ctypes.c_void_p(stream), self._parameters, None)
        check(code)
