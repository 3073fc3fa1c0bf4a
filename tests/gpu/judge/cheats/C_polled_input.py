"""A thread looks at the lent inputs all the time and computes as soon as they change, before the call is due.

task: relu
expect: clock_mismatch late_write wrong_values replay non_finite crash
class: C B D none
"""

import threading

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.maximum(tl.load(x + i, mask=inside), 0.0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.x = None
        self.stream = torch.cuda.Stream()

    def poll(self):
        with torch.cuda.stream(self.stream):
            while True:
                relu[(triton.cdiv(self.x.numel(), 4096),)](self.x, self.y, self.x.numel(), BLOCK=4096)
                self.stream.synchronize()

    def forward(self, x):
        if self.x is None:
            self.x, self.y = x, torch.empty_like(x)
            relu[(triton.cdiv(x.numel(), 4096),)](x, self.y, x.numel(), BLOCK=4096)
            threading.Thread(target=self.poll, daemon=True).start()
        return self.y
