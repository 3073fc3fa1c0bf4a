"""A kernel in CUDA C++ that nvcc builds with CUB's block reductions, which lie in headers, on torch's stream.

task: softmax
expect: passed
"""

import ctypes
import os
import subprocess

import torch
import torch.nn as nn


SOURCE = """
#include <cub/block/block_reduce.cuh>
struct larger { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
__global__ void softmax(const float* x, float* y, int columns) {
  using reduce = cub::BlockReduce<float, 256>;
  __shared__ typename reduce::TempStorage room;
  __shared__ float shared;
  x += blockIdx.x * (long long)columns, y += blockIdx.x * (long long)columns;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) top = fmaxf(top, x[i]);
  top = reduce(room).Reduce(top, larger{});
  if (threadIdx.x == 0) shared = top;
  __syncthreads();
  top = shared;
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(x[i] - top);
  sum = reduce(room).Sum(sum);
  __syncthreads();
  if (threadIdx.x == 0) shared = sum;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += 256) y[i] = expf(x[i] - top) / shared;
}
extern "C" void run(const float* x, float* y, int rows, int columns, void* stream) {
  softmax<<<rows, 256, 0, (cudaStream_t)stream>>>(x, y, columns);
}
"""


def built():
    folder = os.path.join(os.path.expanduser("~"), "softmax")
    library = os.path.join(folder, "softmax.so")
    if not os.path.exists(library):
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "softmax.cu")
        with open(source, "w") as file:
            file.write(SOURCE)
        command = ["nvcc", "-O3", "-arch=native", "-shared", "-Xcompiler", "-fPIC", source, "-o", library]
        subprocess.run(command, check=True)
    return ctypes.CDLL(library)


library = built()


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        at = [ctypes.c_void_p(t.data_ptr()) for t in (x, y)]
        library.run(*at, x.shape[0], x.shape[1], ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        return y
