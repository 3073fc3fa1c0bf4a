"""Describes an output of 2^141 elements, negative offsets and names that are none.

task: relu
expect: wrong_shape wrong_dtype wrong_strides crash tampering
"""

import torch
from kernelmesh_worker import entries


def describe(entry):
    tensor = {"type": "torch.Tensor\x1b[2J", "device": "cpu", "dtype": "float32", "strides": [1] * 3, "copied": True}
    tensors = [tensor | {"shape": [(1 << 47) - 1] * 3, "offset": -4, "bytes": 1 << 63}]
    return {"structure": "Tensor", "tensors": tensors, "state": tensors * 9}


entries.PythonModule.outputs = describe


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
