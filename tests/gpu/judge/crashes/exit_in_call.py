"""Ends its process in a call.

task: relu
expect: crash
"""

import os

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        os._exit(0)
