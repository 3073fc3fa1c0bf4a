#include "devices/verdict_rules.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "devices/sample_statistics.hpp"

namespace devices {

using messages::candidate_end;
using messages::failure_code;
using messages::failure_kind;
using messages::failure_stage;
using messages::kernel_failure;

namespace {

constexpr std::size_t fewest_draws = 2;
using finding = std::optional<kernel_failure>;

// -- how the process fared --------------------------------------------------------------------------------------------

failure_stage stage_of(std::string_view phase) {
  if (phase == "load") return failure_stage::load;
  return phase == "time" ? failure_stage::time : failure_stage::verify;
}

failure_kind kind_of(const messages::candidate_fate& fate) {
  if (fate.end == candidate_end::timed_out) return failure_kind::timeout;
  if (fate.end == candidate_end::out_of_memory) return failure_kind::out_of_memory;
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
    case candidate_end::finished: break;
  }
  return "The candidate finished";
}

finding judge_fate(const messages::candidate_fate& fate) {
  if (fate.end == candidate_end::finished) return std::nullopt;
  kernel_failure x{.stage = stage_of(fate.phase), .kind = kind_of(fate), .message = sentence_of(fate)};
  x.details["phase"] = fate.phase;
  if (fate.end == candidate_end::exited) x.details["exit_code"] = std::to_string(fate.code);
  if (fate.end == candidate_end::killed) x.details["signal"] = std::to_string(fate.code);
  if (!fate.message.empty()) x.details["text"] = fate.message;
  return x;
}

// -- one output -------------------------------------------------------------------------------------------------------

kernel_failure differs(failure_kind kind, std::string_view what, const std::string& want, const std::string& got) {
  return {.kind = kind,
          .message = fmt::format("has {} {} where the reference has {}", what, got, want),
          .details = {{"got", got}, {"want", want}}};
}

std::string text_of(const std::vector<std::int64_t>& xs) { return fmt::format("[{}]", fmt::join(xs, ", ")); }

std::string text_of(messages::dtype x) { return std::string{enum_names(x)[static_cast<std::size_t>(x)]}; }

kernel_failure bad_element(failure_kind kind, const messages::output_figures& x, std::uint64_t bad,
                           std::string_view why) {
  auto at = text_of(x.first_index);
  return {.kind = kind,
          .message = fmt::format("{} in {} of {} elements: {:.9g} instead of {:.9g} at {}", why, bad, x.elements,
                                 x.first_got, x.first_want, at),
          .details = {{"index", at},
                      {"got", fmt::format("{:.9g}", x.first_got)},
                      {"want", fmt::format("{:.9g}", x.first_want)},
                      {"bad_elements", std::to_string(bad)},
                      {"elements", std::to_string(x.elements)},
                      {"max_abs", fmt::format("{:.6g}", x.max_abs)},
                      {"max_rel", fmt::format("{:.6g}", x.max_rel)}}};
}

/// Sums of signed values come near zero, where a tolerance that is right elsewhere refuses eager itself: on redraws the
/// candidate may err as much as the class of eager's own arithmetic does.
bool as_good_as_eager(const messages::output_figures& x) {
  constexpr double of_eager = 4, of_output = 2e-5;
  return x.rms <= std::max(of_eager * x.eager_rms, of_output * x.reference_rms);
}

finding judge_output(const messages::output_figures& x, bool own_draw) {
  const auto &want = x.expected, &got = x.got;
  if (x.got_type != x.expected_type) return differs(failure_kind::wrong_shape, "type", x.expected_type, x.got_type);
  if (x.got_device != x.expected_device)
    return differs(failure_kind::wrong_shape, "device", x.expected_device, x.got_device);
  if (got.dtype != want.dtype)
    return differs(failure_kind::wrong_dtype, "dtype", text_of(want.dtype), text_of(got.dtype));
  if (got.shape != want.shape)
    return differs(failure_kind::wrong_shape, "shape", text_of(want.shape), text_of(got.shape));
  if (got.strides != want.strides)
    return differs(failure_kind::wrong_strides, "strides", text_of(want.strides), text_of(got.strides));
  if (x.non_finite_mismatch > 0)
    return bad_element(failure_kind::non_finite, x, x.non_finite_mismatch, "has NaN or infinity in other places");
  if (x.over_tolerance > 0 && (own_draw || !as_good_as_eager(x)))
    return bad_element(failure_kind::wrong_values, x, x.over_tolerance, "differs by more than the tolerance");
  return std::nullopt;
}

// -- draws ------------------------------------------------------------------------------------------------------------

std::string plural(std::uint32_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

finding judge_outputs(const messages::draw_figures& draw) {
  if (draw.got_outputs != draw.expected_outputs)
    return kernel_failure{.kind = failure_kind::wrong_shape,
                          .message = fmt::format("The candidate gave {} where the reference gives {}",
                                                 plural(draw.got_outputs, "output"), draw.expected_outputs)};
  for (std::size_t i = 0; i < draw.outputs.size(); ++i)
    if (auto bad = judge_output(draw.outputs[i], draw.kind == "own")) {
      bad->message = fmt::format("Output {} {}", i, bad->message);
      bad->details["output"] = std::to_string(i);
      return bad;
    }
  return std::nullopt;
}

finding judge_draw(const messages::draw_figures& draw, failure_stage stage) {
  finding bad;
  if (draw.inputs_changed)
    bad = kernel_failure{.kind = failure_kind::input_changed,
                         .cheat_class = "A",
                         .message = "The candidate changed its inputs or weights"};
  else
    bad = judge_outputs(draw);
  if (!bad) return bad;
  bad->stage = stage;
  bad->message += fmt::format(" (draw \"{}\").", draw.kind);
  bad->details["draw"] = draw.kind;
  bad->details["seed"] = draw.seed;
  return bad;
}

finding judge_draws(const std::vector<messages::draw_figures>& draws, failure_stage stage) {
  for (const auto& draw : draws)
    if (draw.finite)
      if (auto bad = judge_draw(draw, stage)) return bad;
  return std::nullopt;
}

finding judge_number(const std::vector<messages::draw_figures>& draws) {
  auto count = static_cast<std::size_t>(std::ranges::count_if(draws, &messages::draw_figures::finite));
  if (count >= fewest_draws) return std::nullopt;
  return kernel_failure{
      .kind = failure_kind::task_error,
      .message = fmt::format("The reference is finite on {} of {} draws only; at least {} are needed to judge.", count,
                             draws.size(), fewest_draws),
      .details = {{"finite_draws", std::to_string(count)}, {"draws", std::to_string(draws.size())}}};
}

// -- what goes beside a verdict ---------------------------------------------------------------------------------------

messages::error_summary summary_of(const std::vector<messages::draw_figures>& draws, double tolerance) {
  messages::error_summary worst{.tolerance = tolerance};
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
  messages::judging x{.sandbox = figures.sandbox, .policy = options.policy, .environment = figures.environment};
  for (const auto& draw : draws) x.seeds.push_back(draw.seed);
  return x;
}

messages::failure incomplete(std::string what) {
  return {failure_code::wrong_answer, "The judge's figures are incomplete: " + std::move(what) + "."};
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

/// A call as short as the empty bracket's own noise may come out below 0 once; it counts as one tick of the clock.
std::vector<double> resolved(const std::vector<double>& times) {
  std::vector<double> xs(times.size());
  std::ranges::transform(times, xs.begin(), [](double x) { return std::max(x, 1.0); });
  return xs;
}

finding judge_resolution(const messages::time_figures& x) {
  if (median_of(x.candidate_ns).value > 0) return std::nullopt;
  return kernel_failure{.stage = failure_stage::time,
                        .kind = failure_kind::below_floor,
                        .message = "The candidate's calls took no longer than asking an empty candidate does.",
                        .details = {{"empty_bracket_ns", fmt::format("{:.0f}", x.empty_bracket_ns)}}};
}

messages::timing timing_of(const messages::time_figures& x, double copy_bytes_per_second) {
  auto candidate = resolved(x.candidate_ns), eager = resolved(x.baseline_ns.at("eager"));
  messages::timing t{.candidate_ms = distribution_of(candidate),
                     .eager_ms = distribution_of(eager),
                     .speedup_eager = paired_ratio(eager, candidate),
                     .aa_noise = noise_of(paired_ratio(resolved(x.repeat_ns), eager))};
  if (auto found = x.baseline_ns.find("compile"); found != x.baseline_ns.end()) {
    auto compile = resolved(found->second);
    t.compile_ms = distribution_of(compile);
    t.speedup_compile = paired_ratio(compile, candidate);
  }
  if (copy_bytes_per_second > 0 && x.floor_bytes > 0) {
    auto floor_ms = static_cast<double>(x.floor_bytes) / copy_bytes_per_second * 1e3;
    t.roofline_share = std::min(1.0, floor_ms / t.candidate_ms.median);  // above 1: it runs from a cache
  }
  return t;
}

}  // namespace

verify_conclusion conclude(const messages::verify_figures& figures, const messages::judge_options& options) {
  auto judging = judging_of(figures, figures.draws, options);
  auto error = has_outputs(figures.draws) ? std::optional{summary_of(figures.draws, figures.tolerance)} : std::nullopt;
  auto reject = [&](kernel_failure x) { return messages::rejected{std::move(x), judging, error}; };
  if (auto bad = judge_fate(figures.fate)) return reject(*std::move(bad));
  if (figures.draws.empty()) return incomplete("no draw");
  if (auto bad = judge_number(figures.draws)) return reject(*std::move(bad));
  if (auto bad = judge_draws(figures.draws, failure_stage::verify)) return reject(*std::move(bad));
  if (!error) return incomplete("no output");
  return messages::verified{judging, *error};
}

time_conclusion conclude(const messages::time_figures& figures, const messages::judge_options& options,
                         double copy_bytes_per_second) {
  auto judging = judging_of(figures, figures.checked, options);
  auto reject = [&](kernel_failure x) { return messages::rejected{std::move(x), judging, {}}; };
  if (auto bad = judge_fate(figures.fate)) return reject(*std::move(bad));
  if (auto bad = judge_draws(figures.checked, failure_stage::time)) return reject(*std::move(bad));
  if (auto what = unpaired(figures); !what.empty()) return incomplete(what);
  if (auto bad = judge_resolution(figures)) return reject(*std::move(bad));
  for (const auto& [name, times] : figures.baseline_ns)
    if (median_of(times).value <= 0) return incomplete("the times of " + name + " are not above 0");
  return messages::timed{timing_of(figures, copy_bytes_per_second)};
}

}  // namespace devices
