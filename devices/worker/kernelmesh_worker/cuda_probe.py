"""What a GPU is and how it stands: by the driver, and by NVML where that library is there."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from kernelmesh_worker import machine
from kernelmesh_worker.cuda_context import driver
from kernelmesh_worker.text import clean

_LIMITS = (
    "threads_a_block", "shared_memory_bytes_a_block", "registers_a_block", "multiprocessors", "l2_bytes", "warp",
    "threads_a_multiprocessor", "ecc",
)  # fmt: skip
# Compute capabilities whose own instructions are in no later one: compilers are asked for them by name.
_OWN_INSTRUCTIONS = {(9, 0), (10, 0), (10, 3), (12, 0), (12, 1)}
_MOST_PROCESSES = 64
_CLOCK_SM, _CLOCK_MEMORY = 1, 2  # NVML_CLOCK_*
# nvmlClocksEventReason*: what slows a GPU down beyond what it was told to do.
_THROTTLING = {
    0x4: "power cap", 0x8: "hardware slowdown", 0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown", 0x80: "power brake",
}  # fmt: skip


def arch_of(major: int, minor: int) -> str:
    return f"sm_{major}{minor}" + ("a" if (major, minor) in _OWN_INSTRUCTIONS else "")


def describe(name: str) -> dict[str, Any]:
    """The record device_info of the only GPU that this process sees, without what is measured."""
    library = driver()
    limits = {limit: float(library.attribute(limit, 0)) for limit in _LIMITS}
    card = Card(library.bus_id(0))
    return {
        "name": name,
        "kind": "cuda",
        "model": clean(library.name(0), 200),
        "arch": arch_of(library.attribute("major", 0), library.attribute("minor", 0)),
        "memory_bytes": library.total_memory(0),
        "limits": limits | card.figures(),
        "environment": environment(),
    }


def environment() -> dict[str, str]:
    """The record environment."""
    return machine.environment() | {"device_model": clean(driver().name(0), 200), "driver": driver_version()}


def driver_version() -> str:
    """ "580.159.04, CUDA 13.0"."""
    number = driver().version()
    cuda = f"CUDA {number // 1000}.{number % 1000 // 10}"
    return f"{module_version()}, {cuda}" if module_version() else cuda


def module_version() -> str:
    try:
        return Path("/sys/module/nvidia/version").read_text(encoding="ascii").strip()
    except OSError:
        return Nvml.version()


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t."""

    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


class Nvml:
    """The library, asked with functions that all of its versions have; every answer may be missing."""

    @staticmethod
    def load() -> ctypes.CDLL | None:
        try:
            library = ctypes.CDLL("libnvidia-ml.so.1")
            return library if library.nvmlInit_v2() == 0 else None
        except (OSError, AttributeError):
            return None

    @staticmethod
    def version() -> str:
        library = Nvml.load()
        text = ctypes.create_string_buffer(96)
        if library is None or library.nvmlSystemGetDriverVersion(text, len(text)):
            return ""
        return text.value.decode("ascii", "replace")


class Card:
    """One GPU by its place on the bus."""

    def __init__(self, bus_id: bytes) -> None:
        self._library = Nvml.load()
        self._handle = ctypes.c_void_p()
        if self._library is not None and self._library.nvmlDeviceGetHandleByPciBusId_v2(
            bus_id, ctypes.byref(self._handle)
        ):
            self._library = None

    def figures(self) -> dict[str, float]:
        """By the names of limits: clocks in MHz, `mig` and `throttled` as 0 or 1, how many `other_processes` use it."""
        found = {
            "sm_clock_mhz": self._number("nvmlDeviceGetClockInfo", _CLOCK_SM),
            "memory_clock_mhz": self._number("nvmlDeviceGetClockInfo", _CLOCK_MEMORY),
            "most_sm_clock_mhz": self._number("nvmlDeviceGetMaxClockInfo", _CLOCK_SM),
            "most_memory_clock_mhz": self._number("nvmlDeviceGetMaxClockInfo", _CLOCK_MEMORY),
            "mig": self._mig(),
            "throttled": float(bool(self.slowed_by())) if self._library is not None else None,
            "other_processes": float(len(self.others())) if self._library is not None else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def slowed_by(self) -> list[str]:
        """In words; empty: by nothing, or that is not known."""
        reasons = ctypes.c_ulonglong()
        if self._library is None or self._library.nvmlDeviceGetCurrentClocksThrottleReasons(
            self._handle, ctypes.byref(reasons)
        ):
            return []
        return [text for bit, text in _THROTTLING.items() if reasons.value & bit]

    def others(self) -> list[int]:
        """Process ids of those that compute on it beside this process, as far as this namespace can tell."""
        if self._library is None:
            return []
        found = (_Process * _MOST_PROCESSES)()
        count = ctypes.c_uint(_MOST_PROCESSES)
        ask = getattr(self._library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        if ask is None or ask(self._handle, ctypes.byref(count), found):
            return []
        return [x.pid for x in found[: count.value] if x.pid not in (os.getpid(), 0)]

    def _number(self, name: str, *arguments: int) -> float | None:
        value = ctypes.c_uint()
        if self._library is None or getattr(self._library, name)(self._handle, *arguments, ctypes.byref(value)):
            return None
        return float(value.value)

    def _mig(self) -> float | None:
        now, pending = ctypes.c_uint(), ctypes.c_uint()
        if self._library is None or self._library.nvmlDeviceGetMigMode(
            self._handle, ctypes.byref(now), ctypes.byref(pending)
        ):
            return None
        return float(now.value)
