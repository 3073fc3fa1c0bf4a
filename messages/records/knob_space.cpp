#include "messages/records/knob_space.hpp"

#include <algorithm>
#include <optional>

namespace messages {

namespace {

std::optional<std::int64_t> whole(const knob_values& knobs, const std::string& name) {
  auto found = knobs.find(name);
  if (found == knobs.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number ? std::optional{*number} : std::nullopt;
}

bool applies(const knob_rule& rule, const knob_values& knobs) {
  return std::ranges::all_of(rule.where, [&](const auto& wanted) {
    auto found = knobs.find(wanted.first);
    return found != knobs.end() && found->second == wanted.second;
  });
}

bool is_multiple(const knob_rule& rule, const knob_values& knobs) {
  if (rule.multiple.size() != 2) return true;
  auto of = whole(knobs, rule.multiple[0]);
  auto by = whole(knobs, rule.multiple[1]);
  return !of || !by || *by == 0 || *of % *by == 0;
}

bool is_small_enough(const knob_rule& rule, const knob_values& knobs) {
  double sum = 0;
  for (const auto& product : rule.products) {
    double x = 1;
    for (const auto& name : product) {
      auto number = whole(knobs, name);
      if (!number) return true;
      x *= static_cast<double>(*number);
    }
    sum += x;
  }
  return rule.products.empty() || sum <= rule.at_most;
}

}  // namespace

bool keeps(const knob_rule& rule, const knob_values& knobs) {
  return !applies(rule, knobs) || (is_multiple(rule, knobs) && is_small_enough(rule, knobs));
}

}  // namespace messages
