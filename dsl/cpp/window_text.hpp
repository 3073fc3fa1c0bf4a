#pragma once
// What recipes over windows have in common: their index space and the keys of their templates.

#include "dsl/cpp/anchored_text.hpp"
#include "dsl/window.hpp"

namespace dsl::cpp {

/// A space [batch, channel, up to three dimensions of a window] as outer, channel, depth, height, width. Without a
/// batch, outer is 1.
to_kernel_space five_dimensions(bool has_batch);

/// Keys depth, height, width, tile, rows.
void add_window(template_data& data, const window_axes& axes, const messages::knob_values& knobs);

}  // namespace dsl::cpp
