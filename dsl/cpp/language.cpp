#include "dsl/cpp/language.hpp"

#include <algorithm>
#include <set>

#include "dsl/cpp/dwconv_recipe.hpp"
#include "dsl/cpp/export.hpp"
#include "dsl/cpp/gemm_recipe.hpp"
#include "dsl/cpp/map_recipe.hpp"
#include "dsl/cpp/pool_recipe.hpp"
#include "dsl/cpp/scan_recipe.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;

using make_recipe = std::unique_ptr<recipe> (*)(const recipe_files&);
const std::map<std::string, make_recipe, std::less<>>& implementations() {
  static const std::map<std::string, make_recipe, std::less<>> all{
      {"dwconv", &make_dwconv}, {"gemm", &make_gemm}, {"map", &make_map}, {"pool", &make_pool}, {"scan", &make_scan},
  };
  return all;
}

std::int64_t extent_bytes(const messages::tensor_spec& x) {
  std::int64_t last = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) last += std::max<std::int64_t>(x.shape[i] - 1, 0) * x.strides[i];
  return last * static_cast<std::int64_t>(messages::bytes_of(x.dtype));
}

/// Where each tensor lies during kernelmesh_run.
class places {
public:
  places(const graph_index& graph, std::span<const group_text> groups) : graph_(graph) {
    std::size_t arguments = 0;
    std::set<std::string_view> read;
    for (const auto& group : groups) read.insert(group.reads.begin(), group.reads.end());
    for (const auto& value : graph.graph().values) {
      if (read.contains(value.name)) texts_[value.name] = "&arguments[" + std::to_string(arguments++) + ']';
    }
    const auto& outputs = graph.graph().outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) texts_[outputs[i]] = "&outputs[" + std::to_string(i) + ']';
    for (const auto& group : groups) {
      for (const auto& node : group.writes) {
        if (texts_.emplace(node, "&between_" + node + ".tensor()").second) between_.push_back(node);
      }
    }
  }

  std::string list(const std::vector<std::string>& names) const {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + texts_.at(name);
    return text.empty() ? "{nullptr}" : '{' + text + '}';
  }

  template_data scratch() const {
    auto all = template_list();
    for (const auto& name : between_) {
      const auto& spec = *graph_.spec(name);
      template_data one;
      one.set("name", name);
      one.set("shape", list_of(spec.shape));
      one.set("strides", list_of(spec.strides));
      one.set("dtype", dtype_of(spec.dtype));
      one.set("rank", std::to_string(spec.shape.size()));
      one.set("bytes", std::to_string(extent_bytes(spec)));
      all << one;
    }
    return all;
  }

private:
  const graph_index& graph_;
  std::map<std::string, std::string> texts_;
  std::vector<std::string> between_;
};

class cpp_language : public language {
public:
  cpp_language(language_files files, std::vector<std::unique_ptr<recipe>> recipes)
      : files_(std::move(files)), recipes_(std::move(recipes)) {}

  const language_files& files() const override { return files_; }
  std::span<const std::unique_ptr<recipe>> recipes() const override { return recipes_; }

  expected<program> assemble(const graph_index& graph, std::span<const group_text> groups) const override {
    auto arguments = bind_arguments(graph, groups);
    if (!arguments) return tl::unexpected{arguments.error()};
    auto outputs = bind_outputs(graph, groups);
    if (!outputs) return tl::unexpected{outputs.error()};
    places where{graph, groups};
    template_data data;
    data.set("task", harmless(graph.graph().task));
    data.set("argument_count", std::to_string(arguments->size()));
    data.set("output_count", std::to_string(outputs->size()));
    data.set("scratch", where.scratch());
    data.set("includes", include_data(groups));
    data.set("groups", group_data(groups, where));
    auto text = render(files_.program_template, data, (files_.folder / files_.manifest.program).string());
    if (!text) return tl::unexpected{text.error()};
    auto sources = files_.support;
    sources["kernel." + files_.manifest.extension] = *std::move(text);
    return program{messages::c_abi_entry{}, std::move(sources), *std::move(arguments), *std::move(outputs)};
  }

  expected<std::string> export_candidate(const export_order& order) const override {
    return export_file(files_, order);
  }

private:
  static template_data include_data(std::span<const group_text> groups) {
    std::set<std::string> files;
    for (const auto& group : groups) files.insert(group.includes.begin(), group.includes.end());
    auto all = template_list();
    for (const auto& file : files) {
      template_data one;
      one.set("file", file);
      all << one;
    }
    return all;
  }

  static template_data group_data(std::span<const group_text> groups, const places& where) {
    auto all = template_list();
    for (const auto& group : groups) {
      template_data one;
      one.set("name", group.name);
      one.set("text", group.text);
      one.set("reads", where.list(group.reads));
      one.set("writes", where.list(group.writes));
      all << one;
    }
    return all;
  }

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
