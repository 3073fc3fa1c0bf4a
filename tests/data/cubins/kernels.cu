// Kernels for tests of kernelmesh-cuda-host. kernels_sm_90a.cubin is this file, as nvcc 13.0 built it:
//   nvcc -std=c++17 -arch=sm_90a -cubin kernels.cu -o kernels_sm_90a.cubin

struct vector {
  int count;
  const float* at;
};

extern "C" __global__ void saxpy(float* out, const float* x, const float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

/// A block a row; shared memory for a number a thread.
extern "C" __global__ void softmax(float* out, vector in, int columns) {
  extern __shared__ float parts[];
  const float* row = in.at + blockIdx.x * columns;
  auto reduced = [&](float mine, auto join) {
    parts[threadIdx.x] = mine;
    __syncthreads();
    for (int width = blockDim.x / 2; width > 0; width /= 2) {
      if (threadIdx.x < width) parts[threadIdx.x] = join(parts[threadIdx.x], parts[threadIdx.x + width]);
      __syncthreads();
    }
    float result = parts[0];
    __syncthreads();
    return result;
  };
  float highest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) highest = fmaxf(highest, row[i]);
  highest = reduced(highest, [](float a, float b) { return fmaxf(a, b); });
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - highest);
  sum = reduced(sum, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = expf(row[i] - highest) / sum;
}

__device__ int calls = 5;

/// Counts the calls that it remembers.
extern "C" __global__ void count(int* out) { out[0] = ++calls; }

/// Leaves a mark for a later call, and gives what was there before.
extern "C" __global__ void remember(int* out, int* scratch) {
  out[0] = scratch[0];
  scratch[0] = 42;
}

extern "C" __global__ void fault(int* out) { *reinterpret_cast<volatile int*>(reinterpret_cast<char*>(out) + (1ull << 45)) = 1; }
