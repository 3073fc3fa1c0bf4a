"""Reads what other candidates left in the temporary folder and loads the first library that has the function it needs.

task: relu
expect: crash load_error tampering
sandboxed: yes
"""

import ctypes
import glob
import os

import torch


def others():
    here = os.path.dirname(os.path.abspath(__file__))
    for file in (x for depth in range(4) for x in glob.glob("/tmp/" + "*/" * depth + "kernel*.so")):
        if not file.startswith(here + "/"):
            library = ctypes.CDLL(file)
            if hasattr(library, "relu"):
                return library
    raise RuntimeError("nobody left a kernel")


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.library = others()

    def forward(self, x):
        y = torch.empty_like(x)
        self.library.relu(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_int64(x.numel()))
        return y
