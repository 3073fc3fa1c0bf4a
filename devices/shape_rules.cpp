#include "devices/shape_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

namespace devices {

namespace {

using messages::distribution;
using messages::ratio;

// -- which shape ------------------------------------------------------------------------------------------------------

/// "The candidate is wrong (inputs of shape [4, 300])."
std::string on_shape(std::string sentence, const std::string& shape) {
  bool ends = sentence.ends_with('.');
  if (ends) sentence.pop_back();
  return fmt::format("{} (inputs of shape {}){}", sentence, shape, ends ? "." : "");
}

void name_shape(messages::rejected& x, const std::string& shape) {
  x.failure.message = on_shape(std::move(x.failure.message), shape);
  x.failure.details["shape"] = shape;
  if (x.judging) x.judging->shapes = {shape};
}

void name_shape(messages::failure& x, const std::string& shape) { x.detail = on_shape(std::move(x.detail), shape); }

template <class Passed>
void name_shape(Passed&, const std::string&) {}

/// What was found on each shape, or the first that is no pass.
template <class Passed, class Done, class Conclude>
std::variant<std::vector<Passed>, messages::rejected, messages::failure> of_each(const Done& x, Conclude conclude_one) {
  std::vector<Passed> passed;
  std::vector<std::reference_wrapper<const decltype(x.figures)>> all{x.figures};
  all.insert(all.end(), x.others.begin(), x.others.end());
  for (const auto& figures : all) {
    auto found = conclude_one(figures.get());
    if (x.shapes > 1) std::visit([&](auto& y) { name_shape(y, figures.get().shape); }, found);
    if (auto refused = std::get_if<messages::rejected>(&found)) return std::move(*refused);
    if (auto failed = std::get_if<messages::failure>(&found)) return std::move(*failed);
    passed.push_back(std::get<Passed>(std::move(found)));
  }
  if (passed.size() == x.shapes) return passed;
  return messages::failure{
      messages::failure_code::wrong_answer,
      fmt::format("The judge's figures are incomplete: {} of {} shapes.", passed.size(), x.shapes)};
}

// -- all of them right ------------------------------------------------------------------------------------------------

/// The coarser of two classes; one that was not measured says nothing.
std::string coarser(const std::string& a, const std::string& b) {
  static constexpr std::array<std::string_view, 7> order{"", "fp64", "fp32", "tf32", "fp16", "bf16", "none"};
  return std::ranges::find(order, a) < std::ranges::find(order, b) ? b : a;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void add(messages::judging& to, const messages::judging& x) {
  append(to.draws, x.draws);
  append(to.seeds, x.seeds);
  for (const auto& call : x.library)
    if (std::ranges::find(to.library, call) == to.library.end()) to.library.push_back(call);
  to.precision = coarser(to.precision, x.precision);
  if (to.weights.empty() || x.weights == "prepared_at_init") to.weights = x.weights;
  to.degenerate_task = to.degenerate_task && x.degenerate_task;
}

void add(messages::error_summary& to, const messages::error_summary& x) {
  to.max_abs = std::max(to.max_abs, x.max_abs);
  to.max_rel = std::max(to.max_rel, x.max_rel);
  to.reference_max_abs = std::max(to.reference_max_abs, x.reference_max_abs);
  if (x.of_allowed) to.of_allowed = std::max(to.of_allowed.value_or(0), *x.of_allowed);
}

// -- all of them timed ------------------------------------------------------------------------------------------------

template <class Part>
double mean_of(const std::vector<messages::shape_timing>& shapes, Part part) {
  constexpr double smallest = 1e-12;
  double sum = 0;
  for (const auto& x : shapes) sum += std::log(std::max(smallest, part(x)));
  return std::exp(sum / static_cast<double>(shapes.size()));
}

template <class Part>
distribution mean_time(const std::vector<messages::shape_timing>& shapes, Part part) {
  distribution x{mean_of(shapes, [&](const auto& y) { return part(y).median; }),
                 mean_of(shapes, [&](const auto& y) { return part(y).low; }),
                 mean_of(shapes, [&](const auto& y) { return part(y).high; })};
  x.samples = part(shapes.front()).samples;
  for (const auto& y : shapes) x.samples = std::min(x.samples, part(y).samples);
  return x;
}

template <class Part>
ratio mean_ratio(const std::vector<messages::shape_timing>& shapes, Part part) {
  return {mean_of(shapes, [&](const auto& y) { return part(y).value; }),
          mean_of(shapes, [&](const auto& y) { return part(y).low; }),
          mean_of(shapes, [&](const auto& y) { return part(y).high; })};
}

bool every(const std::vector<messages::shape_timing>& shapes, auto part) {
  return std::ranges::all_of(shapes, [&](const auto& x) { return part(x).has_value(); });
}

messages::timing mean_timing(std::vector<messages::shape_timing> shapes, messages::timing x) {
  auto compile = [](const auto& y) { return y.compile_ms; };
  auto share = [](const auto& y) { return y.roofline_share; };
  x.candidate_ms = mean_time(shapes, [](const auto& y) { return y.candidate_ms; });
  x.eager_ms = mean_time(shapes, [](const auto& y) { return y.eager_ms; });
  x.speedup_eager = mean_ratio(shapes, [](const auto& y) { return y.speedup_eager; });
  x.compile_ms.reset(), x.speedup_compile.reset(), x.roofline_share.reset();
  if (every(shapes, compile)) {
    x.compile_ms = mean_time(shapes, [](const auto& y) { return *y.compile_ms; });
    x.speedup_compile = mean_ratio(shapes, [](const auto& y) { return *y.speedup_compile; });
  }
  if (every(shapes, share)) x.roofline_share = mean_of(shapes, [](const auto& y) { return *y.roofline_share; });
  x.shapes = std::move(shapes);
  return x;
}

messages::shape_timing of_shape(const std::string& shape, const messages::timing& x) {
  return {.shape = shape,
          .candidate_ms = x.candidate_ms,
          .eager_ms = x.eager_ms,
          .compile_ms = x.compile_ms,
          .speedup_eager = x.speedup_eager,
          .speedup_compile = x.speedup_compile,
          .roofline_share = x.roofline_share};
}

}  // namespace

verify_conclusion conclude_shapes(const messages::verify_done& x, const messages::judge_options& options) {
  auto found = of_each<messages::verified>(x, [&](const auto& figures) { return conclude(figures, options); });
  if (auto refused = std::get_if<messages::rejected>(&found)) return std::move(*refused);
  if (auto failed = std::get_if<messages::failure>(&found)) return std::move(*failed);
  auto& passed = std::get<0>(found);
  auto all = passed.front();
  for (std::size_t i = 1; i < passed.size(); ++i) {
    add(all.judging, passed[i].judging);
    add(all.error, passed[i].error);
  }
  if (x.shapes > 1) all.judging.shapes = {x.figures.shape};
  for (const auto& figures : x.others) all.judging.shapes.push_back(figures.shape);
  return all;
}

time_conclusion conclude_shapes(const messages::time_done& x, const messages::judge_options& options,
                                double copy_bytes_per_second) {
  auto found = of_each<messages::timed>(
      x, [&](const auto& figures) { return conclude(figures, options, copy_bytes_per_second); });
  if (auto refused = std::get_if<messages::rejected>(&found)) return std::move(*refused);
  if (auto failed = std::get_if<messages::failure>(&found)) return std::move(*failed);
  auto& passed = std::get<0>(found);
  if (passed.size() == 1) return passed.front();
  auto whole = passed.front().timing;
  std::vector<messages::shape_timing> shapes{of_shape(x.figures.shape, whole)};
  for (std::size_t i = 1; i < passed.size(); ++i) {
    shapes.push_back(of_shape(x.others[i - 1].shape, passed[i].timing));
    whole.aa_noise = std::max(whole.aa_noise, passed[i].timing.aa_noise);
  }
  return messages::timed{mean_timing(std::move(shapes), std::move(whole))};
}

}  // namespace devices
