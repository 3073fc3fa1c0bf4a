"""As A_weights_in_place, through Python: finds the mappings of the lent buffers and zeroes every float in those that are
not the input's, where weights lie.

task: linear
expect: input_changed wrong_values non_finite crash tampering
class: A none
"""

import ctypes

import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 256)

    def forward(self, x):
        for line in open("/proc/self/maps"):
            bounds, mode = line.split()[:2]
            low, high = (int(v, 16) for v in bounds.split("-"))
            if "memfd:kernelmesh" in line and "w" in mode and not low <= x.data_ptr() < high:
                ctypes.memset(low, 0, high - low)
        y = torch.empty(x.shape[0], 256)
        y[:] = self.linear.bias
        return y
