#pragma once
// Convolutions, as rules read and write them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/algebra/rewriting.hpp"

namespace dsl::algebra {

/// A number a spatial dimension in each list.
struct convolution {
  std::string input, weight;
  std::string bias;  ///< empty: none
  std::vector<std::int64_t> stride, padding, dilation, output_padding;
  bool transposed = false;
  std::int64_t groups = 1;
};

/// Of one to three spatial dimensions in float32 or float64; nothing for other nodes.
std::optional<convolution> convolution_of(const graph_index& graph, const messages::graph_node& node);

std::string add_convolution(builder& make, const convolution& x, const messages::tensor_spec& output);

/// Part of a tensor along one dimension, [begin, end); the tensor itself where that is all of it.
std::string add_slice(builder& make, std::string_view of, std::size_t dim, std::int64_t begin, std::int64_t end);

/// Taps of a transposed convolution along one dimension that reach the output from the same inputs.
struct tap_group {
  std::int64_t begin = 0, end = 0;              ///< of the input
  std::int64_t first_tap = 0, behind_taps = 0;  ///< of the weight
};

/// Those that reach it at all, in the order of the taps.
std::vector<tap_group> tap_groups(const convolution& x, std::size_t spatial_dim, std::int64_t input, std::int64_t taps,
                                  std::int64_t output);

}  // namespace dsl::algebra
