// Plain kernels for Python candidates, which load them with ctypes. All on contiguous float32.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {

void relu(const float* x, float* y, int64_t n) {
#pragma omp parallel for simd
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : (x[i] != x[i] ? x[i] : 0);
}

void sigmoid(const float* x, float* y, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) y[i] = 1 / (1 + std::exp(-x[i]));
}

void softmax(const float* x, float* y, int64_t rows, int64_t columns) {
#pragma omp parallel for
  for (int64_t r = 0; r < rows; ++r) {
    const float* in = x + r * columns;
    float* out = y + r * columns;
    float largest = in[0], sum = 0;
    for (int64_t c = 1; c < columns; ++c) largest = in[c] > largest ? in[c] : largest;
    for (int64_t c = 0; c < columns; ++c) sum += out[c] = std::exp(in[c] - largest);
    for (int64_t c = 0; c < columns; ++c) out[c] /= sum;
  }
}

void mean(const float* x, float* y, int64_t rows, int64_t columns) {
#pragma omp parallel for
  for (int64_t r = 0; r < rows; ++r) {
    float sum[16] = {}, total = 0;
    for (int64_t c = 0; c < columns; ++c) sum[c % 16] += x[r * columns + c];
    for (float part : sum) total += part;
    y[r] = total / static_cast<float>(columns);
  }
}

/// out = x * gamma + beta, x normalised by rows.
void layernorm(const float* x, const float* gamma, const float* beta, float* y, int64_t rows, int64_t columns) {
#pragma omp parallel for
  for (int64_t r = 0; r < rows; ++r) {
    const float* in = x + r * columns;
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < columns; ++c) sum += in[c];
    double mean = sum / static_cast<double>(columns);
    for (int64_t c = 0; c < columns; ++c) squares += (in[c] - mean) * (in[c] - mean);
    double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
    for (int64_t c = 0; c < columns; ++c)
      y[r * columns + c] = static_cast<float>((in[c] - mean) * scale) * gamma[c] + beta[c];
  }
}

/// [m, k] times [k, n].
void matmul(const float* a, const float* b, float* y, int64_t m, int64_t k, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < m; ++i) {
    float* row = y + i * n;
    std::memset(row, 0, static_cast<size_t>(n) * 4);
    for (int64_t p = 0; p < k; ++p) {
      float factor = a[i * k + p];
#pragma omp simd
      for (int64_t j = 0; j < n; ++j) row[j] += factor * b[p * n + j];
    }
  }
}

void add_bias(float* y, const float* bias, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) y[i * n + j] += bias[j];
}

/// x [m, k], weight transposed [k, n], bias [n].
void linear(const float* x, const float* packed, const float* bias, float* y, int64_t m, int64_t k, int64_t n) {
  matmul(x, packed, y, m, k, n);
  add_bias(y, bias, m, n);
}

/// weight [n, k] to [k, n].
void pack(const float* weight, float* packed, int64_t n, int64_t k) {
  for (int64_t j = 0; j < n; ++j)
    for (int64_t p = 0; p < k; ++p) packed[p * n + j] = weight[j * k + p];
}

/// FNV over the contents, 8 bytes a step; `step` 1 takes all of them.
uint64_t fingerprint(const void* data, int64_t bytes, int64_t step) {
  uint64_t hash = 1469598103934665603ull;
  for (int64_t i = 0; i + 8 <= bytes; i += 8 * step) {
    uint64_t word;
    std::memcpy(&word, static_cast<const char*>(data) + i, 8);
    hash = (hash ^ word) * 1099511628211ull;
  }
  return hash;
}

/// Training mode: normalises x [n, channels, size] and moves the running statistics.
void batchnorm(const float* x, const float* gamma, const float* beta, float* running_mean, float* running_var, float* y,
               int64_t n, int64_t channels, int64_t size) {
#pragma omp parallel for
  for (int64_t c = 0; c < channels; ++c) {
    double sum = 0, squares = 0, count = static_cast<double>(n * size);
    auto at = [&](int64_t i, int64_t j) { return (i * channels + c) * size + j; };
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < size; ++j) sum += x[at(i, j)];
    double mean = sum / count;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < size; ++j) squares += (x[at(i, j)] - mean) * (x[at(i, j)] - mean);
    double scale = 1 / std::sqrt(squares / count + 1e-5);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < size; ++j)
        y[at(i, j)] = static_cast<float>((x[at(i, j)] - mean) * scale) * gamma[c] + beta[c];
    running_mean[c] = static_cast<float>(0.9 * running_mean[c] + 0.1 * mean);
    running_var[c] = static_cast<float>(0.9 * running_var[c] + 0.1 * squares / (count - 1));
  }
}

}  // extern "C"
