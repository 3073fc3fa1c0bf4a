#include "dsl/cpp/window_text.hpp"

#include <algorithm>

#include "dsl/cpp/knob_values.hpp"
#include "dsl/cpp/text.hpp"

namespace dsl::cpp {

namespace {

std::string axis_text(const window_axis& x) {
  return list_of({x.size, x.stride, x.padding, x.dilation, x.input, x.output});
}

}  // namespace

to_kernel_space five_dimensions(bool has_batch) {
  return [has_batch](const view& x) {
    auto lead = static_cast<std::ptrdiff_t>(has_batch ? 2 : 1);
    shape to(x.shape.begin(), x.shape.begin() + lead);
    if (!has_batch) to.insert(to.begin(), 1);
    to.resize(5 - (x.shape.size() - static_cast<std::size_t>(lead)), 1);
    to.insert(to.end(), x.shape.begin() + lead, x.shape.end());
    return reshape(x, to);
  };
}

void add_window(template_data& data, const window_axes& axes, const messages::knob_values& knobs) {
  data.set("depth", axis_text(axes[0]));
  data.set("height", axis_text(axes[1]));
  data.set("width", axis_text(axes[2]));
  data.set("tile", std::to_string(std::min(whole_knob(knobs, "tile"), std::max<std::int64_t>(axes[2].output, 1))));
  data.set("rows", std::to_string(whole_knob(knobs, "rows")));
}

}  // namespace dsl::cpp
