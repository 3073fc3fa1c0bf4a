#pragma once
// Products with a number and sums with one, whichever of ATen's operators they are written with.

#include <optional>
#include <string>
#include <string_view>

#include "dsl/algebra/rewriting.hpp"

namespace dsl::algebra {

/// factor * of, in float32 or float64.
struct scale {
  std::string of;
  double factor = 1;
};
std::optional<scale> scale_of(const messages::graph_node& node);
std::optional<scale> scale_of(const graph_index& graph, std::string_view tensor);
std::string add_scale(builder& make, const scale& x, const messages::tensor_spec& output);

/// Neither it nor a few of its products leave the range of float32.
bool is_ordinary(double factor);

/// of + by.
struct shift {
  std::string of;
  double by = 0;
};
std::optional<shift> shift_of(const messages::graph_node& node);
std::optional<shift> shift_of(const graph_index& graph, std::string_view tensor);

}  // namespace dsl::algebra
