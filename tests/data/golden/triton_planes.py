"""Written by kernelmesh: product. KERNELS says how each kernel is compiled, launches.json how all are launched."""

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


# aten.mm, aten.relu: planes of the left operand: the sum of two float16 numbers, times a power of two for each line
@triton.jit
def group_g0_left(x0, high, low, exponents, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    batch = (tl.program_id(0) // 512)
    m = (tl.program_id(0) % 512) * ROWS + tl.arange(0, ROWS)
    m_in = m < 2048
    peak = tl.zeros((ROWS, BLOCK), tl.int32)
    for first in range(0, 2048, BLOCK):
        k = first + tl.arange(0, BLOCK)
        k_in = k < 2048
        value = tl.load(x0 + m[:, None] * 2048 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0)
        peak = tl.maximum(peak, tl.abs(value).to(tl.int32, bitcast=True))
    exponent = tl.max(peak, 1) >> 23  # 255: a NaN or infinity
    line = batch * 2048 + m
    tl.store(exponents + line, exponent)
    scale = ((266 - tl.maximum(exponent, 12)) << 23).to(tl.float32, bitcast=True)  # the largest comes below 2^13
    for first in range(0, 2048, BLOCK):
        k = first + tl.arange(0, BLOCK)
        k_in = k < 2048
        value = tl.load(x0 + m[:, None] * 2048 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0) * scale[:, None]
        rounded = value.to(tl.float16)
        at = line[:, None] * 2048 + k[None, :]
        written = (k < 2048)[None, :]
        tl.store(high + at, rounded, mask=written)
        tl.store(low + at, (value - rounded.to(tl.float32)).to(tl.float16), mask=written)


KERNELS["group_g0_left"] = {
    "signature": { "x0": "*fp32", "high": "*fp16", "low": "*fp16", "exponents": "*i32", "ROWS": "constexpr", "BLOCK": "constexpr",  },
    "constants": { "ROWS": 4, "BLOCK": 1024,  },
    "aligned": ["x0", "high", "low", "exponents", ],
    "num_warps": 8,
    "num_stages": 1,
}



# aten.mm, aten.relu: planes of the right operand: the sum of two float16 numbers, times a power of two for each line
@triton.jit
def group_g0_right(x1, high, low, exponents, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    batch = (tl.program_id(0) // 64)
    m = (tl.program_id(0) % 64) * ROWS + tl.arange(0, ROWS)
    m_in = m < 2048
    peak = tl.zeros((ROWS, BLOCK), tl.int32)
    for first in range(0, 2048, BLOCK):
        k = first + tl.arange(0, BLOCK)
        k_in = k < 2048
        value = tl.load(x1 + m[:, None] + k[None, :] * 2048, mask=m_in[:, None] & k_in[None, :], other=0)
        peak = tl.maximum(peak, tl.abs(value).to(tl.int32, bitcast=True))
    exponent = tl.max(peak, 1) >> 23  # 255: a NaN or infinity
    line = batch * 2048 + m
    tl.store(exponents + line, exponent)
    scale = ((266 - tl.maximum(exponent, 12)) << 23).to(tl.float32, bitcast=True)  # the largest comes below 2^13
    for first in range(0, 2048, BLOCK):
        k = first + tl.arange(0, BLOCK)
        k_in = k < 2048
        value = tl.load(x1 + m[:, None] + k[None, :] * 2048, mask=m_in[:, None] & k_in[None, :], other=0) * scale[:, None]
        rounded = value.to(tl.float16)
        at = line[:, None] * 2048 + k[None, :]
        written = (k < 2048)[None, :]
        tl.store(high + at, rounded, mask=written)
        tl.store(low + at, (value - rounded.to(tl.float32)).to(tl.float16), mask=written)


KERNELS["group_g0_right"] = {
    "signature": { "x1": "*fp32", "high": "*fp16", "low": "*fp16", "exponents": "*i32", "ROWS": "constexpr", "BLOCK": "constexpr",  },
    "constants": { "ROWS": 32, "BLOCK": 64,  },
    "aligned": ["x1", "high", "low", "exponents", ],
    "num_warps": 4,
    "num_stages": 1,
}



# aten.mm, aten.relu: of planes
@triton.jit
def group_g0(y0, left_high, left_low, left_exponents, right_high, right_low, right_exponents, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    batch = (tl.program_id(0) // 256)
    tile = tl.program_id(0) % 256
    above = tile // (8 * 16) * 8  # tiles that run side by side share what they read
    height = tl.minimum(16 - above, 8)
    within = tile % (8 * 16)
    first_m = (above + within % height) * TILE_M
    first_n = within // height * TILE_N
    m = first_m + tl.arange(0, TILE_M)
    n = first_n + tl.arange(0, TILE_N)
    m_in = m < 2048
    n_in = n < 2048
    left_exponent = tl.load(left_exponents + batch * 2048 + m)
    right_exponent = tl.load(right_exponents + batch * 2048 + n)
    finite = (tl.max(left_exponent, 0) < 255) & (tl.max(right_exponent, 0) < 255)
    mine = finite
    end = tl.where(mine, 2048, 0)




    total = tl.zeros((TILE_M, TILE_N), tl.float32)


    left_line = (batch * 2048 + m)[:, None] * 2048
    right_line = (batch * 2048 + n)[None, :] * 2048
    for first in range(0, end, TILE_K):

        k = first + tl.arange(0, TILE_K)
        left = tl.load(left_high + left_line + k[None, :])
        right = tl.load(right_high + right_line + k[:, None])
        part = tl.dot(left, tl.load(right_low + right_line + k[:, None]))
        part = tl.dot(tl.load(left_low + left_line + k[None, :]), right, part)
        part = tl.dot(left, right, part)
        total += part  # tensor cores cut sums off: none of them is longer than this one
    power = tl.maximum(left_exponent, 12)[:, None] + tl.maximum(right_exponent, 12)[None, :] - 278
    half = tl.maximum(power >> 1, -126)
    other = tl.maximum(power - (power >> 1), -126)
    value = total * ((half + 127) << 23).to(tl.float32, bitcast=True) * ((other + 127) << 23).to(tl.float32, bitcast=True)



    written = m_in[:, None] & n_in[None, :] & mine
    e0 = value
    e1 = km_maximum(e0, 0.0)

    tl.store(y0 + m[:, None] * 2048 + n[None, :], e1, mask=written)  # relu


KERNELS["group_g0"] = {
    "signature": { "y0": "*fp32", "left_high": "*fp16", "left_low": "*fp16", "left_exponents": "*i32", "right_high": "*fp16", "right_low": "*fp16", "right_exponents": "*i32", "TILE_M": "constexpr", "TILE_N": "constexpr", "TILE_K": "constexpr",  },
    "constants": { "TILE_M": 128, "TILE_N": 128, "TILE_K": 64,  },
    "aligned": ["y0", "left_high", "left_low", "left_exponents", "right_high", "right_low", "right_exponents", ],
    "num_warps": 8,
    "num_stages": 3,
}



# aten.mm, aten.relu: tiles with a NaN or infinity
@triton.jit
def group_g0_rest(x0, x1, y0, left_exponents, right_exponents, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    batch = (tl.program_id(0) // 256)
    tile = tl.program_id(0) % 256
    above = tile // (8 * 16) * 8  # tiles that run side by side share what they read
    height = tl.minimum(16 - above, 8)
    within = tile % (8 * 16)
    first_m = (above + within % height) * TILE_M
    first_n = within // height * TILE_N
    m = first_m + tl.arange(0, TILE_M)
    n = first_n + tl.arange(0, TILE_N)
    m_in = m < 2048
    n_in = n < 2048
    left_exponent = tl.load(left_exponents + batch * 2048 + m)
    right_exponent = tl.load(right_exponents + batch * 2048 + n)
    finite = (tl.max(left_exponent, 0) < 255) & (tl.max(right_exponent, 0) < 255)

    mine = finite == 0
    end = tl.where(mine, 2048, 0)



    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for first in range(0, end, TILE_K):
        k = first + tl.arange(0, TILE_K)
        k_in = k < 2048
        left = tl.load(x0 + m[:, None] * 2048 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0)
        right = tl.load(x1 + k[:, None] * 2048 + n[None, :], mask=k_in[:, None] & n_in[None, :], other=0)
        total = tl.dot(left, right, total, input_precision="ieee", out_dtype=tl.float32)
    value = total




    written = m_in[:, None] & n_in[None, :] & mine
    e0 = value
    e1 = km_maximum(e0, 0.0)

    tl.store(y0 + m[:, None] * 2048 + n[None, :], e1, mask=written)  # relu


KERNELS["group_g0_rest"] = {
    "signature": { "x0": "*fp32", "x1": "*fp32", "y0": "*fp32", "left_exponents": "*i32", "right_exponents": "*i32", "TILE_M": "constexpr", "TILE_N": "constexpr", "TILE_K": "constexpr",  },
    "constants": { "TILE_M": 128, "TILE_N": 128, "TILE_K": 16,  },
    "aligned": ["x0", "x1", "y0", "left_exponents", "right_exponents", ],
    "num_warps": 8,
    "num_stages": 2,
}


