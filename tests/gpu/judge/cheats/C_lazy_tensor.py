"""Gives a tensor that computes when it is looked at.

task: relu
expect: wrong_shape library_calls
class: E none
"""

import torch
import torch.nn as nn


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        return super().__torch_function__(function, types, arguments, options or {})


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.relu(x).as_subclass(Lazy)
