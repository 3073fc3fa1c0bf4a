#pragma once
// Windows that slide over the last one to three dimensions of a tensor: pools and depthwise convolutions.

#include <array>
#include <cstdint>
#include <optional>

#include "dsl/anchored.hpp"

namespace dsl {

/// One dimension: output o reads input o * stride - padding + k * dilation for k in [0, size), where that is inside.
struct window_axis {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t input = 1;
  std::int64_t output = 1;

  friend bool operator==(const window_axis&, const window_axis&) = default;
};

/// Depth, height, width; those that a node lacks are as above.
using window_axes = std::array<window_axis, 3>;

enum class pool_kind : std::uint8_t { max, average };

struct pool {
  pool_kind kind = pool_kind::max;
  window_axes axes;
  bool counts_padding = true;           ///< of averages: padding counts as elements of value 0
  std::optional<std::int64_t> divisor;  ///< of averages: divides by this instead of the number of elements
};

/// max_pool2d_with_indices (its values), max_pool3d_with_indices, avg_pool2d, avg_pool3d, and _adaptive_avg_pool2d and
/// _adaptive_avg_pool3d where all windows are equal. Refused (`bad_input`): all else.
messages::expected<pool> parse_pool(const graph_index& index, const messages::graph_node& node);

/// What the elements of an average are divided by along one dimension, for output o.
std::int64_t divisor_along(const window_axis& axis, std::int64_t o, bool counts_padding);

struct depthwise {
  window_axes axes;
  std::int64_t multiplier = 1;  ///< output channels an input channel
  bool has_bias = false;
};

/// aten.convolution with as many groups as input channels, not transposed, in one to three dimensions and with a batch.
messages::expected<depthwise> parse_depthwise(const graph_index& index, const messages::graph_node& node);

}  // namespace dsl
