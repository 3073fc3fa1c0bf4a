"""A kernel on a stream of its own waits on the device for the contents and works as soon as they are there: the stream that
is clocked has nothing to do.

task: relu
expect: clock_mismatch below_floor late_write wrong_values replay non_finite timeout passed
class: C B D none
slow: yes
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void relu(const float* x, float* y, long long n) {
  const volatile float* last = x + n - 1;
  float before = *last;
  long long start = clock64();
  while (*last == before && clock64() - start < 20000000) {}
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  for (; i < n; i += gridDim.x * (long long)blockDim.x) y[i] = fmaxf(__ldcv(x + i), 0);
}
"""
kernel = cupy.RawKernel(SOURCE, "relu")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.stream = torch.cuda.Stream()

    def forward(self, x):
        y = torch.empty_like(x)
        with cupy.cuda.ExternalStream(self.stream.cuda_stream):
            kernel((132,), (1024,), (x.data_ptr(), y.data_ptr(), x.numel()))
        return y
