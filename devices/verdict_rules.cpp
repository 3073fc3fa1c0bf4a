#include "devices/verdict_rules.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "devices/clock_rules.hpp"
#include "devices/draw_rules.hpp"
#include "devices/precision.hpp"
#include "devices/sample_statistics.hpp"

namespace devices {

using messages::candidate_end;
using messages::failure_code;
using messages::failure_kind;
using messages::failure_stage;
using messages::kernel_failure;

namespace {

// -- how the process fared --------------------------------------------------------------------------------------------

failure_stage stage_of(std::string_view phase) {
  if (phase == "load") return failure_stage::load;
  return phase == "time" ? failure_stage::time : failure_stage::verify;
}

failure_kind kind_of(const messages::candidate_fate& fate) {
  if (fate.end == candidate_end::timed_out) return failure_kind::timeout;
  if (fate.end == candidate_end::out_of_memory) return failure_kind::out_of_memory;
  if (fate.end == candidate_end::tampered) return failure_kind::tampering;
  return fate.phase == "load" ? failure_kind::load_error : failure_kind::crash;
}

std::string_view activity(std::string_view phase) {
  if (phase == "load") return "while it was loaded";
  return phase == "time" ? "while it was timed" : "in a checked call";
}

std::string sentence_of(const messages::candidate_fate& fate) {
  auto when = activity(fate.phase);
  auto first_line = fate.message.substr(0, fate.message.find('\n'));
  auto said = first_line.empty() ? "" : ": " + first_line;
  switch (fate.end) {
    case candidate_end::raised: return fmt::format("The candidate raised an error {}{}", when, said);
    case candidate_end::exited: return fmt::format("The candidate exited {} with code {}{}", when, fate.code, said);
    case candidate_end::killed: return fmt::format("The candidate died {} of signal {}{}", when, fate.code, said);
    case candidate_end::timed_out: return fmt::format("The candidate did not answer in time {}{}", when, said);
    case candidate_end::out_of_memory: return fmt::format("The candidate ran out of memory {}{}", when, said);
    case candidate_end::tampered: return fmt::format("The candidate tampered with what watches it{}", said);
    case candidate_end::finished: break;
  }
  return "The candidate finished";
}

finding judge_fate(const messages::candidate_fate& fate) {
  if (fate.end == candidate_end::finished) return std::nullopt;
  kernel_failure x{.stage = stage_of(fate.phase), .kind = kind_of(fate), .message = sentence_of(fate)};
  if (fate.end == candidate_end::tampered) x.cheat_class = "F";
  x.details["phase"] = fate.phase;
  if (fate.end == candidate_end::exited) x.details["exit_code"] = std::to_string(fate.code);
  if (fate.end == candidate_end::killed) x.details["signal"] = std::to_string(fate.code);
  if (!fate.message.empty()) x.details["text"] = fate.message;
  return x;
}

// -- what goes beside a verdict ---------------------------------------------------------------------------------------

messages::error_summary summary_of(const std::vector<messages::draw_figures>& draws, double tolerance) {
  messages::error_summary worst{.tolerance = tolerance, .of_allowed = share_of_allowed(draws)};
  for (const auto& draw : draws)
    if (draw.finite)
      for (const auto& x : draw.outputs) {
        worst.max_abs = std::max(worst.max_abs, x.max_abs);
        worst.max_rel = std::max(worst.max_rel, x.max_rel);
        worst.reference_max_abs = std::max(worst.reference_max_abs, x.eager_max_abs);
      }
  return worst;
}

bool has_outputs(const std::vector<messages::draw_figures>& draws) {
  return std::ranges::any_of(draws, [](const auto& x) { return x.finite && !x.outputs.empty(); });
}

template <class Figures>
messages::judging judging_of(const Figures& figures, const std::vector<messages::draw_figures>& draws,
                             const messages::judge_options& options) {
  messages::judging x{.tier = figures.tier,
                      .why_hosted = figures.why_hosted,
                      .sandbox = figures.sandbox,
                      .policy = options.policy,
                      .dtype = figures.dtype,
                      .environment = figures.environment};
  for (const auto& draw : draws) {
    x.seeds.push_back(draw.seed);
    x.draws.push_back(draw.weights != "given" ? draw.weights : draw.probe.empty() ? draw.kind : draw.probe);
  }
  return x;
}

/// Who is wrong with weights of another seed too has not prepared his own: they have no part in what he computes.
std::string weights_of(const std::vector<messages::draw_figures>& draws) {
  auto perturbed = [](const auto& draw) { return draw.finite && draw.weights == "perturbed"; };
  if (std::ranges::none_of(draws, perturbed)) return {};
  if (!ignores_later_weights(draws)) return "any";
  return follows_weights(draws) ? "prepared_at_init" : "";
}

messages::judging judging_of(const messages::verify_figures& figures, const messages::judge_options& options) {
  auto x = judging_of(figures, figures.draws, options);
  x.precision = precision_of(figures.draws).name;
  x.degenerate_task = !figures.degenerate.empty() || (!figures.draws.empty() && is_empty(figures.draws));
  x.weights = weights_of(figures.draws);
  if (figures.library) x.library = figures.library->calls;
  return x;
}

// -- precision and libraries ------------------------------------------------------------------------------------------

/// As fine as the reference computes: nothing else is allowed on a device whose eager has one precision only.
finding judge_precision(const std::vector<messages::draw_figures>& draws) {
  auto x = precision_of(draws);
  if (x.error_share == 0) return std::nullopt;
  auto worse = x.name == "none" ? std::string{"coarser than any float"} : "like " + x.name;
  return kernel_failure{
      .stage = failure_stage::verify,
      .kind = failure_kind::precision_downgrade,
      .cheat_class = "D",
      .message = fmt::format("The candidate computes {}: its error is {:.2g} of the output's RMS, eager's is {:.2g} "
                             "(draw \"{}\").",
                             worse, x.error_share, x.eager_share, x.draw),
      .details = {{"precision", x.name},
                  {"error_share", fmt::format("{:.3g}", x.error_share)},
                  {"eager_share", fmt::format("{:.3g}", x.eager_share)},
                  {"draw", x.draw}}};
}

finding judge_library(const std::optional<messages::library_figures>& x, bool allowed) {
  if (!x || allowed || (x->calls.empty() && !x->changed)) return std::nullopt;
  auto calls = fmt::format("{}", fmt::join(x->calls, ", "));
  auto what = calls.empty() ? "Without libraries the candidate does not give the same outputs"
                            : "The candidate has a library do its work: " + calls;
  kernel_failure bad{
      .stage = failure_stage::verify, .kind = failure_kind::library_calls, .cheat_class = "E", .message = what + "."};
  if (!calls.empty()) bad.details["calls"] = calls;
  if (!x->message.empty()) bad.details["text"] = x->message;
  return bad;
}

messages::failure incomplete(std::string what) {
  return {failure_code::wrong_answer, "The judge's figures are incomplete: " + std::move(what) + "."};
}

messages::failure noisy(const std::string& why) {
  return {failure_code::overloaded, "The machine is too busy to time on: " + why + "."};
}

// -- times ------------------------------------------------------------------------------------------------------------

/// Empty if every list pairs with the candidate's.
std::string unpaired(const messages::time_figures& x) {
  auto n = x.candidate_ns.size();
  if (n == 0) return "no time of the candidate";
  if (!x.baseline_ns.contains("eager")) return "no time of eager";
  for (const auto& [name, times] : x.baseline_ns)
    if (times.size() != n) return fmt::format("{} times of the candidate, {} of {}", n, times.size(), name);
  if (x.repeat_ns.size() != n) return fmt::format("{} times of eager, {} of its repeat", n, x.repeat_ns.size());
  return {};
}

/// Is one of them far shorter than they are in the middle? No call is: the clock's own cost, which was taken off, was
/// smaller just then.
bool is_clipped(double time, double middle) { return time < std::max(1.0, middle / 4); }

/// The lists without the pairs in which a baseline is clipped. The candidate gains nothing by being clipped itself: its
/// time is what it is in the middle then.
messages::time_figures without_clipped_pairs(const messages::time_figures& all) {
  std::vector<bool> clipped(all.candidate_ns.size());
  auto look = [&](const std::vector<double>& times) {
    auto middle = median_of(times).value;
    for (std::size_t i = 0; i < times.size(); ++i) clipped[i] = clipped[i] || is_clipped(times[i], middle);
  };
  auto keep = [&](const std::vector<double>& times) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (!clipped[i]) kept.push_back(times[i]);
    return kept;
  };
  auto x = all;
  look(all.repeat_ns);
  for (const auto& [name, times] : all.baseline_ns) look(times);
  auto middle = median_of(all.candidate_ns).value;
  x.candidate_ns = keep(all.candidate_ns);
  for (auto& time : x.candidate_ns)
    if (is_clipped(time, middle)) time = middle;
  x.repeat_ns = keep(all.repeat_ns);
  for (auto& [name, times] : x.baseline_ns) times = keep(times);
  return x;
}

/// Empty, or why so few are left that they say nothing.
std::string mostly_clipped(std::size_t kept, std::size_t all) {
  constexpr std::size_t fewest = 4;
  if (kept >= fewest && 2 * kept >= all) return {};
  return fmt::format("in {} of {} pairs a call of eager seems to have taken no time", all - kept, all);
}

/// Times that are as short as the noise of the clock's own cost say nothing about the candidate.
bool is_drowned(const messages::time_figures& x) {
  constexpr double share_of_eager = 0.25;
  return x.empty_spread_ns > share_of_eager * median_of(x.baseline_ns.at("eager")).value;
}

/// What the clock can tell from nothing.
double resolution_of(const messages::time_figures& x) {
  constexpr double smallest_ns = 1e3;
  return std::max(3 * x.empty_spread_ns, smallest_ns);
}

/// May a call of this task be over sooner than the clock can tell? Its bytes need no more time, in caches too.
bool is_tiny(const messages::time_figures& x, double copy_bytes_per_second) {
  constexpr double cache_speedup = 8, usual_bytes_per_second = 5e10;
  if (x.floor_bytes == 0) return false;
  auto rate = cache_speedup * (copy_bytes_per_second > 0 ? copy_bytes_per_second : usual_bytes_per_second);
  auto moving_ns = static_cast<double>(x.floor_bytes) / rate * 1e9;
  return std::max(moving_ns, x.floor_ns) < resolution_of(x);
}

/// Would the least that the clock can tell make a slow candidate of one that may be fast?
bool would_slow_down(const messages::time_figures& x) {
  auto least = resolution_of(x);
  return median_of(x.candidate_ns).value < least && median_of(x.baseline_ns.at("eager")).value < least;
}

bool passes_time(const messages::time_figures& x) { return median_of(x.candidate_ns).value > 0; }

finding judge_resolution(const messages::time_figures& x) {
  if (passes_time(x)) return std::nullopt;
  auto bad = time_failure(failure_kind::below_floor,
                          "The candidate's calls took no longer than asking an empty candidate does.");
  bad.details["empty_bracket_ns"] = fmt::format("{:.0f}", x.empty_bracket_ns);
  return bad;
}

/// Faster than memory can be read and written. The floor was measured on the memory that the candidate is lent.
finding judge_floor(const messages::time_figures& x) {
  constexpr double margin = 0.95;
  auto least = median_of(x.candidate_ns).value;
  if (x.floor_ns <= 0 || least >= margin * x.floor_ns - 3 * x.empty_spread_ns) return std::nullopt;
  auto bad = time_failure(failure_kind::below_floor,
                          fmt::format("The candidate's calls took {:.4g} ms; moving the {} bytes of the task through "
                                      "this memory takes {:.4g} ms.",
                                      least / 1e6, x.floor_bytes, x.floor_ns / 1e6));
  bad.details["floor_ns"] = fmt::format("{:.0f}", x.floor_ns);
  bad.details["candidate_ns"] = fmt::format("{:.0f}", least);
  return bad;
}

/// In the middle of all pairs: single ones may be off by anything.
bool differs_from_itself(const messages::time_figures& x) {
  auto middle = paired_ratio(x.repeat_ns, x.baseline_ns.at("eager")).value;
  return middle > 2 || middle < 0.5;
}

/// Empty, or why the pairs are void: eager must take as long beside the candidate as it took before it was started. The
/// device's own clock has less noise in it than the judge's.
std::string disturbed(const messages::time_figures& x) {
  auto has_own_clock = !x.bracket_ns.empty();
  auto allowed = has_own_clock ? 1.25 : 1.6, smallest_ns = has_own_clock ? 5e3 : 5e4;
  if (x.alone_ns.size() < 3) return {};
  auto alone = median_of(x.alone_ns).high, beside = median_of(x.baseline_ns.at("eager")).low;
  if (beside <= allowed * alone + std::max(smallest_ns, 3 * x.empty_spread_ns)) return {};
  return fmt::format("eager took at most {:.4g} ms before the candidate was started and at least {:.4g} ms beside it",
                     alone / 1e6, beside / 1e6);
}

messages::timing timing_of(const messages::time_figures& x, const messages::judge_options& options,
                           double copy_bytes_per_second) {
  const auto& eager = x.baseline_ns.at("eager");
  messages::timing t{.candidate_ms = distribution_of(x.candidate_ns),
                     .eager_ms = distribution_of(eager),
                     .speedup_eager = paired_ratio(eager, x.candidate_ns),
                     .aa_noise = noise_of(paired_ratio(x.repeat_ns, eager)),
                     .clock = x.bracket_ns.empty() ? "judge"
                              : x.tier == "sealed" ? "replayer"
                                                   : "shim"};
  if (x.tier == "sealed" && !options.allow_library_calls) t.own_kernel_share = 1;  // there is nothing else in it
  if (auto found = x.baseline_ns.find("compile"); found != x.baseline_ns.end()) {
    t.compile_ms = distribution_of(found->second);
    t.speedup_compile = paired_ratio(found->second, x.candidate_ns);
  }
  if (copy_bytes_per_second > 0 && x.floor_bytes > 0) {
    auto floor_ms = static_cast<double>(x.floor_bytes) / copy_bytes_per_second * 1e3;
    t.roofline_share = floor_ms / t.candidate_ms.median;  // above 1: from a cache, or the bandwidth is of a busy moment
  }
  return t;
}

}  // namespace

