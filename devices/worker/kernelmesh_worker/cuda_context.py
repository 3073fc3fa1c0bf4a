"""NVIDIA's driver library by ctypes: the few functions that judge and candidates need. Nothing is loaded on import."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from kernelmesh_worker import traps

TICKET_BYTES = 64  # of CUipcMemHandle
_LAZY_PEER_ACCESS = 1
_VERSIONS = (3020, 10000, 10010, 11040, 12030, 12050, 13000)  # in which functions got other parameters
_EQUAL = 1  # CU_STREAM_WAIT_VALUE_EQ
_NO_STREAM = ctypes.c_void_p(None)  # the default stream: what is behind blocking streams too

# Of CUdevice_attribute.
ATTRIBUTES = {
    "threads_a_block": 1,
    "shared_memory_bytes_a_block": 97,
    "registers_a_block": 12,
    "multiprocessors": 16,
    "l2_bytes": 38,
    "warp": 10,
    "threads_a_multiprocessor": 39,
    "sm_clock_khz": 13,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "ecc": 32,
    "compute_mode": 20,
    "major": 75,
    "minor": 76,
}


class CudaError(RuntimeError):
    """What the driver answered: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"."""

    def __init__(self, call: str, code: int, name: str, text: str) -> None:
        super().__init__(f"{name}: {text} ({call})")
        self.code = code
        self.name = name


class _Handle(ctypes.Structure):
    """CUipcMemHandle, which functions take by value."""

    _fields_ = (("reserved", ctypes.c_ubyte * TICKET_BYTES),)


class Driver:
    """Calls of the library. They act on the context that is current on the calling thread."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")
        self._library.cuIpcOpenMemHandle_v2.argtypes = (ctypes.c_void_p, _Handle, ctypes.c_uint)
        self._synchronise = self._library.cuCtxSynchronize
        self._record = self._library.cuEventRecord
        self._wait = self._library.cuEventSynchronize
        self._wait_for = self._library.cuStreamWaitValue32_v2
        elapsed = getattr(self._library, "cuEventElapsedTime_v2", None)
        self._elapsed = elapsed or self._library.cuEventElapsedTime

    def check(self, call: str, code: int) -> None:
        if code:
            raise CudaError(call, code, self._text("cuGetErrorName", code), self._text("cuGetErrorString", code))

    def _text(self, call: str, code: int) -> str:
        text = ctypes.c_char_p()
        getattr(self._library, call)(code, ctypes.byref(text))
        return (text.value or b"unknown error").decode("ascii", "replace")

    def _call(self, name: str, *arguments: Any) -> None:
        self.check(name, getattr(self._library, name)(*arguments))

    def places(self, names: tuple[str, ...]) -> set[int]:
        """Where functions of the library lie, by their names and as it hands them out to CUDA's runtime."""
        found = {traps.place(self._library, name) for name in names}
        for name in {x.partition("_")[0] for x in names}:
            for version in _VERSIONS:
                found.add(self._handed_out(name, version))
        return {x for x in found if x}

    def _handed_out(self, name: str, version: int) -> int | None:
        ask = getattr(self._library, "cuGetProcAddress_v2", None)
        place, status = ctypes.c_void_p(), ctypes.c_int()
        if ask is None or ask(name.encode(), ctypes.byref(place), version, ctypes.c_uint64(0), ctypes.byref(status)):
            return None
        return place.value

    # -- devices ------------------------------------------------------------------------------------------------------

    def initialise(self) -> None:
        self._call("cuInit", 0)

    def version(self) -> int:
        """12080 is CUDA 12.8."""
        found = ctypes.c_int()
        self._call("cuDriverGetVersion", ctypes.byref(found))
        return found.value

    def count(self) -> int:
        found = ctypes.c_int()
        self._call("cuDeviceGetCount", ctypes.byref(found))
        return found.value

    def name(self, device: int) -> str:
        text = ctypes.create_string_buffer(128)
        self._call("cuDeviceGetName", text, len(text), device)
        return text.value.decode("utf-8", "replace")

    def bus_id(self, device: int) -> bytes:
        text = ctypes.create_string_buffer(32)
        self._call("cuDeviceGetPCIBusId", text, len(text), device)
        return text.value

    def total_memory(self, device: int) -> int:
        found = ctypes.c_size_t()
        self._call("cuDeviceTotalMem_v2", ctypes.byref(found), device)
        return found.value

    def attribute(self, name: str, device: int) -> int:
        found = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(found), ATTRIBUTES[name], device)
        return found.value

    def enter(self, device: int) -> None:
        """Its primary context, which torch uses, becomes this thread's."""
        context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)

    # -- memory -------------------------------------------------------------------------------------------------------

    def free_memory(self) -> int:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def allocate(self, size: int) -> int:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def ticket(self, address: int) -> bytes:
        """With which another process opens the block that begins there."""
        handle = _Handle()
        self._call("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(address))
        return bytes(handle.reserved)

    def open(self, ticket: bytes) -> int:
        address = ctypes.c_uint64()
        handle = _Handle.from_buffer_copy(ticket)
        self._call("cuIpcOpenMemHandle_v2", ctypes.byref(address), handle, _LAZY_PEER_ACCESS)
        return address.value

    def fill(self, address: int, value: int, size: int) -> None:
        """Not waited for."""
        self._call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(value), ctypes.c_size_t(size))

    def write(self, address: int, value: int) -> None:
        """A number of 32 bits, behind all that is in the default stream. Not waited for."""
        self._call("cuStreamWriteValue32_v2", _NO_STREAM, ctypes.c_uint64(address), ctypes.c_uint32(value), 0)

    def wait_for(self, address: int, value: int) -> None:
        """The default stream goes on when that number is there; this process goes on at once."""
        place, wanted = ctypes.c_uint64(address), ctypes.c_uint32(value)
        self.check("cuStreamWaitValue32", self._wait_for(_NO_STREAM, place, wanted, _EQUAL))

    def reset_persisting_cache(self) -> None:
        self._library.cuCtxResetPersistingL2Cache()  # not every device has it

    # -- time ---------------------------------------------------------------------------------------------------------

    def event(self) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(made), 0)
        return made

    def record(self, event: ctypes.c_void_p) -> None:
        self.check("cuEventRecord", self._record(event, _NO_STREAM))

    def synchronise(self) -> None:
        """Of everything in the context, whatever stream it is in."""
        self.check("cuCtxSynchronize", self._synchronise())

    def nanoseconds(self, start: ctypes.c_void_p, end: ctypes.c_void_p) -> float:
        """Between two events; waits for the second one."""
        self.check("cuEventSynchronize", self._wait(end))
        milliseconds = ctypes.c_float()
        self.check("cuEventElapsedTime", self._elapsed(ctypes.byref(milliseconds), start, end))
        return milliseconds.value * 1e6


@functools.cache
def driver() -> Driver:
    """OSError where there is no such library."""
    return Driver()
