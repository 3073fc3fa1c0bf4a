#pragma once
// How the loop over an element-wise computation runs: as few dimensions as all tensors allow, the innermost where the
// first result is contiguous. All sizes and strides count elements.

#include <cstdint>
#include <vector>

#include "dsl/expression.hpp"
#include "messages/records/tensor.hpp"

namespace dsl {

/// How a tensor moves along the innermost dimension.
enum class motion : std::uint8_t { unit, repeated, strided };

struct map_tensor {
  messages::tensor_spec spec;
  std::vector<std::int64_t> steps;          ///< along the loop's dimensions, of the planned strides
  std::vector<std::int64_t> dense_strides;  ///< of a copy without gaps, in the tensor's own dimensions
  std::vector<std::int64_t> dense_steps;    ///< the same along the loop's dimensions
  motion inner = motion::unit;
};

struct map_layout {
  std::vector<std::int64_t> sizes;  ///< at least one
  std::int64_t count = 1;           ///< elements of a result; 0 where there is nothing to do (sizes is {1} then)
  std::vector<map_tensor> operands;
  std::vector<map_tensor> results;
};

map_layout lay_out(const pointwise& x);

/// Whether a recipe of element-wise chains can compute these nodes.
messages::expected<void> covers_map(const graph_index& graph, std::span<const std::string> nodes);

}  // namespace dsl
