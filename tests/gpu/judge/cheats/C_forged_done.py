"""Answers the judge by itself before it begins to work, with the number of the question that stands in its callers' frames.

task: relu
expect: crash clock_mismatch tampering wrong_values
class: C none D
"""

import os
import sys

import msgpack
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.maximum(tl.load(x + i, mask=inside), 0.0), mask=inside)


def apply(x, y):
    relu[(triton.cdiv(x.numel(), 4096),)](x, y, x.numel(), BLOCK=4096)
    return y


def number():
    frame = sys._getframe()
    while frame:
        if isinstance(frame.f_locals.get("number"), int):
            return frame.f_locals["number"]
        frame = frame.f_back
    return 0


class ModelNew(nn.Module):
    def forward(self, x):
        os.write(3, msgpack.packb({"done": number(), "device_ns": 1000.0}))
        return apply(x, torch.empty_like(x))
