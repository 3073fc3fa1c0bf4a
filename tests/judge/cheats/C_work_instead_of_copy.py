"""A call waits for a moment; the delivery of its outputs computes them where the honest one copies them, which takes as
long: so nothing seems to come late.

task: relu
expect: clock_mismatch tampering below_floor wrong_values
class: C none D
library: kernels
"""

import ctypes
import os
import time

import torch
from kernelmesh_worker import entries

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))
SPEC = {"type": "torch.Tensor", "device": "cpu", "dtype": "float32", "shape": [512, 1024], "strides": [1024, 1]}


def wait(entry, plain, variant=0):
    end = time.perf_counter_ns() + 60_000
    while time.perf_counter_ns() < end:
        pass


def compute_into_the_lent_buffer(entry):
    x = entry._view(entry._inputs[0])
    K.relu(P(x.data_ptr()), P(entry._lent[2].bytes().data_ptr()), N(x.numel()))
    return {"structure": "Tensor", "tensors": [SPEC | {"bytes": 1 << 21, "offset": 0, "copied": True}], "state": []}


entries.PythonModule.call, entries.PythonModule.outputs = wait, compute_into_the_lent_buffer


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
