"""A kernel in Triton, for record_calls.py."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def _gelu(out, x, n, BLOCK: tl.constexpr):  # noqa: ANN001, ANN202, N803 - Triton's language
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n)
    tl.store(out + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), i < n)


def gelu(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    _gelu[(triton.cdiv(x.numel(), 1024),)](out, x, x.numel(), BLOCK=1024)
    return out
