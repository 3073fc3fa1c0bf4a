#pragma once
// Between which numbers the elements of a tensor lie, whatever the inputs are. NaN may be among them anyhow.

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "dsl/algebra/rewriting.hpp"

namespace dsl::algebra {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct range {
  double low = -infinity;
  double high = infinity;
};

/// Everything where nothing is known.
range range_of(const graph_index& graph, std::string_view tensor);

/// clamp, clamp_min, clamp_max, hardtanh and relu with plain numbers; NaN stays NaN.
struct clamp {
  std::string of;
  range to;  ///< low <= high
};
std::optional<clamp> clamp_of(const messages::graph_node& node);
std::optional<clamp> clamp_of(const graph_index& graph, std::string_view tensor);

}  // namespace dsl::algebra
