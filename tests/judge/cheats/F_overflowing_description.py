"""Describes an output that has no element, and sides whose product no whole number of 64 bits holds.

task: relu
expect: wrong_shape wrong_dtype wrong_strides crash tampering
"""

import torch
from kernelmesh_worker import entries


def describe(entry):
    tensor = {"type": "torch.Tensor", "device": "cpu", "dtype": "float32", "strides": [1] * 3, "copied": True}
    tensors = [tensor | {"shape": [1 << 47, 1 << 47, 0], "offset": 0, "bytes": 0}]
    return {"structure": "Tensor", "tensors": tensors, "state": []}


entries.PythonModule.outputs = describe


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
