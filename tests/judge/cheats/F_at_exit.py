"""Registers what is to happen at its end: writes results of its liking to every descriptor and refuses to exit. Gives
nothing of use itself.

task: relu
expect: wrong_values non_finite crash tampering
"""

import atexit
import ctypes
import os
import signal

import msgpack
import torch
from kernelmesh_worker import candidate

FORGED = msgpack.packb({"verified": {"figures": {"fate": {"end": "finished"}, "draws": []}}})


def forge(*_):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, FORGED)
        except OSError:
            continue


atexit.register(forge)
os._exit = forge
candidate.os = os
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, forge)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        ctypes.memset(y.data_ptr(), 0, y.nbytes)
        return y
