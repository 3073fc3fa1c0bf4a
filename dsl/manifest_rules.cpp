#include "dsl/manifest_rules.hpp"

#include <algorithm>
#include <set>

#include "dsl/knobs.hpp"
#include "dsl/op_graph.hpp"
#include "messages/records/verdict.hpp"

namespace dsl {

namespace {

using problem = std::optional<std::string>;

std::string place(std::string_view key, std::size_t i, std::string_view inner = {}) {
  auto text = std::string{key} + '[' + std::to_string(i) + ']';
  return inner.empty() ? text : text + '.' + std::string{inner};
}

problem version_problem(std::uint32_t version) {
  if (version == 1) return std::nullopt;
  return "version: " + std::to_string(version) + ", but only 1 is known";
}

problem missing(std::string_view key, bool is_empty) {
  return is_empty ? problem{std::string{key} + ": is missing"} : std::nullopt;
}

/// A relative path that stays inside; the manifest's `support` may leave the folder, nothing else.
problem path_problem(const std::string& key, const std::string& path) {
  std::filesystem::path x{path};
  bool leaves = x.is_absolute() || std::ranges::any_of(x, [](const auto& part) { return part == ".."; });
  return leaves ? problem{key + ": \"" + path + "\" leaves the folder"} : std::nullopt;
}

/// Recipes may share one that lies beside their folders.
problem template_problem(const std::string& path) {
  auto below = path.starts_with("../") ? path.substr(3) : path;
  return path_problem("template", below) ? path_problem("template", path) : std::nullopt;
}

problem knob_problem(const knob_manifest& knob, const std::string& at) {
  if (!is_identifier(knob.name)) return at + ".name: \"" + knob.name + "\" is not an identifier";
  if (knob.values.empty()) return at + ".values: is missing";
  auto index = static_cast<std::size_t>(knob.kind == knob_kind::choice);
  for (const auto& value : knob.values) {
    if (value.index() != index)
      return at + ".values: " + to_text(value) + (index == 0 ? " is no integer" : " is no word");
  }
  if (!lists(knob, knob.standard)) return at + ".default: " + to_text(knob.standard) + " is not among the values";
  if (index == 0 && !std::ranges::is_sorted(knob.values)) return at + ".values: are not ascending";
  if (index == 1 && !knob.bounds.empty()) return at + ".bounds: only an integer can have them";
  return missing(at + ".meaning", knob.meaning.empty());
}

problem knobs_problem(const recipe_manifest& x) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < x.knobs.size(); ++i) {
    if (auto p = knob_problem(x.knobs[i], place("knobs", i))) return p;
    if (!names.insert(x.knobs[i].name).second) return place("knobs", i, "name") + ": stands twice";
  }
  return std::nullopt;
}

problem settings_problem(const recipe_manifest& x, const messages::knob_values& settings, const std::string& at) {
  for (const auto& [name, value] : settings) {
    const auto* knob = find_knob(x, name);
    if (knob == nullptr) return at + '.' + name + ": the recipe has no such knob";
    if (!lists(*knob, value)) {
      return at + '.' + name + ": " + to_text(value) + " is not among the values " + values_of(*knob);
    }
  }
  return std::nullopt;
}

bool is_integer_knob(const recipe_manifest& x, const std::string& name) {
  const auto* knob = find_knob(x, name);
  return knob != nullptr && knob->kind == knob_kind::integer;
}

/// At least one product or a pair, of integer knobs that are there.
problem constraint_problem(const recipe_manifest& x, const knob_constraint& constraint, const std::string& at) {
  if (constraint.products.empty() && constraint.multiple.empty()) return at + ": says nothing";
  if (!constraint.multiple.empty() && constraint.multiple.size() != 2) return at + ".multiple: takes two knobs";
  auto named = constraint.products;
  named.push_back(constraint.multiple);
  for (const auto& names : named)
    for (const auto& name : names)
      if (!is_integer_knob(x, name)) return at + ": \"" + name + "\" is no integer knob of the recipe";
  if (!constraint.products.empty() && constraint.limit.empty() == (constraint.at_most <= 0))
    return at + ": products need either a limit or at_most";
  if (!(constraint.each > 0)) return at + ".each: is not above 0";
  if (auto p = settings_problem(x, constraint.where, at + ".where")) return p;
  return missing(at + ".why", constraint.why.empty());
}

