#include "dsl/cpp/language.hpp"

#include <algorithm>

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

const recipe_makers& implementations() {
  static const recipe_makers all{
      {"colred", &make_colred},   {"dwconv", &make_dwconv},   {"gemm", &make_gemm},
      {"library", &make_library}, {"map", &make_map},         {"pool", &make_pool},
      {"rowred", &make_rowred},   {"rownorm", &make_rownorm}, {"scan", &make_scan},
  };
  return all;
}

class cpp_language : public language {
public:
  using language::language;

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
                          .arguments = values_read(graph, groups),
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
};

}  // namespace

language_makers::value_type maker() { return {"cpp", &make_language}; }

expected<std::shared_ptr<const language>> make_language(language_files files) {
  return implemented<cpp_language>(std::move(files), implementations());
}

}  // namespace dsl::cpp
