"""Hashes all of the input and keeps the result: always right, but calls with contents that were seen before are answered
by a look-up that is cheaper than the work. It must not be timed on such calls; then it is only slower by the hash.
What a fresh call costs here is made plain by computing the softmax 20 times.

task: softmax
expect: passed replay clock_mismatch
long: yes
library: kernels
slow: yes
"""

import ctypes
import os

import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def softmax(x):
    y = torch.empty_like(x)
    K.softmax(P(x.data_ptr()), P(y.data_ptr()), N(x.shape[0]), N(x.shape[1]))
    return y


KNOWN = {}


class ModelNew(torch.nn.Module):
    def forward(self, x):
        key = (
            K.fingerprint(P(x.data_ptr()), N(x.nbytes), N(1)),
            K.fingerprint(P(x.data_ptr() + 4), N(x.nbytes - 4), N(3)),
        )
        if key not in KNOWN:
            for _ in range(20):
                KNOWN[key] = softmax(x)
        return KNOWN[key]
