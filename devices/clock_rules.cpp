#include "devices/clock_rules.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "devices/sample_statistics.hpp"

namespace devices {

using messages::failure_kind;
using messages::failure_stage;
using messages::kernel_failure;

namespace {

struct clock_gap {
  double unseen_ns;  ///< what the judge's clock has of nearly every call beyond the candidate's
  double noise_ns;   ///< of that
};

std::optional<clock_gap> gap_of(const messages::time_figures& x) {
  if (x.bracket_ns.size() != x.candidate_ns.size() || x.bracket_ns.empty()) return std::nullopt;
  std::vector<double> unseen;
  for (std::size_t i = 0; i < x.bracket_ns.size(); ++i) unseen.push_back(x.bracket_ns[i] - x.candidate_ns[i]);
  return clock_gap{median_of(unseen).low, 3 * x.bracket_spread_ns / std::sqrt(static_cast<double>(unseen.size()))};
}

}  // namespace

kernel_failure time_failure(failure_kind kind, std::string message) {
  return {.stage = failure_stage::time, .kind = kind, .message = std::move(message)};
}

double late_work(const messages::time_figures& x) {
  constexpr std::size_t fewest = 3;
  constexpr double allowed_share = 0.05, smallest_ns = 2e4;
  if (x.late_ns.size() < fewest || x.late_ns.size() != x.late_call_ns.size()) return 0;
  auto middle = median_of(x.late_call_ns).value;
  std::vector<double> after;
  for (std::size_t i = 0; i < x.late_ns.size(); ++i)
    if (x.late_call_ns[i] <= middle) after.push_back(x.late_ns[i] - x.late_call_ns[i]);
  auto late = median_of(after).low;
  auto allowed = std::max({allowed_share * middle, 3 * x.empty_spread_ns, smallest_ns});
  return late > allowed ? late : 0;
}

finding judge_brackets(const messages::time_figures& x) {
  constexpr double allowed_share = 0.05;
  const double smallest_ns = x.tier == "sealed" ? 1.5e5 : 2e4;
  auto gap = gap_of(x);
  auto told = median_of(x.candidate_ns).value;
  if (!gap || gap->unseen_ns <= std::max({allowed_share * told, gap->noise_ns, smallest_ns})) return std::nullopt;
  auto bad =
      time_failure(failure_kind::clock_mismatch,
                   fmt::format("The device's clock has {:.4g} ms of the candidate's calls, but they took {:.4g} ms "
                               "more than that by the judge's own.",
                               told / 1e6, gap->unseen_ns / 1e6));
  bad.cheat_class = "C";
  bad.details["call_ns"] = fmt::format("{:.0f}", told);
  bad.details["unseen_ns"] = fmt::format("{:.0f}", gap->unseen_ns);
  return bad;
}

double unseen_work(const messages::time_figures& x) {
  constexpr double own_share = 0.02, own_ns = 3e3;
  auto gap = gap_of(x);
  if (!gap || x.tier == "sealed") return 0;
  return std::max(0.0, gap->unseen_ns - std::max({own_share * median_of(x.candidate_ns).value, gap->noise_ns, own_ns}));
}

finding judge_clocks(const messages::time_figures& x, double late) {
  constexpr double counted_share = 0.25;
  if (late == 0) return std::nullopt;
  auto call = median_of(x.late_call_ns).value;
  if (late <= counted_share * std::max(call, median_of(x.baseline_ns.at("eager")).value)) return std::nullopt;
  auto bad = time_failure(failure_kind::clock_mismatch,
                          fmt::format("The candidate said that it was done {:.4g} ms after it was asked, but its "
                                      "outputs came {:.4g} ms later than they come when they are there.",
                                      call / 1e6, late / 1e6));
  bad.cheat_class = "C";
  bad.details["call_ns"] = fmt::format("{:.0f}", call);
  bad.details["late_ns"] = fmt::format("{:.0f}", late);
  return bad;
}

}  // namespace devices
