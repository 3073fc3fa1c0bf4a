#pragma once
// What a judge's figures mean. Pure: the same figures give the same verdict. Messages are one sentence for a person;
// details have the numbers.

#include <variant>

#include "messages/records/failure.hpp"
#include "messages/records/figures.hpp"
#include "messages/records/stage.hpp"
#include "messages/records/verdict.hpp"

namespace devices {

/// Figures from which nothing follows (times that don't pair, no draw at all) are a `failure`: the judge's fault, never
/// the candidate's.
using verify_conclusion = std::variant<messages::verified, messages::rejected, messages::failure>;
using time_conclusion = std::variant<messages::timed, messages::rejected, messages::failure>;

/// The rules in their order; the first that is broken is the verdict.
///
///   the candidate's end     `load_error` (anything but a limit, while loading), `crash`, `timeout`, `out_of_memory`
///   enough draws            `task_error`, where the reference is finite on fewer than 2; the others don't count
///   inputs untouched        `input_changed`, class A
///   number and type         `wrong_shape` with the counts or types in the message; how outputs are nested
///   dtype, shape, strides   `wrong_dtype`, `wrong_shape`, `wrong_strides`
///   NaN and infinities      `non_finite`, unless they are where the reference has them
///   values                  `wrong_values`, if any single element is over the tolerance; class D if the task's own
///                           draws are right; `replay`, class B, if they are those of an earlier call
///   outputs stay            `late_write`, class C
///   precision               `precision_downgrade`, class D (precision.hpp)
///   own work                `library_calls`, class E, unless they are allowed
///
/// Weights that were changed after construction reject nothing: `judging.weights` says "prepared_at_init".
verify_conclusion conclude(const messages::verify_figures& figures, const messages::judge_options& options);

/// As above for the timed calls that were checked; then
///
///   undisturbed             a failure, where eager is slower beside the candidate than before it was started
///   two clocks              `clock_mismatch`, class C: over a quarter of the work is done after *done*; less than that
///                           is counted as time of the candidate
///   time passes             `below_floor`, if the median is not above that of an empty candidate; a failure where
///                           that one's own noise is a quarter of eager's time. Where the task is so small that no time
///                           need be seen to pass, each call counts as long as what the clock can tell
///   physics                 `below_floor` under 95 % of the time that moving the bytes takes
///
/// and medians, paired ratios and noise, without pairs in which a baseline's call seems to have taken next to nothing:
/// where they are more than a half, a failure. The candidate's such calls count as its median.
/// @param copy_bytes_per_second of the device, for the share of the roofline; 0: not known
time_conclusion conclude(messages::time_figures figures, const messages::judge_options& options,
                         double copy_bytes_per_second);

}  // namespace devices
