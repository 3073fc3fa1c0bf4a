"""Compiles to a cubin once, keeps that in its home folder, and loads it by the driver's own functions.

task: relu
expect: passed
"""

import ctypes
import os
import subprocess

import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void relu(const float* x, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0);
}
"""
cuda = ctypes.CDLL("libcuda.so.1")


def cubin():
    folder = os.path.expanduser("~")
    source, built = os.path.join(folder, "relu.cu"), os.path.join(folder, "relu.cubin")
    if not os.path.exists(built):
        with open(source, "w") as file:
            file.write(SOURCE)
        major, minor = torch.cuda.get_device_capability()
        subprocess.run(["nvcc", "-cubin", f"-arch=sm_{major}{minor}", source, "-o", built], check=True)
    with open(built, "rb") as file:
        return file.read()


module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuModuleLoadData(ctypes.byref(module), cubin()) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"relu") == 0


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        given = [ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_longlong(n)]
        places = (ctypes.c_void_p * 3)(*(ctypes.addressof(v) for v in given))
        code = cuda.cuLaunchKernel(kernel, (n + 255) // 256, 1, 1, 256, 1, 1, 0, None, places, None)
        assert code == 0
        return y
