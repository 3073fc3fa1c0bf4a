"""Takes gigabytes that nothing was written to and looks in them for a block that begins as the answer does.

task: relu
expect: wrong_values non_finite out_of_memory
class: none D
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        first = [max(0.0, v) for v in x[0, :16].tolist()]
        blocks = [torch.empty_like(x) for _ in range(64)]
        for block in blocks:
            for row in range(0, 4096, 512):
                if block[row, :16].tolist() == first:
                    return block
        return blocks[-1]
