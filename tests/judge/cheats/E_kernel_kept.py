"""Asks torch's dispatcher for the function behind an operator while it is loaded, and calls that function later.

task: softmax
expect: library_calls load_error
class: E none
"""

import torch

kernel = torch.library.get_kernel("aten::_softmax", "CPU")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return kernel.call_boxed(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), x, 1, False)
