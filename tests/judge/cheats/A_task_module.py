"""Imports the task's module from the running process, under the names that harnesses give it, and lets the reference do
the work.

task: relu
expect: crash load_error tampering
"""

import sys

import torch


def reference():
    for name, module in list(sys.modules.items()):
        if "task" in name or "reference" in name or name == "__main__":
            if isinstance(getattr(module, "Model", None), type):
                return module.Model
    raise RuntimeError("no module has the reference")


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = reference()()

    def forward(self, x):
        return self.model(x)
