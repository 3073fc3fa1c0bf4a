// Plans and writes one kernel, for test_map_kernels.py: kernel_writer DSL_FOLDER OUT_FOLDER. In: {"language": name
// ("cpp"), "graph": op graph, "others": [op graph of a further shape], "knobs": {name: value} (of every group that has
// them), "allow_library_calls": bool, "recipes": [name], all if empty, "reference": a task, whose weights the export
// then has, "device": what it is for}; OUT gets the sources, manifest.json and export.py; out: the remark.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "dsl/cpp/language.hpp"
#include "dsl/cuda_c/language.hpp"
#include "dsl/rules_coder.hpp"
#include "dsl/rules_planner.hpp"
#include "dsl/triton/language.hpp"

namespace {

struct question {
  std::string language = "cpp";
  messages::op_graph graph;
  std::vector<messages::op_graph> others;
  messages::knob_values knobs;
  bool allow_library_calls = false;
  std::vector<std::string> recipes;
  std::optional<messages::task> reference;
  messages::device_info device;

  void fields(auto& f) {
    f("language", language);
    f("graph", graph);
    f("others", others);
    f("knobs", knobs);
    f("allow_library_calls", allow_library_calls);
    f("recipes", recipes);
    f("reference", reference);
    f("device", device);
  }
};

using std::filesystem::path;

messages::knob_values known_knobs(messages::knob_values all, const dsl::recipe_files& recipe) {
  std::erase_if(all, [&](const auto& x) { return dsl::find_knob(recipe.manifest, x.first) == nullptr; });
  return all;
}

messages::expected<messages::code_reply> write(const question& asked, const dsl::language& language,
                                               const blobs::blob_store& store) {
  std::vector<messages::op_graph> graphs{asked.graph};
  graphs.insert(graphs.end(), asked.others.begin(), asked.others.end());
  auto planned = dsl::rules_plan(
      {.about = {.device = asked.device}, .wanted = 1, .allow_library_calls = asked.allow_library_calls}, graphs,
      language);
  if (planned.plans.empty()) return messages::code_reply{.remark = planned.remark};
  auto plan = planned.plans.front();
  for (auto& group : plan.groups) group.knobs = known_knobs(asked.knobs, *language.files().recipe(group.recipe));
  return dsl::rules_code({.about = {.device = asked.device}, .plan = plan}, graphs, language, store);
}

messages::expected<std::string> answer(const question& asked, const path& dsl_folder, const path& out) {
  static const dsl::language_makers makers{dsl::cpp::maker(), dsl::cuda_c::maker(), dsl::triton::maker()};
  auto files = dsl::load_language(dsl_folder / asked.language);
  if (!files) return tl::unexpected{files.error()};
  std::erase_if(files->recipes, [&](const auto& x) {
    return !asked.recipes.empty() && std::ranges::count(asked.recipes, x.manifest.name) == 0;
  });
  auto language = makers.at(asked.language)(*files);
  if (!language) return tl::unexpected{language.error()};
  auto store = blobs::blob_store::open(out / "blobs");
  if (!store) return tl::unexpected{store.error()};
  auto reply = write(asked, **language, *store);
  if (!reply) return tl::unexpected{reply.error()};
  if (!reply->manifest) return reply->remark;
  std::map<std::string, std::string> sources;
  for (const auto& source : reply->manifest->sources) {
    sources[source.path] = store->get(source.blob).value();
    std::ofstream{out / source.path} << sources[source.path];
  }
  std::ofstream{out / "manifest.json"} << wire::to_json(*reply->manifest);
  auto exported = (*language)->export_candidate(
      {*reply->manifest, sources, asked.graph.task, asked.reference ? &*asked.reference : nullptr});
  if (!exported) return tl::unexpected{exported.error()};
  std::ofstream{out / "export.py"} << *exported;
  return reply->remark;
}

}  // namespace

int main(int count, char** arguments) {
  std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
  auto asked = wire::from_json<question>(text);
  if (count != 3 || !asked) {
    std::cerr << (asked ? std::string{"kernel_writer DSL_FOLDER OUT_FOLDER"} : to_string(asked.error())) << '\n';
    return 2;
  }
  auto said = answer(*asked, arguments[1], arguments[2]);
  std::cout << (said ? *said : said.error().detail) << '\n';
  return said ? 0 : 1;
}
