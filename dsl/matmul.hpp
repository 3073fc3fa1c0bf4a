#pragma once
// Products of matrices, one or a batch of them.

#include <cstdint>

#include "dsl/anchored.hpp"

namespace dsl {

enum class triangle : std::uint8_t { none, upper, lower };

/// result[b, m, n] = alpha * sum over k of left[b, m, k] * right[b, k, n] + beta * added[b, m, n], zero outside of the
/// triangle. `core.inputs` are left, right, and added if `adds`; added broadcasts to the result. Without a batch the
/// tensors lack b.
struct matmul {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool has_batch = false;
  bool adds = false;
  double alpha = 1, beta = 1;
  dsl::triangle triangle = triangle::none;
  std::int64_t diagonal = 0;  ///< of the triangle: column - row of its edge
  dsl::core core;
};

/// The only product among the nodes: mm, bmm, addmm, baddbmm, with a triu or tril that is all that uses it. Refused
/// (`bad_input`): all else, and products of integers.
messages::expected<matmul> find_matmul(const graph_index& index, std::span<const std::string> nodes);

}  // namespace dsl
