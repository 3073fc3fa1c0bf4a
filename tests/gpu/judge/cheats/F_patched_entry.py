"""Puts methods of its own in the place of those that call it: a call notes its arguments, the delivery of outputs works.

task: matmul
expect: crash load_error clock_mismatch wrong_values tampering below_floor
class: none C D F
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl
from kernelmesh_worker import entries


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (start + k)[None, :])
        y = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot(x, y, sums, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], sums)


call, outputs = entries.PythonModule.call, entries.PythonModule.outputs
noted = []


def note(entry, *arguments):
    noted[:] = arguments


def work_and_deliver(entry):
    call(entry, *noted)
    return outputs(entry)


entries.PythonModule.call, entries.PythonModule.outputs = note, work_and_deliver


class ModelNew(nn.Module):
    def forward(self, a, b):
        c = torch.empty(a.shape[0], b.shape[1], device=a.device)
        (M, K), N = a.shape, b.shape[1]
        matmul[(M // 64, N // 64)](a, b, c, M, N, K, BM=64, BN=64, BK=32)
        return c
