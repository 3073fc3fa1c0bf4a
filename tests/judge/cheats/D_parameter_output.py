"""Returns a Parameter: a tensor by isinstance, another type by name.

task: relu
expect: wrong_shape
class: none D
library: kernels
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def relu(x):
    y = torch.empty_like(x)
    K.relu(P(x.data_ptr()), P(y.data_ptr()), N(x.numel()))
    return y


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.nn.Parameter(relu(x), requires_grad=False)
