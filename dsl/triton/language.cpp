#include "dsl/triton/language.hpp"

#include "dsl/launch_program.hpp"
#include "dsl/mustache.hpp"
#include "dsl/text.hpp"
#include "dsl/triton/export.hpp"
#include "dsl/triton/gemm_recipe.hpp"
#include "dsl/triton/map_recipe.hpp"
#include "dsl/triton/nest_recipe.hpp"

namespace dsl::triton {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;

using make_recipe = std::unique_ptr<recipe> (*)(const recipe_files&);
const std::map<std::string, make_recipe, std::less<>>& implementations() {
  static const std::map<std::string, make_recipe, std::less<>> all{{"colred", &make_colred},
                                                                   {"gemm", &make_gemm},
                                                                   {"map", &make_map},
                                                                   {"rowred", &make_rowred},
                                                                   {"rownorm", &make_rownorm}};
  return all;
}

class triton_language : public language {
public:
  triton_language(language_files files, std::vector<std::unique_ptr<recipe>> recipes)
      : files_(std::move(files)), recipes_(std::move(recipes)) {}

  const language_files& files() const override { return files_; }
  std::span<const std::unique_ptr<recipe>> recipes() const override { return recipes_; }

  /// Kernels of a program for a further shape lie in a file of their own.
  expected<program> assemble(const graph_index& graph, std::span<const group_text> groups,
                             const std::string& suffix) const override {
    auto file = "kernels" + suffix + '.' + files_.manifest.extension;
    auto made = launch_program(graph, groups, file);
    if (!made) return made;
    auto texts = template_list();
    for (const auto& group : groups) texts << template_data{"text", group.text};
    template_data data;
    data.set("task", harmless(graph.graph().task));
    data.set("groups", texts);
    auto text = render(files_.program_template, data, (files_.folder / files_.manifest.program).string());
    if (!text) return tl::unexpected{text.error()};
    made->sources[file] = *std::move(text);
    made->sources.insert(files_.support.begin(), files_.support.end());
    return made;
  }

  expected<std::string> export_candidate(const export_order& order) const override {
    return export_file(files_, order);
  }

private:
  language_files files_;
  std::vector<std::unique_ptr<recipe>> recipes_;
};

}  // namespace

language_makers::value_type maker() { return {"triton", &make_language}; }

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
  return std::make_shared<const triton_language>(std::move(files), std::move(recipes));
}

}  // namespace dsl::triton
