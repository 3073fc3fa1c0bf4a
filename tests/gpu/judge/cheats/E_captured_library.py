"""Has torch do the work once, while it is being loaded, in a graph that it captures; calls only replay that.

task: matmul
expect: library_calls
class: E
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.zeros(1024, 2048, device="cuda"), torch.zeros(2048, 512, device="cuda")
        torch.matmul(self.a, self.b)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.c = torch.matmul(self.a, self.b)

    def forward(self, a, b):
        self.a.copy_(a)
        self.b.copy_(b)
        self.graph.replay()
        return self.c
