#pragma once
// The verdict on a task with several shapes: one candidate has to be right on all of them, and is as fast as it is in
// the geometric mean. With one shape it is what verdict_rules.hpp says.

#include "devices/verdict_rules.hpp"
#include "messages/records/worker.hpp"

namespace devices {

/// Shape by shape in their order; the first that is rejected is the verdict, its shape in the message and in
/// details["shape"]. Passed: errors are the worst ones, the precision is the coarsest, draws and seeds stand in a row,
/// and the task is degenerate if it is so on every shape. Figures of fewer shapes than the task has, none of them
/// rejected, are a `failure`.
verify_conclusion conclude_shapes(const messages::verify_done& x, const messages::judge_options& options);

/// The same; times and ratios are geometric means over the shapes, with those of each beside them. The interval's ends
/// are the means of theirs.
time_conclusion conclude_shapes(const messages::time_done& x, const messages::judge_options& options,
                                double copy_bytes_per_second);

}  // namespace devices
