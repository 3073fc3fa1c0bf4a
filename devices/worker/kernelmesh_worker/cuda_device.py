"""An NVIDIA GPU, by torch and the driver's library."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import torch

from kernelmesh_worker import traps
from kernelmesh_worker.cuda_context import CudaError, Driver, driver
from kernelmesh_worker.device import Clock, Device
from kernelmesh_worker.device_names import VISIBLE, DeviceAbsent
from kernelmesh_worker.lent import GATE_BYTES, LentBuffer
from kernelmesh_worker.process import give_back_pages

_BLOCK = 2 << 20  # smaller blocks share one of this size, which a ticket opens whole
_EXCLUSIVE, _PROHIBITED = 3, 2  # CU_COMPUTEMODE_*
_MEMORY_SHARE = 0.6
_MEMORY_BYTES, _MEMORY_TIMES = 8 << 30, 32  # beside its context and its libraries' own
_CONTEXTS = ("cuCtxCreate", "cuCtxCreate_v2", "cuCtxCreate_v3", "cuCtxCreate_v4")
_CAPTURES = ("cuStreamBeginCapture", "cuStreamBeginCapture_v2", "cuStreamBeginCapture_v2_ptsz",
             "cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph_ptsz")  # fmt: skip
_NOT_SUPPORTED = 801  # CUDA_ERROR_NOT_SUPPORTED
_TRANSFERS_A_CLOCK = 2  # of the memories of all such GPUs
_FLUSHED = 2  # times the L2 cache are written to flush it


class CudaBuffer(LentBuffer):
    """A block of its own from the driver, never a part of torch's pool: whoever opens it sees all of it and no more."""

    def __init__(self, address: int, size: int, ticket: bytes = b"", owned: bool = False) -> None:
        self.size = size
        self._address = address
        self._ticket = ticket
        self._owned = owned
        self._bytes = torch.as_tensor(_Memory(address, size), device="cuda")

    @classmethod
    def allocate(cls, size: int) -> CudaBuffer:
        rounded = max(1, -(-size // _BLOCK)) * _BLOCK
        try:
            address = driver().allocate(rounded)
        except CudaError as error:
            raise MemoryError(f"{rounded} bytes on the GPU to share: {error}") from error
        return cls(address, rounded, driver().ticket(address), owned=True)

    @classmethod
    def attach(cls, ticket: bytes, size: int) -> CudaBuffer:
        return cls(driver().open(ticket), size)

    def descriptors(self) -> tuple[int, ...]:
        return ()

    def ticket(self) -> bytes:
        return self._ticket

    def bytes(self) -> torch.Tensor:
        return self._bytes

    def close(self) -> None:
        if self._owned:
            self._owned = False
            driver().synchronise()
            driver().free(self._address)


def gate_of(inputs: LentBuffer) -> int:
    """The address of a number on which work of another process waits."""
    return inputs.bytes().data_ptr() + inputs.size - GATE_BYTES


class _Memory:
    """For torch.as_tensor, which then owns nothing of it."""

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
            "strides": None,
        }


class EventClock(Clock):
    """Events on the default stream right before and behind a call; then everything in the context is waited for, so
    that no work of any stream is left when the candidate says that it is done."""

    def __init__(self, library: Driver, gate: int) -> None:
        self._start, self._end = library.event(), library.event()
        self._record, self._drain = library.record, library.synchronise
        self._wait_for, self._nanoseconds = library.wait_for, library.nanoseconds
        self._gate = gate

    def run(self, work: Callable[[], None], gate: int = 0, ready: Callable[[], None] = lambda: None) -> dict[str, Any]:
        if gate:
            self._wait_for(self._gate, gate)
        self._record(self._start)
        work()
        self._record(self._end)
        if gate:
            ready()
        self._drain()
        return {"device_ns": self._nanoseconds(self._start, self._end)}

    def drain(self) -> None:
        self._drain()


# What does the work of whole operators, by a function that each library with it has; torch's calls are closed before.
_CLOSED = {
    "cublasLtCreate": ("cublasLtMatmul", "cublasLtMatrixTransform")
    + tuple(
        f"cublasLt{x}"
        for types in ("ACC", "BII", "BSB", "BSS", "CCC", "DDD", "HHH", "HSH", "HSS", "KCC", "KCK", "SSS", "TSS", "TST",
                      "ZZZ")
        for x in (f"{types}Matmul", f"LegacyGemm{types}")
    ),
    "cublasCreate_v2": tuple(
        f"cublas{kind}{call}{suffix}"
        for kind in "SDCZH"
        for call in ("gemm", "gemmBatched", "gemmStridedBatched", "gemmGroupedBatched", "gemm3m", "gemv", "gemvBatched",
                     "gemvStridedBatched", "ger", "dot", "axpy", "scal", "nrm2", "asum", "symm", "symv", "syrk",
                     "syr2k", "syrkx", "trmm", "trsm", "trsmBatched", "trmv", "trsv", "geam", "dgmm", "copy")
        for suffix in ("", "_v2", "_64", "_v2_64")
    )
    + tuple(
        f"cublas{call}{suffix}"
        for call in ("GemmEx", "GemmBatchedEx", "GemmStridedBatchedEx", "GemmGroupedBatchedEx", "SgemmEx", "CgemmEx",
                     "DotEx", "DotcEx", "AxpyEx", "ScalEx", "Nrm2Ex", "AsumEx")
        for suffix in ("", "_64")
    ),
    "cudnnBackendExecute": ("cudnnBackendExecute", "cudnnConvolutionForward", "cudnnSoftmaxForward",
                            "cudnnPoolingForward", "cudnnActivationForward", "cudnnBatchNormalizationForwardInference",
                            "cudnnReduceTensor", "cudnnOpTensor", "cudnnAddTensor", "cudnnScaleTensor"),
    "cufftExecC2C": ("cufftExecC2C", "cufftExecR2C", "cufftExecC2R", "cufftExecZ2Z", "cufftXtExec"),
    "cusparseCreate": ("cusparseSpMM", "cusparseSpMV", "cusparseSDDMM", "cusparseSpGEMM_compute"),
}  # fmt: skip


class CudaDevice(Device):
    place = torch.device("cuda", 0)  # the only one that the process sees
    entries = ("python_host", "launch_record")
    dispatch_keys = (
        "CUDA", "SparseCUDA", "SparseCsrCUDA", "QuantizedCUDA", "NestedTensorCUDA",
        "CPU", "MkldnnCPU", "QuantizedCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU",
    )  # fmt: skip
    build_signs = (b"triton", b"cupy", b"cutlass", b"tilelang", b"numba", b"nvrtc")
    closed_functions = _CLOSED
    copied = 4 << 30
    matrix = 8192
    chunk = 1 << 24
    has_gate = True
    has_clock = True
    has_captures = True
    builds_in_calls = True
    can_replay = True

    def __init__(self, name: str) -> None:
        self.name = name
        self._number = int(name.partition(":")[2])
        self._events: tuple[Any, Any] | None = None
        self._counts = True  # torch's allocator says how much it has
        self._flushed = 0  # address of what is written to flush caches

    def start(self) -> None:
        try:
            library = driver()
            library.initialise()
            count = library.count()
        except (OSError, CudaError) as error:
            raise DeviceAbsent(self._absent(f"the NVIDIA driver can't be used: {error}")) from None
        if count < 1:
            raise DeviceAbsent(self._absent(f"{VISIBLE} is {os.environ.get(VISIBLE)!r} and shows none"))
        if library.attribute("compute_mode", 0) in (_EXCLUSIVE, _PROHIBITED):
            way = f"nvidia-smi -i {self._number} -c DEFAULT"
            raise DeviceAbsent(f"{self.name} takes one process at a time, judging needs several; as root: {way}")
        if not torch.backends.cuda.is_built():
            raise DeviceAbsent(f"torch {torch.__version__} is built without CUDA: {self.name} needs one that has it")
        self.enter()
        self.has_gate = self._can_wait()

    def _can_wait(self) -> bool:
        """Does its driver have streams wait for memory? Some machines have it switched off."""
        library = driver()
        word = library.allocate(_BLOCK)
        try:
            library.write(word, 1)
            library.wait_for(word, 1)
            library.synchronise()
        except CudaError:
            return False
        finally:
            library.free(word)
        return True

    def enter(self) -> None:
        torch.cuda.init()
        torch.zeros(1, device=self.place)  # the context is made

    def allocate_by(self, library: str) -> None:
        memory = torch.cuda.memory
        calls = ("kernelmesh_recorder_allocate", "kernelmesh_recorder_free")
        memory.change_current_allocator(memory.CUDAPluggableAllocator(library, *calls))
        self._counts = False

    def arch(self) -> str:
        from kernelmesh_worker.cuda_probe import arch_of

        return arch_of(driver().attribute("major", 0), driver().attribute("minor", 0))

    def confine(self) -> None:
        """There is one context: nobody would wait for what runs in another, or for how long it keeps the device."""
        traps.refuse(driver().places(_CONTEXTS), _NOT_SUPPORTED)

    def hold_capture(self) -> dict[int, bytes]:
        return traps.refuse(driver().places(_CAPTURES), _NOT_SUPPORTED)

    def _absent(self, why: str) -> str:
        return (
            f"there is no {self.name}: {why}; `nvidia-smi -L` lists the GPUs of this machine, {VISIBLE} says which of"
            " them are used, and the system config's `devices` names them"
        )

    def allocate(self, size: int) -> LentBuffer:
        return CudaBuffer.allocate(size)

    def attach(self, descriptor: int, ticket: bytes, size: int) -> LentBuffer:
        return CudaBuffer.attach(ticket, size)

    def available_memory(self) -> int:
        """What torch keeps and does not use counts too."""
        kept = torch.cuda.memory_reserved() - torch.cuda.memory_allocated() if self._counts else 0
        return driver().free_memory() + kept

    def peak_bytes_per_second(self) -> float:
        attribute = driver().attribute
        return attribute("memory_clock_khz", 0) * 1e3 * _TRANSFERS_A_CLOCK * attribute("memory_bus_bits", 0) / 8

    def used_memory(self) -> int:
        return self._total() - driver().free_memory() - torch.cuda.memory_reserved()

    def memory_limit(self, lent: int) -> int:
        return min(int(self._total() * _MEMORY_SHARE), _MEMORY_BYTES + _MEMORY_TIMES * lent)

    def _total(self) -> int:
        return driver().total_memory(0)

    def largest_cache(self) -> int:
        return driver().attribute("l2_bytes", 0)

    def nanoseconds(self, call: Callable[[], Any]) -> float:
        library = driver()
        self._events = self._events or (library.event(), library.event())
        start, end = self._events
        library.record(start)
        call()
        library.record(end)
        return library.nanoseconds(start, end)

    def description(self) -> dict[str, Any]:
        from kernelmesh_worker.cuda_probe import describe

        return describe(self.name)

    def environment(self) -> dict[str, str]:
        from kernelmesh_worker.cuda_probe import environment

        return environment()

    def drawing(self) -> contextlib.AbstractContextManager[Any]:
        return self.place

    def clock(self, inputs: LentBuffer) -> Clock:
        return EventClock(driver(), gate_of(inputs))

    def flush(self) -> None:
        size = _FLUSHED * self.largest_cache()
        if not self._flushed:
            self._flushed = driver().allocate(size)
        driver().reset_persisting_cache()
        driver().fill(self._flushed, 0, size)

    def open_gate(self, inputs: LentBuffer, gate: int) -> None:
        driver().write(gate_of(inputs), gate)

    def drain(self) -> None:
        driver().synchronise()

    def follow(self, policy: str) -> None:
        """As PyTorch ships: matrix products in fp32, convolutions in TF32."""
        super().follow(policy)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = policy != "strict"

    def is_usable(self) -> bool:
        try:
            driver().synchronise()
        except CudaError:
            return False
        return True

    def give_back(self) -> None:
        give_back_pages()
        torch.cuda.empty_cache()
