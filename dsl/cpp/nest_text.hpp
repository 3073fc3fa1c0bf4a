#pragma once
// A reduction's layout as what its template is filled with.

#include "dsl/cpp/nest_layout.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

/// Which tensors the kernel gets, in the order of its arguments and outputs.
struct nest_interface {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
};
nest_interface interface_of(const reduction_nest& x, const graph_index& graph);

/// All keys of the template but name and summary.
template_data nest_data(const nest_layout& layout, const nest_interface& interface, const messages::knob_values& knobs);

}  // namespace dsl::cpp
