"""Describes outputs as it likes: one that is said to be copied and never was, so that what lies in the buffer counts.

task: relu
expect: wrong_values non_finite crash tampering replay
"""

import torch
from kernelmesh_worker import entries


def describe(entry):
    tensor = {"type": "torch.Tensor", "device": "cpu", "dtype": "float32", "shape": [512, 1024], "strides": [1024, 1]}
    tensors = [tensor | {"offset": 0, "bytes": 1 << 21, "copied": True}]
    return {"structure": "Tensor", "tensors": tensors, "state": []}


entries.PythonModule.outputs = describe


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
