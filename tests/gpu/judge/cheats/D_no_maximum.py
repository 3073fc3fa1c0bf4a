"""A softmax that takes no maximum off: right for small numbers such as the task draws.

task: softmax
expect: wrong_values non_finite
class: D
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  __shared__ float sums[32];
  x += blockIdx.x * (long long)columns, y += blockIdx.x * (long long)columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(x[i]);
  for (int k = 16; k; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) sum += sums[i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = expf(x[i]) / sum;
}
"""
kernel = cupy.RawKernel(SOURCE, "softmax")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        kernel((x.shape[0],), (256,), (x.data_ptr(), y.data_ptr(), cupy.int32(x.shape[1])))
        return y
