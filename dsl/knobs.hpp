#pragma once
// A plan's knobs against what the recipes' manifests declare. Pure code; "complete" knobs have a value for each knob of
// the recipe.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/manifest.hpp"
#include "messages/records/device.hpp"
#include "messages/records/knob_space.hpp"
#include "messages/records/plan.hpp"

namespace dsl {

/// Those of the plan, and the recipe's default for the others. Knobs that the recipe does not have are left out.
messages::knob_values complete(const recipe_manifest& recipe, const messages::knob_values& knobs);

/// The value of a complete set of knobs; the knob must be of that kind.
std::int64_t integer_knob(const messages::knob_values& knobs, const std::string& name);
const std::string& word_knob(const messages::knob_values& knobs, const std::string& name);

/// Whether the device's limits leave room for the value; words are never bound.
bool within_limits(const knob_manifest& knob, const messages::knob_value& value, const messages::device_info& device);

/// The same for all knobs of the recipe and for its constraints; those left out have their default, unknown ones do not
/// count.
bool within_limits(const recipe_manifest& recipe, const messages::knob_values& knobs,
                   const messages::device_info& device);

/// The first constraint that complete knobs break on the device; null: none.
const knob_constraint* broken_constraint(const recipe_manifest& recipe, const messages::knob_values& knobs,
                                         const messages::device_info& device);

/// What can be chosen for the recipe on the device: values within its limits, constraints with its numbers.
messages::knob_space space_of(const recipe_manifest& recipe, const messages::device_info& device);

/// The spaces of all recipes that the plans use, by name.
std::map<std::string, messages::knob_space> spaces_of(const std::vector<messages::plan>& plans,
                                                      const language_files& language,
                                                      const messages::device_info& device);

/// "g0.block": how a candidate's manifest names the knob of a group.
std::string knob_path(std::string_view group, std::string_view knob);

/// Complete knobs of all groups by their paths. Groups with a recipe that the language lacks are left out.
messages::knob_values all_knobs(const messages::plan& plan, const language_files& language);

/// Plans that differ from this one in one knob, within the device's limits: each once. Neighbouring values of integers
/// come before those further away; within that, the order follows from the seed alone.
std::vector<messages::plan> knob_neighbours(const messages::plan& plan, const language_files& language,
                                            const messages::device_info& device, std::uint64_t seed);

}  // namespace dsl
