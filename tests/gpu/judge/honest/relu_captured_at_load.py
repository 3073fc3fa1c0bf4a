"""Captures a graph of its own kernel over buffers of its own while it is built; calls copy the input there and replay it.

task: relu
expect: passed
"""

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


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.y = torch.empty(4096, 4096, device="cuda"), torch.empty(4096, 4096, device="cuda")
        apply(self.x, self.y)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            apply(self.x, self.y)

    def forward(self, x):
        self.x.copy_(x)
        self.graph.replay()
        return self.y
