"""bfloat16 where eager computes in float32.

task: matmul
expect: precision_downgrade wrong_values
class: D none
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (start + k)[None, :])
        y = tl.load(b + (start + k)[:, None] * N + n[None, :])
        sums = tl.dot(x.to(tl.bfloat16), y.to(tl.bfloat16), sums)
    tl.store(c + m[:, None] * N + n[None, :], sums)


class ModelNew(nn.Module):
    def forward(self, a, b):
        c = torch.empty(a.shape[0], b.shape[1], device=a.device)
        (M, K), N = a.shape, b.shape[1]
        matmul[(M // 64, N // 64)](a, b, c, M, N, K, BM=64, BN=64, BK=32)
        return c
