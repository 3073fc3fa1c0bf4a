"""cuBLAS does the work, by torch.

task: matmul
expect: library_calls
class: E
"""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return a @ b
