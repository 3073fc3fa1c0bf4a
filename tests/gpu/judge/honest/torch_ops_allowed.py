"""torch's own operators, where the config allows them.

task: softmax
expect: passed
options: {"allow_library_calls": true}
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
