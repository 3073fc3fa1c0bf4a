#pragma once
// Tensors that a kernel walks by strides which are constants in its source, and memory for its rows.

#include "map_loop.hpp"

namespace km {

/// A tensor as it was planned.
struct lent_form {
  int32_t dtype;
  int32_t element_bytes;
  int32_t rank;
  const int64_t* shape;
  const int64_t* strides;  ///< no two elements at one place
  int64_t extent;          ///< elements of memory from the first to the last
};

/// An argument or output during a call: itself, or a copy with the planned strides where it has others.
class lent {
public:
  lent() = default;
  lent(const lent&) = delete;
  lent& operator=(const lent&) = delete;
  ~lent() {
    if (copy_ != nullptr && !is_read_) copy_strided(as_form(), given_data(), given_.strides, copy_, planned_->strides);
    free(copy_);
  }

  refusal open(const kernelmesh_tensor& x, const lent_form& planned, bool is_read) {
    if (x.dtype != planned.dtype) return wrong_dtype;
    if (x.rank != planned.rank) return wrong_shape;
    bool as_planned = true, empty = false;
    for (int32_t i = 0; i < x.rank; ++i) {
      if (x.shape[i] != planned.shape[i]) return wrong_shape;
      as_planned = as_planned && (x.shape[i] == 1 || x.strides[i] == planned.strides[i]);
      empty = empty || x.shape[i] == 0;
    }
    given_ = x;
    planned_ = &planned;
    is_read_ = is_read;
    if (as_planned || empty) return accepted;
    copy_ = static_cast<char*>(malloc(static_cast<size_t>(planned.extent * planned.element_bytes) + 64));
    if (copy_ == nullptr) return no_memory;
    if (is_read) copy_strided(as_form(), copy_, planned.strides, given_data(), x.strides);
    return accepted;
  }

  template <class T>
  T* data() const {
    return copy_ == nullptr ? static_cast<T*>(given_.data) : reinterpret_cast<T*>(copy_);
  }

private:
  char* given_data() const { return static_cast<char*>(given_.data); }
  form as_form() const {
    return {planned_->dtype, planned_->element_bytes, planned_->rank, planned_->shape, nullptr, nullptr, nullptr,
            nullptr};
  }

  kernelmesh_tensor given_{};
  const lent_form* planned_ = nullptr;
  char* copy_ = nullptr;
  bool is_read_ = true;
};

/// How far from index 0 an index lies.
template <int rank>
inline int64_t place(const int64_t (&steps)[rank], const int64_t* at) {
  int64_t sum = 0;
  for (int d = 0; d < rank; ++d) sum += steps[d] * at[d];
  return sum;
}

/// Splits a number into indices of the first `dimensions` sizes, the last of them innermost.
inline void split_index(int64_t n, const int64_t* sizes, int dimensions, int64_t* at) {
  for (int d = dimensions; d-- > 0; n /= sizes[d]) at[d] = n % sizes[d];
}

/// Memory for each thread; 64-byte aligned.
class thread_memory {
public:
  thread_memory(int threads, int64_t bytes)
      : each_((bytes + 127) / 128 * 128), all_(static_cast<char*>(malloc(static_cast<size_t>(each_ * threads + 64)))) {}
  thread_memory(const thread_memory&) = delete;
  thread_memory& operator=(const thread_memory&) = delete;
  ~thread_memory() { free(all_); }
  bool there() const { return all_ != nullptr; }

  template <class T>
  T* of(int thread) const {
    const auto first = (reinterpret_cast<uintptr_t>(all_) + 63) / 64 * 64;
    return reinterpret_cast<T*>(first + static_cast<uintptr_t>(each_ * thread));
  }

private:
  int64_t each_;
  char* all_;
};

}  // namespace km

#ifdef _OPENMP
extern "C" int omp_get_thread_num(void);
#endif
namespace km {
inline int thread_number() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}
}  // namespace km
