#include "dsl/rules_debugger.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "dsl/knobs.hpp"

namespace dsl {

namespace {

using messages::failure_kind;

enum class way : std::uint8_t { change_knobs, next_plan };

struct rule {
  failure_kind kind;
  dsl::way way;
  std::string_view why;  ///< why nothing more can be done, or nothing at all
};

/// What a change of knobs can cure. All else is a fault of the recipe or of the task: the next plan.
constexpr std::array rules{
    rule{failure_kind::compile_error, way::change_knobs, "no other knobs are left that the compiler may take"},
    rule{failure_kind::out_of_memory, way::change_knobs, "no smaller knobs are left"},
    rule{failure_kind::timeout, way::change_knobs, "no knobs are left that may be faster"},
    rule{failure_kind::crash, way::change_knobs, "no safer knobs are left"},
    rule{failure_kind::load_error, way::change_knobs, "no plainer knobs are left"},
    rule{failure_kind::wrong_values, way::change_knobs, "no safer knobs are left"},
    rule{failure_kind::non_finite, way::change_knobs, "no safer knobs are left"},
    rule{failure_kind::precision_downgrade, way::change_knobs, "no more exact knobs are left"},
    rule{failure_kind::late_write, way::change_knobs, "no safer knobs are left"},
    rule{failure_kind::wrong_shape, way::next_plan, "knobs don't change what is computed"},
    rule{failure_kind::wrong_strides, way::next_plan, "knobs don't change what is computed"},
    rule{failure_kind::wrong_dtype, way::next_plan, "knobs don't change what is computed"},
    rule{failure_kind::input_changed, way::next_plan, "knobs don't change what is written"},
    rule{failure_kind::task_error, way::next_plan, "the task itself fails"},
};

const rule& rule_for(failure_kind kind) {
  static constexpr rule otherwise{failure_kind::unknown, way::next_plan, "knobs don't cure this kind of failure"};
  const auto* found = std::ranges::find(rules, kind, &rule::kind);
  return found == rules.end() ? otherwise : *found;
}

struct repair {
  messages::plan plan;
  std::string why;
};

/// The plan with the remedy in one group; whether it then differs from what was tried.
bool apply(repair& x, std::size_t group, const knob_remedy& remedy, const recipe_manifest& recipe) {
  auto& knobs = x.plan.groups[group].knobs;
  auto before = complete(recipe, knobs);
  for (const auto& [name, value] : remedy.knobs) knobs[name] = value;
  x.why = remedy.why;
  x.plan.remark = remedy.why;
  return complete(recipe, knobs) != before;
}

std::vector<repair> repairs_of(const messages::debug_request& request, const language& language) {
  static constexpr auto kinds = enum_names(failure_kind{});
  std::string kind{kinds[static_cast<std::size_t>(request.failure.kind)]};
  std::vector<repair> repairs;
  for (std::size_t i = 0; i < request.plan.groups.size(); ++i) {
    const auto* recipe = language.files().recipe(request.plan.groups[i].recipe);
    if (recipe == nullptr || !recipe->manifest.remedies.contains(kind)) continue;
    for (const auto& remedy : recipe->manifest.remedies.at(kind)) {
      repair x{request.plan, {}};
      bool changed = apply(x, i, remedy, recipe->manifest);
      bool fits = within_limits(recipe->manifest, x.plan.groups[i].knobs, request.about.device);
      if (changed && fits) repairs.push_back(std::move(x));
    }
  }
  return repairs;
}

}  // namespace

messages::debug_reply rules_debug(const messages::debug_request& request, const language& language,
                                  const debugger_options& options) {
  const auto& rule = rule_for(request.failure.kind);
  if (rule.way == way::next_plan) return {messages::next_plan{}, std::string{rule.why}};
  if (request.repairs >= options.repairs) return {messages::next_plan{}, "enough was tried on this plan"};
  auto repairs = repairs_of(request, language);
  if (repairs.empty()) return {messages::next_plan{}, std::string{rule.why}};
  auto& chosen = repairs.front();  // those that were tried before change nothing any more
  return {messages::change_knobs{std::move(chosen.plan)}, std::move(chosen.why)};
}

}  // namespace dsl
