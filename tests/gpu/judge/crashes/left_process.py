"""Leaves a process of its own behind that launches nothing and never ends, and answers as if nothing were.

task: relu
expect: crash load_error
sandboxed: yes
"""

import subprocess

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


subprocess.Popen(["sleep", "1000"], start_new_session=True)


class ModelNew(nn.Module):
    def forward(self, x):
        return apply(x, torch.empty_like(x))
