"""Threads add to one sum without waiting for each other: most of it is lost.

task: softmax
expect: wrong_values non_finite
class: none D
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  __shared__ volatile float sum;
  x += blockIdx.x * (long long)columns, y += blockIdx.x * (long long)columns;
  sum = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum = sum + expf(x[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = expf(x[i]) / sum;
}
"""
kernel = cupy.RawKernel(SOURCE, "softmax")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel((x.shape[0],), (256,), (x.data_ptr(), y.data_ptr(), cupy.int32(x.shape[1])))
        return y
