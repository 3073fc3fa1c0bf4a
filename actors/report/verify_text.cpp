#include <fmt/format.h>

#include <cstdlib>

#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/table.hpp"
#include "actors/report/text.hpp"

namespace actors::report {

using namespace messages;

namespace {

using lines = std::vector<labelled>;

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const auto& part : parts)
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  return out;
}

// -- what was judged --------------------------------------------------------------------------------------------------

std::string subject_of(const verify_document& x) {
  auto dsl = x.dsl.empty() ? "" : " (" + clean_line(x.dsl, 40) + ")";
  return clean_line(x.candidate, 200) + dsl + " for " + clean_line(x.task, 60) + " on " + clean_line(x.device, 40);
}

std::string heading(const verify_document& x) {
  if (x.failure) return "FAILED: " + name_of(*x.failure);
  return x.verdict == overall_verdict::passed ? "PASSED" : "NOT JUDGED";
}

// -- what was found ---------------------------------------------------------------------------------------------------

/// In so few elements that another draw may show nothing.
bool is_rare(const kernel_failure& x) {
  auto bad = x.details.find("bad_elements"), all = x.details.find("elements");
  if (bad == x.details.end() || all == x.details.end()) return false;
  return 100 * std::strtod(bad->second.c_str(), nullptr) < std::strtod(all->second.c_str(), nullptr);
}

/// Nobody can ask for the same draws: seeds are chosen when a candidate is there.
std::string way_to_reproduce(const kernel_failure& x) {
  if (x.stage == failure_stage::time) return "run it again: seeds and the order of calls will be new";
  if (x.kind == failure_kind::library_calls) return "run it again; --allow-library-calls lets such work pass";
  if (!x.details.contains("seed") || !is_rare(x)) return "run it again with --no-time";
  return "run it again with --no-time --draws 50: each kind with new seeds";
}

lines evidence_block(const verify_document& x) {
  lines out;
  if (x.failure) {
    for (const auto& line : evidence_of(*x.failure)) out.push_back({out.empty() ? "evidence" : "", line});
    out.push_back({"reproduce", way_to_reproduce(*x.failure)});
  }
  if (!x.problem.empty()) out.push_back({"problem", clean_line(x.problem)});
  return out;
}

std::string precision_line(const verify_document& x) {
  std::vector<std::string> parts;
  if (!x.dtype.empty()) parts.push_back("judged in " + clean_line(x.dtype, 60));
  if (!x.precision.empty() && x.precision != "none") parts.push_back(clean_line(x.precision, 40));
  if (!x.weights.empty()) parts.push_back("weights " + weights_text(x.weights));
  return joined(parts);
}

std::string own_work_line(const verify_document& x) {
  if (auto calls = library_text(x); !calls.empty()) return "calls " + calls;
  if (x.timing && x.timing->own_kernel_share) return share_text(*x.timing->own_kernel_share) + " of its time";
  return {};
}

// -- how fast it is ---------------------------------------------------------------------------------------------------

/// "2.376-2.424 ms": one unit for both where it is the same.
std::string short_interval(const distribution& x) {
  auto low = duration_text(x.low), high = duration_text(x.high);
  auto unit = low.substr(low.find(' '));
  if (high.ends_with(unit)) low.resize(low.size() - unit.size());
  return low + "-" + high;
}

std::string times_text(const distribution& x) {
  return fmt::format("{} ({})", duration_text(x.median), short_interval(x));
}

/// The ratio is not that of the two medians that stand beside it.
std::string baseline_line(const distribution& times, const ratio& speedup, const speedup_grounds& grounds) {
  return fmt::format("{}: {} ({:.2f}-{:.2f}, median of pairs), {}", times_text(times), ratio_text(speedup.value),
                     speedup.low, speedup.high, standing_of(speedup, grounds));
}

lines timing_block(const timing& x, const speedup_grounds& grounds) {
  auto roofline = roofline_text(x);
  lines out{{"time", times_text(x.candidate_ms) + (roofline.empty() ? "" : ", " + roofline)},
            {"eager", baseline_line(x.eager_ms, x.speedup_eager, grounds)}};
  if (x.compile_ms && x.speedup_compile)
    out.push_back({"compile", baseline_line(*x.compile_ms, *x.speedup_compile, grounds)});
  for (auto& line : shapes_of(x)) out.push_back(std::move(line));
  return out;
}

/// Where times don't name them.
std::string shapes_line(const verify_document& x) {
  std::string text;
  for (const auto& shape : x.timing ? std::vector<std::string>{} : x.shapes)
    text += (text.empty() ? "" : "; ") + clean_line(shape, 80);
  return text;
}

// -- under which conditions -------------------------------------------------------------------------------------------

bool reached_a_judge(const verify_document& x) { return !x.seeds.empty() || !x.environment.torch.empty(); }

std::string judged_line(const verify_document& x) {
  auto policy = "policy " + clean_line(x.policy, 40);
  if (!reached_a_judge(x)) return policy;
  std::vector<std::string> parts{clean_line(x.tier, 40), "sandbox " + clean_line(x.sandbox, 40), policy};
  if (x.timing) parts.push_back("A/A noise " + share_text(x.timing->aa_noise));
  return joined(parts);
}

std::string machine_line(const environment& x) {
  auto torch = x.torch.empty() ? "" : "torch " + clean_line(x.torch, 40);
  return joined({clean_line(x.device_model, 60), clean_line(x.driver, 40), torch, clean_line(x.toolchain, 40)});
}

std::string seconds_line(const stage_seconds& x) {
  std::vector<std::string> parts;
  auto add = [&](const char* what, double spent) {
    if (spent > 0) parts.push_back(what + seconds_text(spent));
  };
  add("waiting for workers ", x.queue);
  add("compile ", x.compile);
  add("verify ", x.verify);
  add("time ", x.time);
  return seconds_text(x.total) + (parts.empty() ? "" : ": " + joined(parts));
}

}  // namespace

std::string text_of(const verify_document& x) {
  lines out{{"candidate", subject_of(x)}};
  auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) out.push_back({label, text});
  };
  auto append = [&](const lines& more) { out.insert(out.end(), more.begin(), more.end()); };
  append(evidence_block(x));
  if (x.degenerate_task) add("degenerate", degenerate_sentence());
  add("shapes", shapes_line(x));
  add("draws", draws_text(x));
  if (x.error) add("error", sentence_of(*x.error));
  add("precision", precision_line(x));
  add("own work", own_work_line(x));
  if (x.timing) append(timing_block(*x.timing, {x.timing->aa_noise, x.degenerate_task}));
  add("conditions", judged_line(x));
  add("hosted", hosted_text(x));
  add("machine", machine_line(x.environment));
  add("missing", joined(not_measured(x)));
  add("seconds", seconds_line(x.seconds));
  return heading(x) + '\n' + block_text(out);
}

}  // namespace actors::report
