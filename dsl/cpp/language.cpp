#include "dsl/cpp/language.hpp"

#include <algorithm>
#include <set>

#include "dsl/cpp/dwconv_recipe.hpp"
#include "dsl/cpp/export.hpp"
#include "dsl/cpp/gemm_recipe.hpp"
#include "dsl/cpp/hosted_program.hpp"
#include "dsl/cpp/kernel_source.hpp"
#include "dsl/cpp/library_recipe.hpp"
#include "dsl/cpp/map_recipe.hpp"
#include "dsl/cpp/nest_recipe.hpp"
#include "dsl/cpp/pool_recipe.hpp"
#include "dsl/cpp/scan_recipe.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;

using make_recipe = std::unique_ptr<recipe> (*)(const recipe_files&);
const std::map<std::string, make_recipe, std::less<>>& implementations() {
  static const std::map<std::string, make_recipe, std::less<>> all{
      {"colred", &make_colred},   {"dwconv", &make_dwconv},   {"gemm", &make_gemm},
      {"library", &make_library}, {"map", &make_map},         {"pool", &make_pool},
      {"rowred", &make_rowred},   {"rownorm", &make_rownorm}, {"scan", &make_scan},
  };
  return all;
}

/// In the order of bind_arguments.
std::vector<std::string> arguments_of(const graph_index& graph, std::span<const group_text> groups) {
  std::set<std::string_view> read;
  for (const auto& group : groups) read.insert(group.reads.begin(), group.reads.end());
  std::vector<std::string> names;
  for (const auto& value : graph.graph().values)
    if (read.contains(value.name)) names.push_back(value.name);
  return names;
}

class cpp_language : public language {
public:
  cpp_language(language_files files, std::vector<std::unique_ptr<recipe>> recipes)
      : files_(std::move(files)), recipes_(std::move(recipes)) {}

  const language_files& files() const override { return files_; }
  std::span<const std::unique_ptr<recipe>> recipes() const override { return recipes_; }

  expected<program> assemble(const graph_index& graph, std::span<const group_text> groups,
                             const std::string& suffix) const override {
    if (std::ranges::any_of(groups, &group_text::library)) return hosted_program(files_, graph, groups);
    auto arguments = bind_arguments(graph, groups);
    if (!arguments) return tl::unexpected{arguments.error()};
    auto outputs = bind_outputs(graph, groups);
    if (!outputs) return tl::unexpected{outputs.error()};
    messages::c_abi_entry entry;
    entry.function += suffix;
    kernel_function whole{.name = entry.function,
                          .arguments = arguments_of(graph, groups),
                          .outputs = graph.graph().outputs,
                          .groups = groups};
    auto text = kernel_source(files_, graph, {&whole, 1});
    if (!text) return tl::unexpected{text.error()};
    auto sources = files_.support;
    sources["kernel" + suffix + '.' + files_.manifest.extension] = *std::move(text);
    return program{std::move(entry), std::move(sources), *std::move(arguments), *std::move(outputs)};
  }

  expected<std::string> export_candidate(const export_order& order) const override {
    return export_file(files_, order);
  }

private:
  language_files files_;
  std::vector<std::unique_ptr<recipe>> recipes_;
};

}  // namespace

language_makers::value_type maker() { return {"cpp", &make_language}; }

expected<std::shared_ptr<const language>> make_language(language_files files) {
  std::vector<std::unique_ptr<recipe>> recipes;
  for (const auto& x : files.recipes) {
    auto implementation = implementations().find(x.manifest.name);
    if (implementation == implementations().end()) {
      return fail(failure_code::misconfigured,
                  (files.folder / "manifest.json").string() + ": recipes: nothing implements " + x.manifest.name);
    }
    recipes.push_back(implementation->second(x));
  }
  return std::make_shared<const cpp_language>(std::move(files), std::move(recipes));
}

}  // namespace dsl::cpp
