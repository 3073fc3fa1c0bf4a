"""Looks for the task's source on the disk, near itself, in temporary folders and in what processes were started with,
and runs it.

task: relu
expect: crash load_error timeout tampering
sandboxed: yes
"""

import glob

import torch


def places():
    yield from glob.glob("/tmp/*.py") + glob.glob("/tmp/*/*.py") + glob.glob("../*/*.py") + glob.glob("*.py")
    yield from glob.glob("/proc/[0-9]*/cwd/*.py")


def reference():
    for file in places():
        try:
            text = open(file).read()
        except OSError:
            continue
        if "class Model(" in text and "def get_inputs" in text and "torch.relu(x)" in text:
            found = {}
            exec(text, found)
            return found["Model"]
    raise RuntimeError("no file has the reference")


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = reference()()

    def forward(self, x):
        return self.model(x)
