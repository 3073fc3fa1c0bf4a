#pragma once
// Pooling windows, as rules read and write them.

#include <optional>
#include <string>
#include <vector>

#include "dsl/algebra/rewriting.hpp"

namespace dsl::algebra {

struct pool {
  bool average = false;  ///< else a maximum
  std::string of;
  std::vector<std::int64_t> window;  ///< one number a spatial dimension, as in all of these
  std::vector<std::int64_t> stride;
};

/// avg_pool2d, avg_pool3d and the values of max_pool2d and max_pool3d whose windows lie inside: no padding, dilation,
/// ceil_mode or divisor of its own. float32 or float64.
std::optional<pool> pool_of(const graph_index& graph, const messages::graph_node& node);
std::optional<pool> pool_of(const graph_index& graph, std::string_view tensor);

std::string add_pool(builder& make, const pool& x, const messages::tensor_spec& output);

}  // namespace dsl::algebra