verify_conclusion conclude(const messages::verify_figures& figures, const messages::judge_options& options) {
  auto judging = judging_of(figures, options);
  auto error = has_outputs(figures.draws) ? std::optional{summary_of(figures.draws, figures.tolerance)} : std::nullopt;
  auto reject = [&](kernel_failure x) { return messages::rejected{std::move(x), judging, error}; };
  if (auto bad = judge_fate(figures.fate)) return reject(*std::move(bad));
  if (figures.draws.empty()) return incomplete("no draw");
  if (auto bad = judge_number(figures.draws)) return reject(*std::move(bad));
  if (auto bad = judge_draws(figures.draws, failure_stage::verify)) return reject(*std::move(bad));
  if (auto bad = judge_precision(figures.draws)) return reject(*std::move(bad));
  if (auto bad = judge_library(figures.library, options.allow_library_calls)) return reject(*std::move(bad));
  if (!error) return incomplete("no output");
  return messages::verified{judging, *error};
}

time_conclusion conclude(messages::time_figures figures, const messages::judge_options& options,
                         double copy_bytes_per_second) {
  auto judging = judging_of(figures, figures.checked, options);
  auto reject = [&](kernel_failure x) { return messages::rejected{std::move(x), judging, {}}; };
  if (auto bad = judge_fate(figures.fate)) return reject(*std::move(bad));
  if (auto bad = judge_draws(figures.checked, failure_stage::time)) return reject(*std::move(bad));
  if (auto bad = judge_precision(figures.checked)) {
    bad->stage = failure_stage::time;
    return reject(*std::move(bad));
  }
  if (auto what = unpaired(figures); !what.empty()) return incomplete(what);
  for (const auto& [name, times] : figures.baseline_ns)
    if (median_of(times).value <= 0) return incomplete("the times of " + name + " are not above 0");
  if (auto why = disturbed(figures); !why.empty()) return noisy(why);
  auto late = late_work(figures);
  if (auto bad = judge_clocks(figures, late)) return reject(*std::move(bad));
  if (auto bad = judge_brackets(figures)) return reject(*std::move(bad));
  auto unseen = unseen_work(figures);
  for (auto& time : figures.candidate_ns) time += late + unseen;
  if (!passes_time(figures) && is_drowned(figures))
    return noisy("the clock's own cost varies by more than a quarter of eager's time");
  if (is_tiny(figures, copy_bytes_per_second)) {  // then its speedup is at least what is said
    if (would_slow_down(figures)) return noisy("the clock's own cost varies by more than a call of eager takes");
    for (auto& time : figures.candidate_ns) time = std::max(time, resolution_of(figures));
  }
  if (auto bad = judge_resolution(figures)) return reject(*std::move(bad));
  auto pairs = without_clipped_pairs(figures);
  if (auto why = mostly_clipped(pairs.candidate_ns.size(), figures.candidate_ns.size()); !why.empty())
    return noisy(why);
  if (differs_from_itself(pairs)) return noisy("eager differs from itself by more than a factor of 2");
  if (auto bad = judge_floor(figures)) return reject(*std::move(bad));
  return messages::timed{timing_of(pairs, options, copy_bytes_per_second)};
}

}  // namespace devices
