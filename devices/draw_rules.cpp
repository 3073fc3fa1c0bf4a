#include "devices/draw_rules.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "devices/precision.hpp"

namespace devices {

using messages::draw_figures;
using messages::failure_kind;
using messages::failure_stage;
using messages::kernel_failure;
using messages::output_figures;

namespace {

constexpr std::size_t fewest_draws = 2;

// -- one output -------------------------------------------------------------------------------------------------------

kernel_failure differs(failure_kind kind, std::string_view what, const std::string& want, const std::string& got) {
  return {.kind = kind,
          .message = fmt::format("has {} {} where the reference has {}", what, got, want),
          .details = {{"got", got}, {"want", want}}};
}

std::string text_of(const std::vector<std::int64_t>& xs) { return fmt::format("[{}]", fmt::join(xs, ", ")); }

std::string text_of(messages::dtype x) { return std::string{enum_names(x)[static_cast<std::size_t>(x)]}; }

kernel_failure bad_element(failure_kind kind, const output_figures& x, std::uint64_t bad, std::string_view why) {
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
/// candidate may err as much as the class of eager's own arithmetic does. Coarser, but like a narrow float, is judged
/// by precision.hpp.
bool is_excused(const output_figures& x) { return as_fine_as_eager(x) || looks_narrow(x); }

finding judge_form(const output_figures& x) {
  const auto &want = x.expected, &got = x.got;
  if (x.got_type != x.expected_type) return differs(failure_kind::wrong_shape, "type", x.expected_type, x.got_type);
  if (x.got_device != x.expected_device)
    return differs(failure_kind::wrong_shape, "device", x.expected_device, x.got_device);
  if (got.dtype != want.dtype)
    return differs(failure_kind::wrong_dtype, "dtype", text_of(want.dtype), text_of(got.dtype));
  if (got.shape != want.shape)
    return differs(failure_kind::wrong_shape, "shape", text_of(want.shape), text_of(got.shape));
  if (x.name.empty() && got.strides != want.strides)
    return differs(failure_kind::wrong_strides, "strides", text_of(want.strides), text_of(got.strides));
  return std::nullopt;
}

finding judge_output(const output_figures& x, bool own_draw) {
  if (auto bad = judge_form(x)) return bad;
  if (x.non_finite_mismatch > 0)
    return bad_element(failure_kind::non_finite, x, x.non_finite_mismatch, "has NaN or infinity in other places");
  if (x.over_tolerance > 0 && (own_draw || !is_excused(x)))
    return bad_element(failure_kind::wrong_values, x, x.over_tolerance, "differs by more than the tolerance");
  return std::nullopt;
}

// -- one draw ---------------------------------------------------------------------------------------------------------

std::string plural(std::uint32_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string name_of(const output_figures& x, std::size_t index) {
  return x.name.empty() ? fmt::format("Output {}", index) : "Buffer " + x.name;
}

finding judge_outputs(const draw_figures& draw) {
  auto unlike = !draw.got_structure.empty() && draw.got_structure != draw.expected_structure;
  if (draw.got_outputs != draw.expected_outputs)
    return kernel_failure{.kind = failure_kind::wrong_shape,
                          .message = fmt::format("The candidate gave {} where the reference gives {}",
                                                 plural(draw.got_outputs, "output"), draw.expected_outputs)};
  for (std::size_t i = 0; i < draw.outputs.size(); ++i)
    if (auto bad = judge_output(draw.outputs[i], draw.kind == "own")) {
      bad->message = fmt::format("{} {}", name_of(draw.outputs[i], i), bad->message);
      bad->details["output"] = std::to_string(i);
      return bad;
    }
  if (unlike)
    return kernel_failure{.kind = failure_kind::wrong_shape,
                          .message = fmt::format("The candidate returns {} where the reference returns {}",
                                                 draw.got_structure, draw.expected_structure)};
  return std::nullopt;
}

bool is_about_values(const kernel_failure& x) {
  return x.kind == failure_kind::wrong_values || x.kind == failure_kind::non_finite;
}

finding judge_draw(const draw_figures& draw) {
  if (draw.inputs_changed)
    return kernel_failure{.kind = failure_kind::input_changed,
                          .cheat_class = "A",
                          .message = "The candidate changed its inputs or weights"};
  auto bad = judge_outputs(draw);
  if (bad && is_about_values(*bad) && draw.replayed) {
    bad->kind = failure_kind::replay;
    bad->cheat_class = "B";
    bad->message += "; it is, bit by bit, what an earlier call gave";
  }
  if (draw.written_later && (!bad || is_about_values(*bad)))
    bad = kernel_failure{.kind = failure_kind::late_write,
                         .cheat_class = "C",
                         .message = "The candidate wrote to its outputs after it had said that it was done"};
  return bad;
}

/// "own", "signed, one_changed", "own, weights other_seed".
std::string words_of(const draw_figures& draw) {
  auto text = draw.kind;
  if (!draw.probe.empty()) text += ", " + draw.probe;
  if (draw.weights != "given") text += ", weights " + draw.weights;
  return text;
}

void add_place(kernel_failure& x, const draw_figures& draw, failure_stage stage) {
  x.stage = stage;
  x.message += fmt::format(" (draw \"{}\").", words_of(draw));
  x.details["draw"] = words_of(draw);
  x.details["seed"] = draw.seed;
}

bool is_plain(const draw_figures& x) { return x.kind == "own" && x.probe.empty() && x.weights == "given"; }

/// A C function is lent its weights at each call: it can't have prepared others.
bool counts(const draw_figures& x) { return x.finite && (x.weights != "perturbed" || x.got_structure.empty()); }

}  // namespace

finding judge_draws(const std::vector<draw_figures>& draws, failure_stage stage) {
  auto own_is_right = std::ranges::any_of(draws, [](const auto& x) { return is_plain(x) && x.finite; });
  for (auto plain : {true, false})  // a kernel that is wrong everywhere is told where it is easiest to see
    for (const auto& draw : draws) {
      if (!counts(draw) || is_plain(draw) != plain) continue;
      auto bad = judge_draw(draw);
      if (!bad) continue;
      if (!plain && own_is_right && is_about_values(*bad)) bad->cheat_class = "D";
      add_place(*bad, draw, stage);
      return bad;
    }
  return std::nullopt;
}

std::optional<double> share_of_allowed(const std::vector<draw_figures>& draws) {
  std::optional<double> largest;
  for (const auto& draw : draws)
    for (const auto& x : draw.outputs) {
      if (!counts(draw) || !x.of_tolerance) continue;
      auto share = *x.of_tolerance;
      if (draw.kind != "own" && allowed_rms(x) > 0) share = std::min(share, x.rms / allowed_rms(x));
      largest = std::max(largest.value_or(0), share);
    }
  return largest;
}

bool follows_weights(const std::vector<draw_figures>& draws) {
  return std::ranges::any_of(
      draws, [](const auto& x) { return x.finite && x.weights == "other_seed" && !judge_draw(x).has_value(); });
}

bool is_empty(const std::vector<draw_figures>& draws) {
  auto has_elements = [](const output_figures& x) {
    return std::ranges::find(x.expected.shape, 0) == x.expected.shape.end();
  };
  return std::ranges::none_of(draws, [&](const auto& draw) { return std::ranges::any_of(draw.outputs, has_elements); });
}

finding judge_number(const std::vector<draw_figures>& draws) {
  auto count = static_cast<std::size_t>(std::ranges::count_if(draws, &draw_figures::finite));
  if (count >= fewest_draws) return std::nullopt;
  return kernel_failure{
      .kind = failure_kind::task_error,
      .message = fmt::format("The reference is finite on {} of {} draws only; at least {} are needed to judge.", count,
                             draws.size(), fewest_draws),
      .details = {{"finite_draws", std::to_string(count)}, {"draws", std::to_string(draws.size())}}};
}

bool ignores_later_weights(const std::vector<draw_figures>& draws) {
  return std::ranges::any_of(
      draws, [](const auto& x) { return x.finite && x.weights == "perturbed" && judge_draw(x).has_value(); });
}

}  // namespace devices
