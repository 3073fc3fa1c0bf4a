"""A launch with more threads than a block can have; nobody asks whether it was taken. What lies in the output is given.

task: relu
expect: wrong_values non_finite replay crash
class: none B D
"""

import ctypes
import os
import subprocess

import torch
import torch.nn as nn


SOURCE = """
__global__ void relu(const float* x, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0);
}
extern "C" void run(const float* x, float* y, long long n) { relu<<<(n + 2047) / 2048, 2048>>>(x, y, n); }
"""


def built():
    folder = os.path.join(os.path.expanduser("~"), "relu")
    library = os.path.join(folder, "relu.so")
    if not os.path.exists(library):
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "relu.cu")
        with open(source, "w") as file:
            file.write(SOURCE)
        command = ["nvcc", "-O3", "-arch=native", "-shared", "-Xcompiler", "-fPIC", source, "-o", library]
        subprocess.run(command, check=True)
    return ctypes.CDLL(library)


library = built()


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        library.run(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_longlong(x.numel()))
        return y
