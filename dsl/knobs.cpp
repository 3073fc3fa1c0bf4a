#include "dsl/knobs.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>

namespace dsl {

using messages::knob_value;
using messages::knob_values;

std::int64_t integer_knob(const knob_values& knobs, const std::string& name) {
  return std::get<std::int64_t>(knobs.at(name));
}

const std::string& word_knob(const knob_values& knobs, const std::string& name) {
  return std::get<std::string>(knobs.at(name));
}

namespace {

/// One change of one knob; distance counts steps through the list of values.
struct change {
  std::size_t group;
  const knob_manifest* knob;
  std::size_t to;
  std::size_t distance;
};

/// A word is as near as any other.
std::size_t distance_between(const knob_manifest& knob, std::size_t from, std::size_t to) {
  if (knob.kind == knob_kind::choice) return 1;
  return from > to ? from - to : to - from;
}

void append_changes(std::vector<change>& changes, std::size_t group, const knob_manifest& knob, const knob_value& now,
                    const messages::device_info& device) {
  auto from = static_cast<std::size_t>(std::ranges::find(knob.values, now) - knob.values.begin());
  for (std::size_t to = 0; to < knob.values.size(); ++to) {
    if (to == from || !within_limits(knob, knob.values[to], device)) continue;
    changes.push_back({group, &knob, to, distance_between(knob, from, to)});
  }
}

/// Fisher-Yates on the generator itself: the standard's shuffle differs between libraries.
void shuffle(std::vector<change>& changes, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  for (auto i = changes.size(); i > 1; --i) std::swap(changes[i - 1], changes[random() % i]);
}

}  // namespace

knob_values complete(const recipe_manifest& recipe, const knob_values& knobs) {
  knob_values all;
  for (const auto& knob : recipe.knobs) {
    auto found = knobs.find(knob.name);
    all[knob.name] = found == knobs.end() ? knob.standard : found->second;
  }
  return all;
}

bool within_limits(const knob_manifest& knob, const knob_value& value, const messages::device_info& device) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) return true;
  return std::ranges::all_of(knob.bounds, [&](const knob_bound& bound) {
    auto limit = device.limits.find(bound.limit);
    return limit == device.limits.end() || static_cast<double>(*number) * bound.each <= limit->second;
  });
}

bool within_limits(const recipe_manifest& recipe, const knob_values& knobs, const messages::device_info& device) {
  auto all = complete(recipe, knobs);
  bool each =
      std::ranges::all_of(recipe.knobs, [&](const auto& x) { return within_limits(x, all.at(x.name), device); });
  return each && broken_constraint(recipe, all, device) == nullptr;
}

namespace {

/// The constraint with the device's numbers; a limit that the device does not state leaves no products to add up.
messages::knob_rule rule_of(const knob_constraint& x, const messages::device_info& device) {
  messages::knob_rule rule{x.products, x.at_most / x.each, x.multiple, x.where};
  if (x.limit.empty()) return rule;
  auto limit = device.limits.find(x.limit);
  if (limit != device.limits.end()) rule.at_most = limit->second / x.each;
  if (limit == device.limits.end()) rule.products.clear();
  return rule;
}

}  // namespace

const knob_constraint* broken_constraint(const recipe_manifest& recipe, const knob_values& knobs,
                                         const messages::device_info& device) {
  auto found =
      std::ranges::find_if(recipe.constraints, [&](const auto& x) { return !keeps(rule_of(x, device), knobs); });
  return found == recipe.constraints.end() ? nullptr : &*found;
}

messages::knob_space space_of(const recipe_manifest& recipe, const messages::device_info& device) {
  messages::knob_space space;
  for (const auto& knob : recipe.knobs) {
    messages::knob_axis axis{knob.name, {}, knob.kind == knob_kind::integer, knob.standard};
    std::ranges::copy_if(knob.values, std::back_inserter(axis.values),
                         [&](const auto& value) { return within_limits(knob, value, device); });
    space.axes.push_back(std::move(axis));
  }
  for (const auto& x : recipe.constraints) space.rules.push_back(rule_of(x, device));
  return space;
}

std::map<std::string, messages::knob_space> spaces_of(const std::vector<messages::plan>& plans,
                                                      const language_files& language,
                                                      const messages::device_info& device) {
  std::map<std::string, messages::knob_space> spaces;
  for (const auto& plan : plans)
    for (const auto& group : plan.groups)
      if (const auto* recipe = language.recipe(group.recipe))
        spaces.try_emplace(group.recipe, space_of(recipe->manifest, device));
  return spaces;
}

std::string knob_path(std::string_view group, std::string_view knob) {
  return std::string{group} + '.' + std::string{knob};
}

knob_values all_knobs(const messages::plan& plan, const language_files& language) {
  knob_values all;
  for (const auto& group : plan.groups) {
    const auto* recipe = language.recipe(group.recipe);
    if (recipe == nullptr) continue;
    for (auto& [name, value] : complete(recipe->manifest, group.knobs)) all[knob_path(group.name, name)] = value;
  }
  return all;
}

std::vector<messages::plan> knob_neighbours(const messages::plan& plan, const language_files& language,
                                            const messages::device_info& device, std::uint64_t seed) {
  std::vector<change> changes;
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    const auto* recipe = language.recipe(plan.groups[i].recipe);
    if (recipe == nullptr) continue;
    auto now = complete(recipe->manifest, plan.groups[i].knobs);
    for (const auto& knob : recipe->manifest.knobs) append_changes(changes, i, knob, now.at(knob.name), device);
  }
  shuffle(changes, seed);
  std::ranges::stable_sort(changes, {}, &change::distance);
  std::vector<messages::plan> plans;
  for (const auto& x : changes) {
    auto changed = plan;
    auto& group = changed.groups[x.group];
    group.knobs[x.knob->name] = x.knob->values[x.to];
    changed.remark = knob_path(group.name, x.knob->name) + " changed";
    if (within_limits(language.recipe(group.recipe)->manifest, group.knobs, device))
      plans.push_back(std::move(changed));
  }
  return plans;
}

}  // namespace dsl
