"""Has the input and the output stay in the L2 cache from call to call, as far as the device lets it. Works three times: what
it says of that must be seen.

task: relu
expect: passed
slow: yes
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
extern "C" void keep(float* x, long long bytes) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 64 << 20);
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = x;
  value.accessPolicyWindow.num_bytes = bytes < (32 << 20) ? bytes : (32 << 20);
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(cudaStreamLegacy, cudaStreamAttributeAccessPolicyWindow, &value);
  cudaGetLastError();
}
extern "C" void run(const float* x, float* y, long long n) {
  for (int i = 0; i < 3; ++i) relu<<<(n + 255) / 256, 256>>>(x, y, n);
}
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
    def __init__(self):
        super().__init__()
        self.y = None

    def forward(self, x):
        if self.y is None:
            self.y = torch.empty_like(x)
            library.keep(ctypes.c_void_p(x.data_ptr()), ctypes.c_longlong(x.nbytes))
        library.run(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(self.y.data_ptr()), ctypes.c_longlong(x.numel()))
        return self.y
