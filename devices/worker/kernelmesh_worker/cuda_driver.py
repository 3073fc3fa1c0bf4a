"""The few functions of NVIDIA's driver that launches need, by ctypes: no toolkit, no torch."""

from __future__ import annotations

import ctypes
from typing import Any

# CUdevice_attribute, CUfunction_attribute, CUlaunchAttributeID.
THREADS_A_BLOCK, BLOCK_DIMENSION, GRID_DIMENSION, MULTIPROCESSORS = 1, 2, 5, 16
MAJOR, MINOR, COOPERATIVE_LAUNCH, SHARED_BYTES_A_BLOCK, CLUSTER_LAUNCH = 75, 76, 95, 97, 120
THREADS_OF_KERNEL, STATIC_SHARED_BYTES, DYNAMIC_SHARED_BYTES, ODD_CLUSTERS = 0, 1, 8, 14
COOPERATIVE, CLUSTER = 2, 4
SUCCESS = 0


class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    ]


def open_driver() -> Any:
    """libcuda.so.1, which comes with NVIDIA's kernel module."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise RuntimeError("there is no libcuda.so.1, so no NVIDIA driver is installed on this machine") from None


class Driver:
    """The few functions of the driver that launches need. Calls that fail raise RuntimeError with its own words."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self.library, name)(*arguments)
        if code != SUCCESS:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(code, ctypes.byref(text))
            said = text.value.decode(errors="replace") if text.value else "unknown"
            raise RuntimeError(f"{name}: {said} ({code})")

    def device_attribute(self, attribute: int) -> int:
        device, value = ctypes.c_int(), ctypes.c_int()
        self.call("cuCtxGetDevice", ctypes.byref(device))
        self.call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), device)
        return value.value

    def kernel_attribute(self, attribute: int, function: ctypes.c_void_p) -> int:
        value = ctypes.c_int()
        self.call("cuFuncGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), function)
        return value.value

    def parameter_sizes(self, function: ctypes.c_void_p) -> list[int] | None:
        """Bytes of each of a kernel's parameters; None: the driver is too old to tell."""
        if not hasattr(self.library, "cuFuncGetParamInfo"):
            return None
        sizes: list[int] = []
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        while len(sizes) <= 4096:
            place = ctypes.c_size_t(len(sizes))
            code = self.library.cuFuncGetParamInfo(function, place, ctypes.byref(offset), ctypes.byref(size))
            if code != SUCCESS:
                break
            sizes.append(size.value)
        return sizes
