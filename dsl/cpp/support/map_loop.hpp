#pragma once
// What is the same in every map kernel: arguments are held against what was planned, rows are walked, results are
// written past the cache. Sizes and strides count elements.

#include <stdlib.h>

#include "elements.hpp"
#include "kernelmesh_abi.h"

namespace km {

/// What kernelmesh_run returns for what it can't do.
enum refusal { accepted = 0, wrong_count = 1, wrong_dtype = 2, wrong_shape = 3, no_memory = 4 };

/// A tensor as it was planned. `steps` are strides along the dimensions of the loop, 0 where the tensor is repeated.
struct form {
  int32_t dtype;
  int32_t element_bytes;
  int32_t rank;
  const int64_t* shape;
  const int64_t* strides;
  const int64_t* steps;
  const int64_t* dense_strides;  ///< of a copy without gaps, where the strides are not as planned
  const int64_t* dense_steps;
};

inline int64_t elements(const form& x) {
  int64_t count = 1;
  for (int32_t i = 0; i < x.rank; ++i) count *= x.shape[i];
  return count;
}

/// From the first element of the dense copy to behind the last.
inline int64_t dense_extent(const form& x) {
  int64_t last = 1;
  for (int32_t i = 0; i < x.rank; ++i) last += (x.shape[i] > 0 ? x.shape[i] - 1 : 0) * x.dense_strides[i];
  return last;
}

/// Copies all elements, whatever the strides.
inline void copy_strided(const form& x, char* to, const int64_t* to_strides, const char* from,
                         const int64_t* from_strides) {
  const int64_t count = elements(x);
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, to_at = 0, from_at = 0;
    for (int32_t i = x.rank; i-- > 0; rest /= x.shape[i]) {
      to_at += rest % x.shape[i] * to_strides[i];
      from_at += rest % x.shape[i] * from_strides[i];
    }
    __builtin_memcpy(to + to_at * x.element_bytes, from + from_at * x.element_bytes,
                     static_cast<size_t>(x.element_bytes));
  }
}

/// An argument or output during a call: itself, or a dense copy where its strides are not as planned.
class operand {
public:
  operand() = default;
  operand(const operand&) = delete;
  operand& operator=(const operand&) = delete;
  ~operand() { free(copy_); }

  refusal open(const kernelmesh_tensor& x, const form& planned, bool is_read) {
    if (x.dtype != planned.dtype) return wrong_dtype;
    if (x.rank != planned.rank) return wrong_shape;
    bool as_planned = true;
    for (int32_t i = 0; i < x.rank; ++i) {
      if (x.shape[i] != planned.shape[i]) return wrong_shape;
      as_planned = as_planned && (x.shape[i] == 1 || x.strides[i] == planned.strides[i]);
    }
    given_ = x;
    planned_ = &planned;
    if (as_planned) return accepted;
    copy_ = static_cast<char*>(malloc(static_cast<size_t>(dense_extent(planned) * planned.element_bytes) + 64));
    if (copy_ == nullptr) return no_memory;
    if (is_read) copy_strided(planned, copy_, planned.dense_strides, static_cast<char*>(x.data), x.strides);
    return accepted;
  }

  /// Moves as planned, but has no memory: its place is all that counts.
  void stand(const form& planned) { planned_ = &planned; }

  /// Of an output, at the end.
  void write_back() {
    if (copy_ == nullptr) return;
    copy_strided(*planned_, static_cast<char*>(given_.data), given_.strides, copy_, planned_->dense_strides);
  }

  template <class T>
  T* data() const {
    return copy_ == nullptr ? static_cast<T*>(given_.data) : reinterpret_cast<T*>(copy_);
  }
  int64_t step(int dimension) const { return steps()[dimension]; }
  const int64_t* steps() const { return copy_ == nullptr ? planned_->steps : planned_->dense_steps; }

private:
  kernelmesh_tensor given_{};
  const form* planned_ = nullptr;
  char* copy_ = nullptr;
};

/// Where the tensors stand at a row of the loop: all dimensions but the last.
template <int rank, int tensors>
class row_walk {
public:
  row_walk(const int64_t* sizes, const operand* operands, int64_t row) : sizes_(sizes), operands_(operands) {
    for (int t = 0; t < tensors; ++t) offsets[t] = 0;
    for (int d = rank - 2; d >= 0; --d) {
      index_[d] = row % sizes[d];
      row /= sizes[d];
      for (int t = 0; t < tensors; ++t) offsets[t] += index_[d] * operands[t].step(d);
    }
  }

  void next() {
    for (int d = rank - 2; d >= 0; --d) {
      for (int t = 0; t < tensors; ++t) offsets[t] += operands_[t].step(d);
      if (++index_[d] < sizes_[d]) return;
      index_[d] = 0;
      for (int t = 0; t < tensors; ++t) offsets[t] -= sizes_[d] * operands_[t].step(d);
    }
  }

  int64_t offsets[tensors];

private:
  const int64_t* sizes_;
  const operand* operands_;
  int64_t index_[rank];
};

constexpr int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

// -- streaming stores -------------------------------------------------------------------------------------------------

#if defined(__AVX512F__)
typedef long long wide __attribute__((vector_size(64)));
inline void store_past_cache(wide* to, wide x) { __builtin_ia32_movntdq512(to, x); }
#elif defined(__AVX__)
typedef long long wide __attribute__((vector_size(32)));
inline void store_past_cache(wide* to, wide x) { __builtin_ia32_movntdq256(to, x); }
#elif defined(__SSE2__)
typedef long long wide __attribute__((vector_size(16)));
inline void store_past_cache(wide* to, wide x) { __builtin_ia32_movntdq(to, x); }
#endif

/// Memory that the loop only writes need not be read into the cache first: a third of a map's traffic. Whole vectors
/// go past the cache, unaligned ends through it.
inline void stream(void* to, const void* from, int64_t bytes) {
  char* out = static_cast<char*>(to);
  const char* in = static_cast<const char*>(from);
#if defined(__SSE2__)
  const int64_t head = lesser(-reinterpret_cast<intptr_t>(out) & static_cast<int64_t>(sizeof(wide) - 1), bytes);
  __builtin_memcpy(out, in, static_cast<size_t>(head));
  out += head, in += head, bytes -= head;
  for (; bytes >= static_cast<int64_t>(sizeof(wide)); bytes -= static_cast<int64_t>(sizeof(wide))) {
    wide x;
    __builtin_memcpy(&x, in, sizeof x);
    store_past_cache(reinterpret_cast<wide*>(out), x);
    out += sizeof(wide), in += sizeof(wide);
  }
#endif
  __builtin_memcpy(out, in, static_cast<size_t>(bytes));
}

/// Asks for memory that will be read soon, so that it arrives while results are streamed out.
inline void prefetch(const void* from, int64_t bytes) {
  const char* at = static_cast<const char*>(from);
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i, 0, 2);
}

/// Makes streamed results visible to other threads; each thread that streamed calls it at its end.
inline void end_stream() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

// -- memory between two groups ----------------------------------------------------------------------------------------

class scratch {
public:
  scratch(int32_t dtype, int32_t rank, const int64_t* shape, const int64_t* strides, int64_t bytes)
      : memory_(malloc(static_cast<size_t>(bytes) + 64)), tensor_{memory_, shape, strides, rank, dtype} {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { free(memory_); }
  bool there() const { return memory_ != nullptr; }
  const kernelmesh_tensor& tensor() const { return tensor_; }

private:
  void* memory_;
  kernelmesh_tensor tensor_;
};

}  // namespace km
