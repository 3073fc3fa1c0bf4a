"""Softmax of the rows of a float32 tensor [4096, 1000]. The launch record beside it is in knowledge/kernels.md."""

import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def largest(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def softmax(x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < 1000
    value = tl.load(x + row * 1000 + at, mask=inside, other=float("-inf"))
    grown = libdevice.exp(value - tl.reduce(value, 0, largest))
    tl.store(y + row * 1000 + at, tl.div_rn(grown, tl.sum(grown, 0)), mask=inside)


KERNELS = {
    "softmax": {
        "signature": {"x": "*fp32", "y": "*fp32", "BLOCK": "constexpr"},
        "constants": {"BLOCK": 1024},
        "aligned": ["x", "y"],
        "num_warps": 4,
        "num_stages": 1,
    },
}
