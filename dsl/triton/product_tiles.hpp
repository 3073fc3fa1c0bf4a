#pragma once
// How programs share a product: tiles of the result, the way in which float32 is kept on tensor cores, and sizes of the
// planes that this needs.

#include "dsl/matmul.hpp"
#include "messages/records/device.hpp"
#include "messages/records/plan.hpp"

namespace dsl::triton {

/// How numbers are multiplied.
enum class scheme : std::uint8_t {
  native,  ///< as they are: halves
  ieee,    ///< each product in the type itself
  split,   ///< Triton's own sums of narrower products: tf32x3, bf16x3, bf16x6
  planes,  ///< two float16 planes an operand, with a power of two for each row and column
};

struct product_tiles {
  scheme how = scheme::ieee;
  std::string precision;  ///< of tl.dot: "ieee", "tf32x3", ...
  std::int64_t m = 64, n = 64, k = 32;
  std::int64_t warps = 4, stages = 3;
  bool descriptors = false;  ///< planes are read through tensor descriptors

  std::int64_t rows = 0, columns = 0, depth = 0;  ///< of planes: padded to whole tiles, so that loads need no mask
  std::int64_t programs = 1;                      ///< for all of the batch
};

/// What both operands are.
struct product_operands {
  messages::dtype compute = messages::dtype::float32;
  bool halves = false;   ///< of a type of 16 bits, and read as they are
  bool along_k = false;  ///< neighbours in memory are neighbours along k
};

product_tiles tile(const matmul& x, const product_operands& of, const messages::knob_values& knobs,
                   const messages::device_info& device);

}  // namespace dsl::triton
