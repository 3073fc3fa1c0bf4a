#include "dsl/cpp/kernel_source.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "dsl/cpp/text.hpp"
#include "dsl/mustache.hpp"

namespace dsl::cpp {

namespace {

std::int64_t extent_bytes(const messages::tensor_spec& x) {
  std::int64_t last = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) last += std::max<std::int64_t>(x.shape[i] - 1, 0) * x.strides[i];
  return last * static_cast<std::int64_t>(messages::bytes_of(x.dtype));
}

/// Where each tensor lies while a function runs.
class places {
public:
  places(const graph_index& graph, const kernel_function& function) : graph_(graph) {
    add(function.arguments, "&arguments[");
    add(function.outputs, "&outputs[");
    for (const auto& group : function.groups) {
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
  void add(const std::vector<std::string>& names, const std::string& array) {
    for (std::size_t i = 0; i < names.size(); ++i) texts_[names[i]] = array + std::to_string(i) + ']';
  }

  const graph_index& graph_;
  std::map<std::string, std::string> texts_;
  std::vector<std::string> between_;
};

template_data function_data(const graph_index& graph, const kernel_function& function) {
  places where{graph, function};
  auto steps = template_list();
  for (const auto& group : function.groups) {
    template_data one;
    one.set("name", group.name);
    one.set("reads", where.list(group.reads));
    one.set("writes", where.list(group.writes));
    steps << one;
  }
  template_data data;
  data.set("function", function.name);
  data.set("argument_count", std::to_string(function.arguments.size()));
  data.set("output_count", std::to_string(function.outputs.size()));
  data.set("scratch", where.scratch());
  data.set("steps", steps);
  return data;
}

template_data include_data(std::span<const kernel_function> functions) {
  std::set<std::string> files;
  for (const auto& function : functions)
    for (const auto& group : function.groups) files.insert(group.includes.begin(), group.includes.end());
  auto all = template_list();
  for (const auto& file : files) all << template_data{"file", file};
  return all;
}

}  // namespace

messages::expected<std::string> kernel_source(const language_files& files, const graph_index& graph,
                                              std::span<const kernel_function> functions) {
  auto groups = template_list();
  auto all = template_list();
  for (const auto& function : functions) {
    for (const auto& group : function.groups) groups << template_data{"text", group.text};
    all << function_data(graph, function);
  }
  template_data data;
  data.set("task", harmless(graph.graph().task));
  data.set("includes", include_data(functions));
  data.set("groups", groups);
  data.set("functions", all);
  return render(files.program_template, data, (files.folder / files.manifest.program).string());
}

}  // namespace dsl::cpp
