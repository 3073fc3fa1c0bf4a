"""Parts of the inner dimension side by side; a second kernel adds what they gave.

task: matmul
expect: passed
precision: fp32
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def products(a, b, parts, M, N, K, LENGTH: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    part = tl.program_id(2)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, LENGTH, BK):
        k = part * LENGTH + start + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * N + n[None, :])
        sums = tl.dot(x, y, sums, input_precision="ieee")
    tl.store(parts + part * M * N + m[:, None] * N + n[None, :], sums)


@triton.jit
def added(parts, c, n, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in range(PARTS):
        sums += tl.load(parts + part * n + i)
    tl.store(c + i, sums)


class ModelNew(nn.Module):
    def forward(self, a, b):
        (M, K), N = a.shape, b.shape[1]
        parts = torch.empty(4, M, N, device=a.device)
        c = torch.empty(M, N, device=a.device)
        products[(M // 64, N // 64, 4)](a, b, parts, M, N, K, LENGTH=K // 4, BM=64, BN=64, BK=32)
        added[(M * N // 1024,)](parts, c, M * N, PARTS=4, BLOCK=1024)
        return c
