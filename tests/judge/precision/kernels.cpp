// The same problems in several precisions: OP_MODE is the function of an operation in a mode. Everything is brought
// into the form of matrix products first, so a mode is written once. Honest: what a mode loses is all that is wrong.
//
//   simt      float32, one product after the other       tf32x3   two parts of 10 bits, three products
//   pairwise  float32, sums halved down to 32 products   fp16x2   rows and columns scaled, two halves, three products
//   bf16x3    three parts of 8 bits, six products        tf32, fp16, bf16   rounded operands (and output)

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include <kernelmesh_abi.h>

namespace {

using matrix = std::vector<float>;
using tensors = const kernelmesh_tensor*;

float to_bits_of(float x, uint32_t dropped) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits += (1u << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  bits &= ~((1u << dropped) - 1);
  std::memcpy(&x, &bits, 4);
  return x;
}
float to_bf16(float x) { return to_bits_of(x, 16); }
float to_tf32(float x) { return to_bits_of(x, 13); }
float to_fp16(float x) { return static_cast<float>(static_cast<_Float16>(x)); }

/// a [m, k] and b [k, n], row by row.
struct product {
  int64_t m, k, n;
  matrix a, b;
};

matrix one_by_one(const product& x, int64_t from, int64_t to) {
  matrix c(static_cast<size_t>(x.m * x.n));
#pragma omp parallel for
  for (int64_t i = 0; i < x.m; ++i)
    for (int64_t p = from; p < to; ++p)
#pragma omp simd
      for (int64_t j = 0; j < x.n; ++j) c[i * x.n + j] += x.a[i * x.k + p] * x.b[p * x.n + j];
  return c;
}

void add_to(matrix& c, const matrix& more) {
  for (size_t i = 0; i < c.size(); ++i) c[i] += more[i];
}

matrix halved(const product& x, int64_t from, int64_t to) {
  if (to - from <= 32) return one_by_one(x, from, to);
  auto middle = from + (to - from) / 2;
  auto c = halved(x, from, middle);
  add_to(c, halved(x, middle, to));
  return c;
}

matrix rounded(matrix x, float (*round)(float)) {
  std::ranges::transform(x, x.begin(), round);
  return x;
}

std::vector<matrix> split(const matrix& x, int parts, float (*round)(float)) {
  std::vector<matrix> found;
  auto rest = x;
  for (int i = 0; i < parts; ++i) {
    found.push_back(rounded(rest, round));
    for (size_t j = 0; j < rest.size(); ++j) rest[j] -= found.back()[j];
  }
  return found;
}

/// All products of parts whose numbers add up to less than `parts`; the small ones are added first.
matrix of_parts(const product& x, int parts, float (*round)(float)) {
  auto a = split(x.a, parts, round), b = split(x.b, parts, round);
  matrix c(static_cast<size_t>(x.m * x.n));
  for (int order = parts - 1; order >= 0; --order)
    for (int i = 0; i <= order; ++i) {
      product part{x.m, x.k, x.n, a[static_cast<size_t>(i)], b[static_cast<size_t>(order - i)]};
      add_to(c, one_by_one(part, 0, x.k));
    }
  return c;
}

/// Powers of two that bring each line's largest element to at most 2^7, so that no half overflows.
std::vector<int> exponents(const matrix& x, int64_t lines, int64_t length, int64_t line_step, int64_t step) {
  std::vector<int> found(static_cast<size_t>(lines));
  for (int64_t i = 0; i < lines; ++i) {
    float most = 0;
    for (int64_t j = 0; j < length; ++j) most = std::max(most, std::fabs(x[i * line_step + j * step]));
    found[static_cast<size_t>(i)] = most > 0 ? 7 - std::ilogb(most) - 1 : 0;
  }
  return found;
}

matrix of_scaled_halves(product x) {
  auto rows = exponents(x.a, x.m, x.k, x.k, 1), columns = exponents(x.b, x.n, x.k, 1, x.n);
  for (int64_t i = 0; i < x.m * x.k; ++i) x.a[i] = std::ldexp(x.a[i], rows[i / x.k]);
  for (int64_t i = 0; i < x.k * x.n; ++i) x.b[i] = std::ldexp(x.b[i], columns[i % x.n]);
  auto low = [](const matrix& whole, const matrix& high) {
    matrix rest(whole.size());
    for (size_t i = 0; i < rest.size(); ++i) rest[i] = to_fp16((whole[i] - high[i]) * 2048);
    return rest;
  };
  auto a = rounded(x.a, to_fp16), b = rounded(x.b, to_fp16);
  auto small = one_by_one({x.m, x.k, x.n, a, low(x.b, b)}, 0, x.k);
  add_to(small, one_by_one({x.m, x.k, x.n, low(x.a, a), b}, 0, x.k));
  auto c = one_by_one({x.m, x.k, x.n, a, b}, 0, x.k);
  for (int64_t i = 0; i < x.m * x.n; ++i) c[i] = std::ldexp(c[i] + small[i] / 2048, -rows[i / x.n] - columns[i % x.n]);
  return c;
}

// -- modes ------------------------------------------------------------------------------------------------------------

matrix simt(const product& x) { return one_by_one(x, 0, x.k); }
matrix pairwise(const product& x) { return halved(x, 0, x.k); }
matrix bf16x3(const product& x) { return of_parts(x, 3, to_bf16); }
matrix tf32x3(const product& x) { return of_parts(x, 2, to_tf32); }
matrix fp16x2(const product& x) { return of_scaled_halves(x); }
product with(const product& x, float (*round)(float)) {
  return {x.m, x.k, x.n, rounded(x.a, round), rounded(x.b, round)};
}
matrix tf32(const product& x) { return simt(with(x, to_tf32)); }
matrix fp16(const product& x) { return rounded(simt(with(x, to_fp16)), to_fp16); }
matrix bf16(const product& x) { return rounded(simt(with(x, to_bf16)), to_bf16); }

// -- operations -------------------------------------------------------------------------------------------------------

using mode = matrix (*)(const product&);
const float* data(tensors x, int i) { return static_cast<const float*>(x[i].data); }

/// From any strides to rows: at(i, j) is the element's place.
matrix rows(const float* x, int64_t m, int64_t n, const std::function<int64_t(int64_t, int64_t)>& at) {
  matrix found(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) found[i * n + j] = x[at(i, j)];
  return found;
}

matrix same(const float* x, int64_t size) { return {x, x + size}; }
matrix transposed(const float* x, int64_t m, int64_t n) {
  return rows(x, m, n, [=](int64_t i, int64_t j) { return j * m + i; });
}

void give(const matrix& c, tensors out, int64_t offset = 0) {
  std::memcpy(static_cast<float*>(out[0].data) + offset, c.data(), c.size() * 4);
}

void plain(tensors in, tensors out, mode run) {
  auto m = in[0].shape[0], k = in[0].shape[1], n = in[1].rank == 2 ? in[1].shape[1] : 1;
  give(run({m, k, n, same(data(in, 0), m * k), same(data(in, 1), k * n)}), out);
}

void left_transposed(tensors in, tensors out, mode run) {
  auto k = in[0].shape[0], m = in[0].shape[1], n = in[1].shape[1];
  give(run({m, k, n, transposed(data(in, 0), m, k), same(data(in, 1), k * n)}), out);
}

void right_transposed(tensors in, tensors out, mode run) {
  auto m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[0];
  give(run({m, k, n, same(data(in, 0), m * k), transposed(data(in, 1), k, n)}), out);
}

matrix linear_of(tensors in, mode run) {
  auto m = in[0].shape[0], k = in[0].shape[1], n = in[1].shape[0];
  auto c = run({m, k, n, same(data(in, 0), m * k), transposed(data(in, 1), k, n)});
  for (int64_t i = 0; i < m * n; ++i) c[i] += data(in, 2)[i % n];
  return c;
}

void linear(tensors in, tensors out, mode run) { give(linear_of(in, run), out); }

void linear_relu(tensors in, tensors out, mode run) {
  auto c = linear_of(in, run);
  for (auto& x : c) x = std::max(x, 0.f);
  give(c, out);
}

void batched(tensors in, tensors out, mode run) {
  auto m = in[0].shape[1], k = in[0].shape[2], n = in[1].shape[2];
  for (int64_t b = 0; b < in[0].shape[0]; ++b)
    give(run({m, k, n, same(data(in, 0) + b * m * k, m * k), same(data(in, 1) + b * k * n, k * n)}), out, b * m * n);
}

void gram(tensors in, tensors out, mode run) {
  auto m = in[0].shape[0], k = in[0].shape[1];
  give(run({m, k, m, same(data(in, 0), m * k), transposed(data(in, 0), k, m)}), out);
}

/// 3 by 3 without padding: a product of the weights with the image's windows.
void convolution(tensors in, tensors out, mode run) {
  auto channels = in[0].shape[1], h = in[0].shape[2], w = in[0].shape[3], o = in[1].shape[0];
  auto high = h - 2, wide = w - 2, k = channels * 9, n = high * wide;
  for (int64_t image = 0; image < in[0].shape[0]; ++image) {
    auto windows = rows(data(in, 0) + image * channels * h * w, k, n, [=](int64_t p, int64_t j) {
      return (p / 9 * h + j / wide + p % 9 / 3) * w + j % wide + p % 3;
    });
    give(run({o, k, n, same(data(in, 1), o * k), windows}), out, image * o * n);
  }
}

matrix scaled(matrix c, float factor) {
  for (auto& x : c) x *= factor;
  return c;
}

/// Sums over the last `k` elements of memory: a product with ones.
matrix sums(const float* x, int64_t m, int64_t k, mode run) {
  return run({m, k, 1, same(x, m * k), matrix(static_cast<size_t>(k), 1.f)});
}

void row_sums(tensors in, tensors out, mode run) { give(sums(data(in, 0), in[0].shape[0], in[0].shape[1], run), out); }

void row_means(tensors in, tensors out, mode run) {
  auto k = in[0].shape[1];
  give(scaled(sums(data(in, 0), in[0].shape[0], k, run), 1 / static_cast<float>(k)), out);
}

void column_means(tensors in, tensors out, mode run) {
  auto k = in[0].shape[0], m = in[0].shape[1];
  auto columns = transposed(data(in, 0), m, k);
  give(scaled(sums(columns.data(), m, k, run), 1 / static_cast<float>(k)), out);
}

void row_dots(tensors in, tensors out, mode run) {
  auto k = in[0].shape[1];
  for (int64_t r = 0; r < in[0].shape[0]; ++r)
    give(run({1, k, 1, same(data(in, 0) + r * k, k), same(data(in, 1) + r * k, k)}), out, r);
}

void image_means(tensors in, tensors out, mode run) {
  auto m = in[0].shape[0] * in[0].shape[1], k = in[0].shape[2] * in[0].shape[3];
  give(scaled(sums(data(in, 0), m, k, run), 1 / static_cast<float>(k)), out);
}

/// Means of windows of 8 by 8.
void window_means(tensors in, tensors out, mode run) {
  auto images = in[0].shape[0] * in[0].shape[1], h = in[0].shape[2], w = in[0].shape[3], wide = w / 8;
  auto windows = h / 8 * wide;
  auto x = rows(data(in, 0), images * windows, 64, [=](int64_t i, int64_t j) {
    auto window = i % windows;
    return i / windows * h * w + (window / wide * 8 + j / 8) * w + window % wide * 8 + j % 8;
  });
  give(scaled(sums(x.data(), images * windows, 64, run), 1 / 64.f), out);
}

/// Sums of rows weighted by a parameter.
void weighted_sums(tensors in, tensors out, mode run) {
  auto m = in[0].shape[0], k = in[0].shape[1];
  give(run({m, k, 1, same(data(in, 0), m * k), same(data(in, 1), k)}), out);
}

}  // namespace

#define KERNEL(op, mode)                                                                          \
  extern "C" int op##_##mode(tensors in, int32_t, tensors out, int32_t, int32_t threads, void*) { \
    op(in, out, mode);                                                                            \
    return threads < 1;                                                                           \
  }
#define KERNELS(op)    \
  KERNEL(op, simt)     \
  KERNEL(op, pairwise) \
  KERNEL(op, bf16x3) KERNEL(op, tf32x3) KERNEL(op, fp16x2) KERNEL(op, tf32) KERNEL(op, fp16) KERNEL(op, bf16)

KERNELS(plain)
KERNELS(left_transposed)
KERNELS(right_transposed)
KERNELS(linear)
KERNELS(linear_relu)
KERNELS(batched)
KERNELS(gram)
KERNELS(convolution)
KERNELS(row_sums)
KERNELS(row_means)
KERNELS(column_means)
KERNELS(row_dots)
KERNELS(image_means)
KERNELS(window_means)
KERNELS(weighted_sums)
