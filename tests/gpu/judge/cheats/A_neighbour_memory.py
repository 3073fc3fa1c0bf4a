"""Reads what lies beside its input, block by block, to find the reference's output there.

task: relu
expect: crash wrong_values non_finite replay
class: none B D
"""

import cupy
import torch
import torch.nn as nn


SOURCE = """
extern "C" __global__ void look(const float* x, long long* found) {
  for (long long block = 64; block < (1 << 20); ++block) {
    const float* there = x + block * (1 << 19);
    bool same = true;
    for (int i = 0; i < 64; ++i) same = same && there[i] == fmaxf(x[i], 0);
    if (same) { *found = block * (1 << 19); return; }
  }
}
extern "C" __global__ void copy(const float* x, const long long* found, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[*found + i];
}
"""
module = cupy.RawModule(code=SOURCE)
look, copy = module.get_function("look"), module.get_function("copy")


class ModelNew(nn.Module):
    def forward(self, x):
        y, found = torch.empty_like(x), torch.zeros(1, dtype=torch.int64, device=x.device)
        look((1,), (1,), (x.data_ptr(), found.data_ptr()))
        copy(((x.numel() + 255) // 256,), (256,), (x.data_ptr(), found.data_ptr(), y.data_ptr(), x.numel()))
        return y
