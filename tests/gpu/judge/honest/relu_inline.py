"""A CUDA extension that torch builds when it is loaded: once, whatever its headers take.

task: relu
expect: passed
long: yes
"""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void relu(const float* x, float* y, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0);
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  relu<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""
extension = load_inline("relu_inline", "torch::Tensor run(torch::Tensor x);", CUDA, functions=["run"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.run(x)
