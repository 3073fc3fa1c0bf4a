#pragma once
// A reduction's layout as what its template is filled with.

#include "dsl/cpp/nest_layout.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

/// All keys of the template but name and summary.
template_data nest_data(const nest_layout& layout, const nest_interface& interface, const messages::knob_values& knobs);

}  // namespace dsl::cpp
