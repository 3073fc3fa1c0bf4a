#include "devices/simulated/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include "messages/records/content_hash.hpp"

namespace devices::simulated {

using messages::fail;
using messages::failure_code;

messages::expected<void> simulation_options::validate() const {
  for (auto x : {infrastructure_failure, down, hang, compile_error, wrong_values, crash, jitter})
    if (!(x >= 0 && x <= 1)) return fail(failure_code::misconfigured, fmt::format("{} is no share from 0 to 1", x));
  if (infrastructure_failure + down + hang > 1)
    return fail(failure_code::misconfigured, "the probabilities of an attempt's failures add up to more than 1");
  return {};
}

double simulation::dice(std::string_view what, std::string_view of) const {
  auto hash = messages::content_hash(fmt::format("{}/{}/{}", options_.seed, what, of));
  return static_cast<double>(std::stoull(hash.substr(0, 13), nullptr, 16)) / std::exp2(52);
}

attempt_fate simulation::fate_of(const messages::stage_request& request) const {
  auto x = dice("fate", fmt::format("{}#{}", request.stage.value, request.attempt));
  if (x < options_.infrastructure_failure) return attempt_fate::fails;
  if (x < options_.infrastructure_failure + options_.down) return attempt_fate::goes_down;
  if (x < options_.infrastructure_failure + options_.down + options_.hang) return attempt_fate::hangs;
  return attempt_fate::finishes;
}

std::chrono::microseconds simulation::latency_of(const messages::stage_request& request) const {
  auto found = options_.latency.find(request.kind);
  if (found == options_.latency.end()) return {};
  auto x = dice("latency", fmt::format("{}#{}", request.stage.value, request.attempt));
  auto factor = 1 + options_.jitter * (2 * x - 1);
  return std::chrono::microseconds{std::llround(static_cast<double>(found->second.count()) * factor)};
}

double simulation::candidate_ms(const messages::candidate_id& candidate, const messages::knob_values& knobs) const {
  auto ms = eager_ms() / 3 * (1 + 0.2 * dice("candidate", candidate.value));
  for (const auto& [name, value] : knobs) ms *= slowdown(name, value);
  return ms;
}

/// Integers: a tenth for each doubling away from the best, which is a power of 2 up to 512. Words: up to a third.
double simulation::slowdown(const std::string& knob, const messages::knob_value& value) const {
  if (auto word = std::get_if<std::string>(&value)) return 1 + dice(knob, *word) / 3;
  auto best = std::floor(10 * dice("best", knob));
  auto number = static_cast<double>(std::max<std::int64_t>(1, std::get<std::int64_t>(value)));
  return 1 + std::abs(std::log2(number) - best) / 10;
}

}  // namespace devices::simulated
