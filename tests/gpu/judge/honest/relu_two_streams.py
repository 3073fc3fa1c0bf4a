"""Two halves on two streams of its own, joined by events.

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
        self.streams = [torch.cuda.Stream() for _ in range(2)]
        self.begun, self.ended = torch.cuda.Event(), [torch.cuda.Event() for _ in range(2)]

    def forward(self, x):
        y = torch.empty_like(x)
        half = x.shape[0] // 2
        self.begun.record()
        for stream, ended, part in zip(self.streams, self.ended, (slice(0, half), slice(half, None))):
            stream.wait_event(self.begun)
            with torch.cuda.stream(stream):
                apply(x[part], y[part])
                ended.record()
            torch.cuda.current_stream().wait_event(ended)
        return y
