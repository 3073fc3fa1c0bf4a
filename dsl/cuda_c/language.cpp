#include "dsl/cuda_c/language.hpp"

#include "dsl/cuda_c/export.hpp"
#include "dsl/cuda_c/map_recipe.hpp"
#include "dsl/cuda_c/nest_recipe.hpp"
#include "dsl/launch_program.hpp"

namespace dsl::cuda_c {

namespace {

using messages::expected;

const recipe_makers& implementations() {
  static const recipe_makers all{
      {"colred", &make_colred}, {"map", &make_map}, {"rowred", &make_rowred}, {"rownorm", &make_rownorm}};
  return all;
}

class cuda_language : public language {
public:
  using language::language;

  expected<program> assemble(const graph_index& graph, std::span<const group_text> groups,
                             const std::string& suffix) const override {
    return launch_program(files_, graph, groups, "kernel" + suffix + '.' + files_.manifest.extension);
  }

  expected<std::string> export_candidate(const export_order& order) const override {
    return export_file(files_, order);
  }
};

}  // namespace

language_makers::value_type maker() { return {"cuda_c", &make_language}; }

expected<std::shared_ptr<const language>> make_language(language_files files) {
  return implemented<cuda_language>(std::move(files), implementations());
}

}  // namespace dsl::cuda_c
