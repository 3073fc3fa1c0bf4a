"""Destroys the context that it shares with those who call it.

task: relu
expect: crash load_error
"""

import ctypes

import torch
import torch.nn as nn

cuda = ctypes.CDLL("libcuda.so.1")


class ModelNew(nn.Module):
    def forward(self, x):
        torch.cuda.synchronize()
        cuda.cuDevicePrimaryCtxReset_v2(0)
        return torch.empty_like(x)
