"""What differs between kinds of device for those that judge on one and for candidates that run on one.

A process works on one device for its life: `use` says which before anything else asks for `here`.
"""

from __future__ import annotations

import contextlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch

from kernelmesh_worker import machine
from kernelmesh_worker.device_names import CPU
from kernelmesh_worker.lent import LentBuffer, MemfdBuffer
from kernelmesh_worker.process import give_back_pages


class Clock:
    """In a candidate's process: what goes around each of its calls. Bound before any code of the candidate's runs."""

    def run(self, work: Callable[[], None], gate: int = 0, ready: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """Does it, waits for all that it started, and says what the device's own clock has of it, if there is one. With
        a gate the device waits there before it begins, and `ready` is called when all is at the gate."""
        work()
        return {}

    def drain(self) -> None:
        """Waits for the device."""


class Device(ABC):
    name: str
    place: torch.device
    entries: tuple[str, ...]  # kinds of candidates that it runs
    dispatch_keys: tuple[str, ...]  # where torch has registered what computes on it
    build_signs: tuple[bytes, ...] = ()  # in a candidate's file: it builds something when it is first called
    closed_functions: dict[str, tuple[str, ...]] = {}  # of its libraries, by one that each has
    copied: int  # bytes whose copy shows how fast its memory is
    matrix: int  # side of the square matrices whose product shows how fast it multiplies
    chunk: int  # elements of two tensors that are looked at together
    has_gate = False  # its work can be made to wait for the judge
    has_clock = False  # of its own, that sees a call's work alone
    can_replay = False  # what a candidate launched can be recorded, and carried out without its process
    has_captures = False  # work can be captured on it, to be done again later
    builds_in_calls = False  # compilers of its languages run in the first call
    policy = "as_shipped"  # how exactly the reference computes; or "strict"

    def start(self) -> None:  # noqa: B027 - not every device has something to do
        """Before anything is asked of it. DeviceAbsent."""

    def enter(self) -> None:  # noqa: B027 - not every device has something to do
        """In a candidate's process: makes what the device needs there."""

    def allocate_by(self, library: str) -> None:  # noqa: B027 - not every device has something to do
        """In a candidate's process, before `enter`: from here on each of torch's tensors has memory of its own, by that
        recorder's library."""

    def confine(self) -> None:  # noqa: B027 - not every device has something to do
        """In a candidate's process, before its code runs: nothing of it works where the clock does not wait for it."""

    def hold_capture(self) -> dict[int, bytes]:
        """From here on no work can be captured to be done again later, until traps.restore gets what this gives."""
        return {}

    @abstractmethod
    def allocate(self, size: int) -> LentBuffer:
        """MemoryError."""

    @abstractmethod
    def attach(self, descriptor: int, ticket: bytes, size: int) -> LentBuffer:
        """In another process: the block that has this descriptor, or this ticket."""

    @abstractmethod
    def available_memory(self) -> int:
        """Bytes."""

    def peak_bytes_per_second(self) -> float:
        """What its memory's wires carry: nothing moves more, however it is written. 0: not known."""
        return 0.0

    def used_memory(self) -> int:
        """Bytes of its own memory that others than this process use; 0 where it has none."""
        return 0

    def memory_limit(self, lent: int) -> int:
        """Of what a candidate may use of its own memory when it is lent so much; 0: it has none."""
        return 0

    @abstractmethod
    def largest_cache(self) -> int:
        """Bytes."""

    @abstractmethod
    def nanoseconds(self, call: Callable[[], Any]) -> float:
        """That work which was not waited for takes from its begin to its end."""

    def arch(self) -> str:
        """What its binaries are built for: "sm_90a"; empty where launches are not recorded."""
        return ""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """The record device_info, without what is measured."""

    def environment(self) -> dict[str, str]:
        """The record environment."""
        return machine.environment()

    def drawing(self) -> contextlib.AbstractContextManager[Any]:
        """Inside, tensors are made on it unless the code says otherwise."""
        return contextlib.nullcontext()

    def put(self, value: Any) -> Any:
        """Its tensors on the device: of nested lists and tuples."""
        if isinstance(value, torch.Tensor):
            return value.to(self.place)
        if isinstance(value, (list, tuple)):
            return type(value)(self.put(x) for x in value)
        return value

    def clock(self, inputs: LentBuffer) -> Clock:
        return Clock()

    def flush(self) -> None:  # noqa: B027 - as above
        """What was last used lies in no cache any more. Not waited for."""

    def open_gate(self, inputs: LentBuffer, gate: int) -> None:  # noqa: B027 - as above
        """Behind all that this process has given the device to do. Not waited for."""

    def touch(self, size: int) -> None:
        """Has this process hold so many bytes more that were written once and are free: fresh pages are nobody's
        merit."""
        torch.empty(min(size, self.available_memory() // 8), dtype=torch.uint8, device=self.place).fill_(0)

    def drain(self) -> None:  # noqa: B027 - as above
        """Waits until all is done that this process gave it to do."""

    def follow(self, policy: str) -> None:
        """From here on the reference computes so: "as_shipped" or "strict"."""
        self.policy = policy

    def is_usable(self) -> bool:
        """False if this process can't use it any more."""
        return True

    def give_back(self) -> None:
        """Memory that nothing uses, between two jobs."""
        give_back_pages()


class CpuDevice(Device):
    name = CPU
    place = torch.device("cpu")
    entries = ("c_abi", "python_host")
    dispatch_keys = ("CPU", "MkldnnCPU", "QuantizedCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU")
    copied = 256 << 20
    matrix = 1024
    chunk = 1 << 16  # so that what a chunk needs stays in a core's cache

    def allocate(self, size: int) -> LentBuffer:
        return MemfdBuffer.allocate(size)

    def attach(self, descriptor: int, ticket: bytes, size: int) -> LentBuffer:
        return MemfdBuffer.attach(descriptor, size)

    def available_memory(self) -> int:
        return machine.available_memory()

    def largest_cache(self) -> int:
        return machine.largest_cache()

    def nanoseconds(self, call: Callable[[], Any]) -> float:
        start = time.perf_counter_ns()
        call()
        return float(time.perf_counter_ns() - start)

    def description(self) -> dict[str, Any]:
        return machine.description(CPU)


_here: Device = CpuDevice()


def here() -> Device:
    """The device that this process works on."""
    return _here


def use(name: str) -> Device:
    """Nothing of it is touched yet."""
    global _here
    if name != CPU:
        from kernelmesh_worker.cuda_device import CudaDevice

        _here = CudaDevice(name)
    return _here
