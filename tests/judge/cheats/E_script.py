"""A scripted function: operators are called by torch's own interpreter, past Python.

task: relu
expect: library_calls
class: E
"""

import torch


@torch.jit.script
def scripted(x):
    return torch.relu(x)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return scripted(x)
