#ifndef KERNELMESH_MESSAGES_RECORDS_TENSOR_HPP
#define KERNELMESH_MESSAGES_RECORDS_TENSOR_HPP
// What a tensor looks like, as torch says it.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace messages {

/// Append only. Names are torch's, without "torch.".
enum class dtype : std::uint8_t {
  float32,
  float16,
  bfloat16,
  float64,
  int64,
  int32,
  int16,
  int8,
  uint8,
  boolean,
  complex64,  ///< of tensors on the way alone: no kernel computes with them
  complex128,
};

constexpr auto enum_names(dtype) {
  return std::to_array<std::string_view>({"float32", "float16", "bfloat16", "float64", "int64", "int32", "int16",
                                          "int8", "uint8", "bool", "complex64", "complex128"});
}

constexpr std::uint64_t bytes_of(dtype x) {
  constexpr std::array<std::uint64_t, 12> sizes{4, 2, 2, 8, 8, 4, 2, 1, 1, 1, 8, 16};
  return sizes[static_cast<std::size_t>(x)];
}

constexpr bool is_floating(dtype x) {
  return x == dtype::float32 || x == dtype::float16 || x == dtype::bfloat16 || x == dtype::float64;
}

/// Of any width, with a sign or without; no truths.
constexpr bool is_integer(dtype x) { return x >= dtype::int64 && x <= dtype::uint8; }

constexpr bool is_complex(dtype x) { return x == dtype::complex64 || x == dtype::complex128; }

struct tensor_spec {
  messages::dtype dtype = dtype::float32;
  std::vector<std::int64_t> shape;    ///< empty: rank 0
  std::vector<std::int64_t> strides;  ///< in elements, one for each dimension

  void fields(auto& f) {
    f("dtype", dtype);
    f("shape", shape);
    f("strides", strides);
  }
  friend bool operator==(const tensor_spec&, const tensor_spec&) = default;
};

}  // namespace messages

#endif
