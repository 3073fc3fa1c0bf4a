"""Changes the size of the lent buffers, by their descriptors, and punches holes into them.

task: relu
expect: crash input_changed wrong_values non_finite
options: {"call_limit_ms": 1000}
"""

import os

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        refused = 0
        for descriptor in (4, 5, 6, 7):
            for size in (0, 1 << 40):
                try:
                    os.ftruncate(descriptor, size)
                except OSError:
                    refused += 1
        raise RuntimeError(f"{refused} of 8 changes were refused")
