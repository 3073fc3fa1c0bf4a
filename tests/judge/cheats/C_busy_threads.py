"""Threads of its own burn the memory's bandwidth while others have their turn, and rest in its own calls. Where it is
stopped between turns that slows nobody, and what it does itself is slow enough to be seen.

task: softmax
expect: passed tampering clock_mismatch
library: kernels
slow: yes
"""

import ctypes
import os
import select
import threading

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def softmax(x):
    y = torch.empty_like(x)
    K.softmax(P(x.data_ptr()), P(y.data_ptr()), N(x.shape[0]), N(x.shape[1]))
    return y


def slow_softmax(x):
    for _ in range(3):
        y = softmax(x)
    return y


resting = threading.Event()


def burn():
    low, high = torch.empty(1 << 20), torch.empty(1 << 20)
    while True:
        if not resting.is_set():
            ctypes.memmove(low.data_ptr(), high.data_ptr(), low.nbytes)
        else:
            select.select([], [], [], 0.0005)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        threading.Thread(target=burn, daemon=True).start()

    def forward(self, x):
        resting.set()
        y = slow_softmax(x)
        resting.clear()
        return y
