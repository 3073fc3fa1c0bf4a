"""Written by kernelmesh: sum. KERNELS says how each kernel is compiled, launches.json how all are launched."""

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


# aten.sum: parts of stage 0
@triton.jit
def group_g0_part0(x0, parts0, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    unit = tl.program_id(0) // 256
    row = unit * ROWS + tl.arange(0, ROWS)
    there = row < 2
    part = (tl.program_id(0) % 256)
    begin = part * 4096
    end = tl.minimum(begin + 4096, 1048576)




    # stage 0

    a0 = tl.full((ROWS, BLOCK), 0, tl.float32)


    for first_0 in range(begin, end, BLOCK):
        at_0 = first_0 + tl.arange(0, BLOCK)
        inside_0 = at_0 < end
        tile_0 = there[:, None] & inside_0[None, :]
        v0_0 = tl.load(x0 + (row * 1048576)[:, None] + at_0[None, :], mask=tile_0, other=0)
        b0_0 = v0_0

        a0 = km_add(a0, tl.where(tile_0, b0_0, 0))


    s0 = tl.reduce(a0, 1, km_add)




    tl.store(parts0 + part * 2 + row, s0, mask=there)







KERNELS["group_g0_part0"] = {
    "signature": { "x0": "*fp32", "parts0": "*fp32", "ROWS": "constexpr", "BLOCK": "constexpr",  },
    "constants": { "ROWS": 1, "BLOCK": 4096,  },
    "aligned": ["x0", "parts0", ],
    "num_warps": 8,
    "num_stages": 1,
}



# aten.sum: all parts of stage 0
@triton.jit
def group_g0_join0(y0, parts0, slots0, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    unit = tl.program_id(0)
    row = unit * ROWS + tl.arange(0, ROWS)
    there = row < 2





    # stage 0


    piece = tl.arange(0, 256)
    held = there[:, None] & (piece < 256)[None, :]
    found = piece[None, :] * 2 + row[:, None]
    s0 = tl.reduce(tl.load(parts0 + found, mask=held, other=0), 1, km_add)



    tl.store(slots0 + row, s0, mask=there)



    k0 = s0

    tl.store(y0 + row, k0, mask=there)  # sum




KERNELS["group_g0_join0"] = {
    "signature": { "y0": "*fp32", "parts0": "*fp32", "slots0": "*fp32", "ROWS": "constexpr", "BLOCK": "constexpr",  },
    "constants": { "ROWS": 1, "BLOCK": 256,  },
    "aligned": ["y0", "parts0", "slots0", ],
    "num_warps": 1,
    "num_stages": 1,
}


