#pragma once
// What the figures of checked calls mean: the first rule that is broken, or nothing.

#include <optional>
#include <vector>

#include "messages/records/figures.hpp"
#include "messages/records/verdict.hpp"

namespace devices {

using finding = std::optional<messages::kernel_failure>;

/// Rules on one draw after the other; draws on which the reference is not finite don't count, and "perturbed" weights
/// have no say (see ignores_later_weights). A candidate that is right on the task's own draws and wrong on another one
/// is of class D.
finding judge_draws(const std::vector<messages::draw_figures>& draws, messages::failure_stage stage);

/// The largest error of draws that have a say as a share of what judge_draws allows: on the task's own draws of the
/// tolerance, on redraws of that or of what eager's arithmetic may err, whichever is kept better. Nothing where no
/// output may err at all.
std::optional<double> share_of_allowed(const std::vector<messages::draw_figures>& draws);

/// Do the draws show that the candidate computes with the weights that it has when it is built?
bool follows_weights(const std::vector<messages::draw_figures>& draws);

/// Is there nothing to compute: no output has an element?
bool is_empty(const std::vector<messages::draw_figures>& draws);

/// Is the reference finite often enough to judge at all?
finding judge_number(const std::vector<messages::draw_figures>& draws);

/// Right with the weights it was built with, wrong with those that were set after construction.
bool ignores_later_weights(const std::vector<messages::draw_figures>& draws);

}  // namespace devices
