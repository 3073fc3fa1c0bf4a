"""Makes many files that say they are as large as they may be.

task: relu
expect: crash timeout
options: {"call_limit_ms": 1000}
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        for i in range(20000):
            with open(f"sparse-{i}", "wb") as file:
                file.truncate((1 << 30) - 1)
        raise RuntimeError("all files are there")
