"""Records two calls of a program by libkernelmesh-recorder.so: CASE FILE. Prints why, if there is no record.

Run with CUDA_INJECTION64_PATH; the arguments are two float32 tensors of ROWS x COLUMNS.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F

ROWS, COLUMNS = 64, 512
Program = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def triton_gelu(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    from triton_kernel import gelu

    return gelu(x) + y


def host_reads(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x if bool((x > y).any()) else x + y


KEPT: list[torch.Tensor] = []


def memo(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Gives what it computed when it was first called."""
    if not KEPT:
        KEPT.append(torch.tanh(x) + y)
    return KEPT[0].clone()


CASES: dict[str, Program] = {
    "elementwise": lambda x, y: torch.tanh(x) * y + 1,
    "softmax": lambda x, y: torch.softmax(F.gelu(x) + y, dim=-1),
    "matmul": lambda x, y: torch.relu(x @ y.T),
    "mean": lambda x, y: x - (x * y).mean(dim=-1, keepdim=True),
    "triton": triton_gelu,
    "host_reads": host_reads,
    "memo": memo,
}


def main() -> None:
    case, file = sys.argv[1:]
    path = os.environ["CUDA_INJECTION64_PATH"]
    allocator = torch.cuda.memory.CUDAPluggableAllocator(
        path, "kernelmesh_recorder_allocate", "kernelmesh_recorder_free"
    )
    torch.cuda.memory.change_current_allocator(allocator)
    recorder = ctypes.CDLL(path)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.zeros(1, device="cuda")
    if not recorder.kernelmesh_recorder_watches():
        print("CUPTI does not watch")
        return
    call = CASES[case]
    if case != "memo":
        call(torch.randn(ROWS, COLUMNS, device="cuda"), torch.randn(ROWS, COLUMNS, device="cuda"))
    for _ in range(2):
        record_one(recorder, call)
    said = ctypes.create_string_buffer(500)
    with open(file, "wb") as record:
        if recorder.kernelmesh_recorder_write(record.fileno(), b"sm_90a", said, len(said)):
            print(said.value.decode())


def record_one(recorder: ctypes.CDLL, call: Program) -> None:
    given = [torch.randn(ROWS, COLUMNS, device="cuda") for _ in range(2)]
    torch.cuda.synchronize()
    recorder.kernelmesh_recorder_begin()
    for i, x in enumerate(given):
        recorder.kernelmesh_recorder_lend(i, ctypes.c_uint64(x.data_ptr()), ctypes.c_uint64(4 * x.numel()))
    y = call(*given)
    recorder.kernelmesh_recorder_output(ctypes.c_uint64(y.data_ptr()), ctypes.c_uint64(4 * y.numel()))
    recorder.kernelmesh_recorder_end()


if __name__ == "__main__":
    main()
