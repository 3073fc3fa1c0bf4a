#include "dsl/triton/language.hpp"

#include "dsl/launch_program.hpp"
#include "dsl/triton/export.hpp"
#include "dsl/triton/gemm_recipe.hpp"
#include "dsl/triton/map_recipe.hpp"
#include "dsl/triton/nest_recipe.hpp"

namespace dsl::triton {

namespace {

using messages::expected;

const recipe_makers& implementations() {
  static const recipe_makers all{{"colred", &make_colred},
                                 {"gemm", &make_gemm},
                                 {"map", &make_map},
                                 {"rowred", &make_rowred},
                                 {"rownorm", &make_rownorm}};
  return all;
}

class triton_language : public language {
public:
  using language::language;

  /// Kernels of a program for a further shape lie in a file of their own.
  expected<program> assemble(const graph_index& graph, std::span<const group_text> groups,
                             const std::string& suffix) const override {
    return launch_program(files_, graph, groups, "kernels" + suffix + '.' + files_.manifest.extension);
  }

  expected<std::string> export_candidate(const export_order& order) const override {
    return export_file(files_, order);
  }
};

}  // namespace

language_makers::value_type maker() { return {"triton", &make_language}; }

expected<std::shared_ptr<const language>> make_language(language_files files) {
  return implemented<triton_language>(std::move(files), implementations());
}

}  // namespace dsl::triton
