"""Memory that the judge lends to a candidate: both map it, none can change its size."""

from __future__ import annotations

import fcntl
import mmap
import os
from abc import ABC, abstractmethod
from typing import Any

import torch

ALIGNMENT = 256
GATE_BYTES = 256  # at the end of lent inputs, of devices that have a gate
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL

DTYPES: dict[str, torch.dtype] = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float64": torch.float64,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}
DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}
DTYPE_NUMBERS = {name: number for number, name in enumerate(DTYPES)}


class LentBuffer(ABC):
    """One block of memory, uninitialised when allocated. Its mapping lives as long as tensors that view it."""

    size: int

    @abstractmethod
    def descriptors(self) -> tuple[int, ...]:
        """What the other process needs of the kernel: one, valid until `close`, or none."""

    def ticket(self) -> bytes:
        """What it needs to be told in place of a descriptor."""
        return b""

    @abstractmethod
    def bytes(self) -> torch.Tensor:
        """All of it as uint8."""

    @abstractmethod
    def close(self) -> None:
        """Gives the handle back."""

    def flat(self, spec: dict[str, Any]) -> torch.Tensor:
        """The elements that a tensor's strides reach, in the order they lie in memory."""
        dtype = DTYPES[spec["dtype"]]
        count = extent(spec["shape"], spec["strides"])
        start = spec["offset"]
        return self.bytes()[start : start + count * dtype.itemsize].view(dtype)

    def tensor(self, spec: dict[str, Any]) -> torch.Tensor:
        """A view of {offset, dtype, shape, strides}."""
        return self.flat(spec).as_strided(spec["shape"], spec["strides"])


class MemfdBuffer(LentBuffer):
    """Of a CPU."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.size = size
        self._descriptor = descriptor
        mapped = mmap.mmap(descriptor, size, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self._bytes = torch.frombuffer(mapped, dtype=torch.uint8)

    @classmethod
    def allocate(cls, size: int) -> MemfdBuffer:
        rounded = max(1, -(-size // mmap.PAGESIZE)) * mmap.PAGESIZE
        descriptor = os.memfd_create("kernelmesh", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.posix_fallocate(descriptor, 0, rounded)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
            return cls(descriptor, rounded)
        except OSError as error:
            os.close(descriptor)
            raise MemoryError(f"{rounded} bytes to share: {error}") from error

    @classmethod
    def attach(cls, handle: int, size: int) -> MemfdBuffer:
        return cls(handle, size)

    def handle(self) -> int:
        return self._descriptor

    def descriptors(self) -> tuple[int, ...]:
        return (self._descriptor,)

    def bytes(self) -> torch.Tensor:
        return self._bytes

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def extent(shape: list[int], strides: list[int]) -> int:
    """How many elements lie between a tensor's first and last, both counted."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def spec_of(tensor: torch.Tensor) -> dict[str, Any]:
    """The record `tensor_spec`. KeyError for a dtype that has no name there."""
    return {"dtype": DTYPE_NAMES[tensor.dtype], "shape": list(tensor.shape), "strides": list(tensor.stride())}


class Layout:
    """Hands out places in a block that is allocated afterwards."""

    def __init__(self) -> None:
        self.size = 0

    def place(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The spec with its offset."""
        placed = {**spec, "offset": self.size}
        wanted = extent(spec["shape"], spec["strides"]) * DTYPES[spec["dtype"]].itemsize
        self.size += -(-wanted // ALIGNMENT) * ALIGNMENT
        return placed


def memory_of(tensor: torch.Tensor) -> torch.Tensor:
    """The elements that a tensor's strides reach as one flat view, like LentBuffer.flat."""
    return tensor.as_strided((extent(list(tensor.shape), list(tensor.stride())),), (1,), tensor.storage_offset())
