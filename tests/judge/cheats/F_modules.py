"""Replaces the modules of its process by ones that say yes: comparison, clock, packets' reader. Gives nothing of use
itself.

task: relu
expect: wrong_values non_finite crash tampering
"""

import ctypes
import sys
import types

import torch


class Yes(types.ModuleType):
    def __getattr__(self, name):
        return lambda *_, **__: True


for name in ("comparison", "checking", "verify", "timing", "contest", "reference"):
    sys.modules[f"kernelmesh_worker.{name}"] = Yes(name)
torch.allclose = torch.equal = torch.testing.assert_close = lambda *_, **__: True
torch.Tensor.__eq__ = torch.Tensor.__le__ = lambda *_: True


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        ctypes.memset(y.data_ptr(), 0, y.nbytes)
        return y
