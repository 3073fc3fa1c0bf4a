#pragma once
// What is said of a judged candidate, the same on a page and on a terminal. All of it is clean.

#include <string>
#include <vector>

#include "actors/report/numbers.hpp"
#include "messages/records/documents.hpp"
#include "messages/records/worker.hpp"

namespace actors::report {

/// A label and what stands beside it.
struct labelled {
  std::string label;
  std::string text;
  bool whole = false;  ///< a path, to be copied: it stays on one line

  void fields(auto& f) {
    f("label", label);
    f("text", text);
  }
  friend bool operator==(const labelled&, const labelled&) = default;
};

/// "wrong_values in verify, class D (right on easy inputs only)".
std::string name_of(const messages::kernel_failure& x);

/// The message and what of the details bears it out: three lines at most.
std::vector<std::string> evidence_of(const messages::kernel_failure& x);

/// "2.1 % of what is allowed; worst 1.2e-07 (relative 3e-06), eager 1.1e-07, tolerance 0.0001 x (1 + |value|)": errors
/// against the oracle.
std::string sentence_of(const messages::error_summary& x);

/// Candidate, eager and torch.compile: median, interval, samples; "not measured" where there is none.
std::vector<labelled> times_of(const messages::timing& x);

/// Over eager and over torch.compile, with intervals.
std::vector<labelled> speedups_of(const messages::timing& x, const speedup_grounds& grounds);

/// A line for each shape of a task that has several.
std::vector<labelled> shapes_of(const messages::timing& x);

/// "5 calls: own x2, signed, scaled down, one changed"; empty where it did not come to that.
std::string draws_text(const messages::verify_document& x);

/// The same with the seeds.
std::vector<labelled> draws_of(const messages::verify_document& x);

/// "aten::mm, aten::add (library work, allowed)"; empty where it calls none or was refused for it.
std::string library_text(const messages::verify_document& x);

/// Of `weights`: "any", "prepared at init: later changes are not seen".
std::string weights_text(const std::string& x);

/// What a degenerate task is.
std::string degenerate_sentence();

/// Why it is not sealed, where it might have been; else empty.
std::string hosted_text(const messages::verify_document& x);

/// Which clock the times are by.
std::string clock_text(const messages::timing& x);

/// How it was judged: tier, clock, sandbox, policy, precision, weights. Only the policy where no judge saw it.
std::vector<labelled> conditions_of(const messages::verify_document& x);

/// Device, driver, versions; what is not known is left out.
std::vector<labelled> environment_of(const messages::environment& x);

/// What a reader might take for granted and was not measured here.
std::vector<std::string> not_measured(const messages::verify_document& x);

/// "memory: memory is busy to 81 %, the SMs to 20 %"; from what that is and what was missing; its kernels, a line each
/// where there are several.
std::vector<labelled> bottleneck_of(const messages::profiled& x);

/// "copies 19.6 GB/s, multiplies and adds 90 GFLOP/s, measured ... on ...", in the words of data sheets; of a busy
/// machine with what makes it doubtful and the remedy.
/// @param measure the command that measures anew, as it is to be typed
std::string text_of(const messages::calibration& x, const std::string& measure = "`kernelmesh doctor --measure`");

/// "roofline" -> "at the roofline: as fast as asked"; an unknown word stays as it is.
std::string reason_of(const std::string& stopped_by);

}  // namespace actors::report
