#include "dsl/recipe.hpp"

#include <algorithm>
#include <set>

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

expected<language_set> language_set::make(const registry& from, const language_makers& makers) {
  language_set set;
  for (const auto& files : from.languages()) {
    auto maker = makers.find(files.manifest.name);
    if (maker == makers.end()) continue;
    auto made = maker->second(files);
    if (!made) return tl::unexpected{made.error()};
    set.languages_.push_back(*std::move(made));
  }
  return set;
}

std::shared_ptr<const language> language_set::find(std::string_view name) const {
  auto found = std::ranges::find_if(languages_, [&](const auto& x) { return x->name() == name; });
  return found == languages_.end() ? nullptr : *found;
}

expected<std::vector<std::unique_ptr<recipe>>> implement(const language_files& files, const recipe_makers& makers) {
  std::vector<std::unique_ptr<recipe>> recipes;
  for (const auto& x : files.recipes) {
    auto maker = makers.find(x.manifest.name);
    if (maker == makers.end())
      return fail(failure_code::misconfigured,
                  (files.folder / "manifest.json").string() + ": recipes: nothing implements " + x.manifest.name);
    recipes.push_back(maker->second(x));
  }
  return recipes;
}

std::vector<std::string> values_read(const graph_index& graph, std::span<const group_text> groups) {
  std::set<std::string_view> read;
  for (const auto& group : groups) read.insert(group.reads.begin(), group.reads.end());
  std::vector<std::string> names;
  for (const auto& value : graph.graph().values)
    if (read.contains(value.name)) names.push_back(value.name);
  return names;
}

expected<std::vector<messages::argument_binding>> bind_arguments(const graph_index& graph,
                                                                 std::span<const group_text> groups) {
  std::vector<messages::argument_binding> bindings;
  for (const auto& name : values_read(graph, groups)) {
    const auto& value = *graph.value(name);
    if (value.origin == messages::value_origin::constant) {
      return fail(failure_code::bad_input, "not covered: constant tensor " + value.name);
    }
    bindings.push_back({value.origin, value.index, value.path, value.spec});
  }
  return bindings;
}

expected<std::vector<messages::tensor_spec>> bind_outputs(const graph_index& graph,
                                                          std::span<const group_text> groups) {
  std::set<std::string_view> written;
  for (const auto& group : groups) written.insert(group.writes.begin(), group.writes.end());
  std::vector<messages::tensor_spec> specs;
  for (const auto& output : graph.graph().outputs) {
    if (written.erase(output) == 0) {
      return fail(failure_code::bad_input, "not covered: output " + output + " is returned twice or as it came in");
    }
    specs.push_back(*graph.spec(output));
  }
  return specs;
}

}  // namespace dsl
