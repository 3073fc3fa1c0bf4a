"""Written by kernelmesh: chain. KERNELS says how each kernel is compiled, launches.json how all are launched."""

import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

KERNELS = {}


@triton.jit
def km_add(a, b):
    return a + b


@triton.jit
def km_multiply(a, b):
    return a * b


@triton.jit
def km_maximum(a, b):
    """NaN wins."""
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def km_minimum(a, b):
    """NaN wins."""
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def km_argmax(a, i, b, j):
    """The larger one and its place; NaN wins, of equals the first."""
    same = (a == b) | ((a != a) & (b != b))
    take = (b > a) | ((b != b) & (a == a)) | (same & (j < i))
    return tl.where(take, b, a), tl.where(take, j, i)


@triton.jit
def km_argmin(a, i, b, j):
    """The smaller one and its place; NaN wins, of equals the first."""
    same = (a == b) | ((a != a) & (b != b))
    take = (b < a) | ((b != b) & (a == a)) | (same & (j < i))
    return tl.where(take, b, a), tl.where(take, j, i)


@triton.jit
def km_quotient(a, b):
    if a.dtype == tl.float32:
        return tl.div_rn(a, b)
    else:
        return a / b


@triton.jit
def km_moments(mean, squares, count, total):
    """Of parts along the second dimension, by Chan's formula: the mean, and the squared differences from it."""
    together = km_quotient(tl.sum(mean * count, 1), total)
    off = mean - together[:, None]
    return together, tl.sum(squares + count * off * off, 1)


# aten.mul, aten.add, aten.relu
@triton.jit
def group_g0(x0, x1, y0, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < 24
    # x [2, 3, 4]
    v0 = tl.load(x0 + at, mask=inside, other=0)
    # scale [3, 1]
    v1 = tl.load(x1 + (at // 4) % 3, mask=inside, other=0)
    t0 = v0
    t1 = v1
    t2 = t0 * t1
    t3 = t2 + 1.0
    t4 = km_maximum(t3, 0.0)

    # relu [2, 3, 4]
    tl.store(y0 + at, t4, mask=inside)


KERNELS["group_g0"] = {
    "signature": { "x0": "*fp32", "x1": "*fp32", "y0": "*fp32", "BLOCK": "constexpr",  },
    "constants": { "BLOCK": 1024,  },
    "aligned": ["x0", "x1", "y0", ],
    "num_warps": 4,
    "num_stages": 1,
}


