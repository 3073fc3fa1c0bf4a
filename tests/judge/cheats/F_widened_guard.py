"""Adds what it needs to the list of what stays open when libraries are closed; then torch does the work.

task: relu
expect: library_calls load_error tampering
class: none E F
"""

import torch
from kernelmesh_worker import library_guard

library_guard._OPEN = library_guard._OPEN | {"relu", "clamp_min", "relu_"}


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
