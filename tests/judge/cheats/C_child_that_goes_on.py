"""A child shares the lent memory and computes whenever the input changes, also while its parent is stopped; the parent
copies what it finds.

task: softmax
expect: clock_mismatch tampering crash load_error
sandboxed: yes
class: C F A none
library: kernels
"""

import ctypes
import mmap
import os

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


K.fingerprint.restype = ctypes.c_int64
K.omp_set_num_threads(1)


def child(work):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        while True:
            work()
    return pid


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ready = torch.frombuffer(mmap.mmap(-1, 4 << 20), dtype=torch.float32)
        self.mark = torch.frombuffer(mmap.mmap(-1, 4096), dtype=torch.int64)
        self.pid = 0

    def start(self, x):
        ready, mark = self.ready[: x.numel()].view(x.shape), self.mark

        def work():
            now = K.fingerprint(P(x.data_ptr()), N(x.nbytes), N(1))
            if mark[0].item() != now:
                ready.copy_(slow_softmax(x))
                mark[0] = now

        self.pid = child(work)

    def forward(self, x):
        if not self.pid:
            self.start(x)
        now = K.fingerprint(P(x.data_ptr()), N(x.nbytes), N(1))
        while self.mark[0].item() != now:
            pass
        y = torch.empty_like(x)
        y.copy_(self.ready[: x.numel()].view(x.shape))
        return y