problem constraints_problem(const recipe_manifest& x) {
  for (std::size_t i = 0; i < x.constraints.size(); ++i)
    if (auto p = constraint_problem(x, x.constraints[i], place("constraints", i))) return p;
  return std::nullopt;
}

/// On a device that states no limits.
problem together_problem(const recipe_manifest& x, const messages::knob_values& knobs, const std::string& at) {
  const auto* broken = broken_constraint(x, complete(x, knobs), {});
  return broken ? problem{at + ": do not go together: " + broken->why} : std::nullopt;
}

problem presets_problem(const recipe_manifest& x) {
  if (x.presets.empty()) return "presets: is missing";
  for (std::size_t i = 0; i < x.presets.size(); ++i) {
    if (auto p = missing(place("presets", i, "name"), x.presets[i].name.empty())) return p;
    if (auto p = settings_problem(x, x.presets[i].knobs, place("presets", i, "knobs"))) return p;
    if (auto p = together_problem(x, x.presets[i].knobs, place("presets", i, "knobs"))) return p;
  }
  return std::nullopt;
}

problem remedies_problem(const recipe_manifest& x) {
  static constexpr auto kinds = enum_names(messages::failure_kind{});
  for (const auto& [kind, remedies] : x.remedies) {
    if (std::ranges::find(kinds, kind) == kinds.end()) return "remedies." + kind + ": is no kind of failure";
    for (std::size_t i = 0; i < remedies.size(); ++i) {
      auto at = place("remedies." + kind, i);
      if (auto p = missing(at + ".why", remedies[i].why.empty())) return p;
      if (auto p = settings_problem(x, remedies[i].knobs, at + ".knobs")) return p;
    }
  }
  return std::nullopt;
}

}  // namespace

problem problem_of(const recipe_manifest& x) {
  if (auto p = version_problem(x.version)) return p;
  if (auto p = missing("name", x.name.empty())) return p;
  if (auto p = missing("covers", x.covers.empty())) return p;
  if (auto p = missing("template", x.template_file.empty())) return p;
  if (auto p = template_problem(x.template_file)) return p;
  if (auto p = knobs_problem(x)) return p;
  if (auto p = constraints_problem(x)) return p;
  if (auto p = together_problem(x, {}, "constraints: the defaults")) return p;
  if (auto p = presets_problem(x)) return p;
  return remedies_problem(x);
}

problem problem_of(const language_manifest& x) {
  if (auto p = version_problem(x.version)) return p;
  if (auto p = missing("name", x.name.empty())) return p;
  if (!is_identifier(x.name)) return "name: \"" + x.name + "\" is not an identifier";
  if (auto p = missing("devices", x.devices.empty())) return p;
  if (auto p = missing("extension", x.extension.empty())) return p;
  if (auto p = missing("adapter", x.adapter.empty())) return p;
  for (const auto& [key, path] : std::map<std::string, std::string>{
           {"adapter", x.adapter}, {"program", x.program}, {"host", x.host}, {"export", x.exporter}}) {
    if (auto p = path_problem(key, path)) return p;
  }
  for (const auto& [path, file] : x.support) {
    if (auto p = path_problem("support", path)) return p;
  }
  return std::nullopt;
}

bool lists(const knob_manifest& knob, const messages::knob_value& value) {
  return std::ranges::find(knob.values, value) != knob.values.end();
}

std::string to_text(const messages::knob_value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return '"' + std::get<std::string>(value) + '"';
}

std::string values_of(const knob_manifest& knob) {
  std::string text;
  for (const auto& value : knob.values) text += (text.empty() ? "" : ", ") + to_text(value);
  return text;
}

}  // namespace dsl
