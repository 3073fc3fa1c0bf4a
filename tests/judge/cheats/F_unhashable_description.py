"""Describes an output whose dtype is a list: a judge that looks it up in a table falls over.

task: relu
expect: wrong_shape wrong_dtype wrong_strides crash tampering
"""

import torch
from kernelmesh_worker import entries


def describe(entry):
    tensor = {"type": "torch.Tensor", "device": "cpu", "dtype": [], "shape": [], "strides": [], "offset": 0}
    return {"structure": "Tensor", "tensors": [tensor | {"copied": True}], "state": []}


entries.PythonModule.outputs = describe


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
