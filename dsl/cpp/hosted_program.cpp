#include "dsl/cpp/hosted_program.hpp"

#include <ranges>
#include <set>

#include "dsl/cpp/kernel_source.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/mustache.hpp"
#include "dsl/python_text.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;
using messages::value_origin;

using names = std::vector<std::string>;

/// A group of a library, or kernels that run one after the other and so are one call.
struct step {
  std::span<const group_text> groups;
  names reads;   ///< from outside
  names writes;  ///< that are used outside
  names done;    ///< what nobody needs after it

  bool is_library() const { return groups.front().library; }
};

std::vector<step> steps_of(std::span<const group_text> groups) {
  std::vector<step> steps;
  for (std::size_t begin = 0; begin < groups.size();) {
    std::size_t end = begin + 1;
    while (!groups[begin].library && end < groups.size() && !groups[end].library) ++end;
    steps.push_back({groups.subspan(begin, end - begin), {}, {}, {}});
    begin = end;
  }
  return steps;
}

void find_reads(step& x) {
  std::set<std::string_view> known;
  for (const auto& group : x.groups) {
    for (const auto& name : group.reads)
      if (known.insert(name).second) x.reads.push_back(name);
    known.insert(group.writes.begin(), group.writes.end());
  }
}

/// From the last step to the first: what is needed behind it.
void find_writes(std::vector<step>& steps, const graph_index& graph) {
  const auto& outputs = graph.graph().outputs;
  std::set<std::string_view> needed{outputs.begin(), outputs.end()};
  for (auto& x : std::views::reverse(steps)) {
    for (const auto& group : x.groups)
      for (const auto& name : group.writes)
        if (needed.contains(name)) x.writes.push_back(name);
    for (const auto& name : x.reads) {
      bool last = needed.insert(name).second;
      if (last && graph.node(name) != nullptr) x.done.push_back(name);
    }
  }
}

std::vector<step> linked_steps(std::span<const group_text> groups, const graph_index& graph) {
  auto steps = steps_of(groups);
  for (auto& x : steps) find_reads(x);
  find_writes(steps, graph);
  return steps;
}

std::vector<kernel_function> functions_of(const std::vector<step>& steps) {
  std::vector<kernel_function> functions;
  for (const auto& x : steps) {
    if (x.is_library()) continue;
    functions.push_back({"kernelmesh_run_" + x.groups.front().name, x.reads, x.writes, x.groups});
  }
  return functions;
}

// -- model.py ---------------------------------------------------------------------------------------------------------

std::string spec_text(const messages::tensor_spec& x) {
  return "Spec(" + python_tuple(x.shape) + ", " + python_tuple(x.strides) + ", " + python_dtype(x.dtype) + ')';
}

template_data specs(const graph_index& graph, const names& of) {
  auto all = template_list();
  for (const auto& name : of) all << template_data{"spec", spec_text(*graph.spec(name))};
  return all;
}

std::string group_names(const step& x) {
  std::string text;
  for (const auto& group : x.groups) text += (text.empty() ? "" : ", ") + group.name;
  return text;
}

template_data step_data(const step& x) {
  template_data data;
  data.set("library", x.is_library());
  data.set("name", x.groups.front().name);
  if (x.is_library()) data.set("text", x.groups.front().text);
  data.set("groups", group_names(x));
  data.set("reads", python_names(x.reads));
  if (!x.writes.empty()) data.set("writes", python_names(x.writes));
  if (!x.done.empty()) data.set("done", python_names(x.done));
  return data;
}

template_data kernels_data(const graph_index& graph, const std::vector<kernel_function>& functions) {
  auto all = template_list();
  for (const auto& function : functions) {
    template_data one;
    one.set("name", function.groups.front().name);
    one.set("function", function.name);
    one.set("arguments", specs(graph, function.arguments));
    one.set("outputs", specs(graph, function.outputs));
    all << one;
  }
  return all;
}

/// Names of the graph's values that the forward needs, in the graph's order.
std::vector<const messages::graph_value*> values_read(const graph_index& graph, const std::vector<step>& steps) {
  const auto& outputs = graph.graph().outputs;
  std::set<std::string_view> read{outputs.begin(), outputs.end()};
  for (const auto& x : steps) read.insert(x.reads.begin(), x.reads.end());
  std::vector<const messages::graph_value*> found;
  for (const auto& value : graph.graph().values)
    if (read.contains(value.name)) found.push_back(&value);
  return found;
}

expected<void> add_values(template_data& data, const graph_index& graph, const std::vector<step>& steps) {
  auto inputs = template_list();
  auto held = template_list();
  names variables;
  for (const auto* value : values_read(graph, steps)) {
    template_data one;
    one.set("spec", spec_text(value->spec));
    one.set("variable", python_name(value->name));
    one.set("index", std::to_string(value->index));
    if (value->origin == value_origin::input) {
      inputs << one;
      continue;
    }
    if (value->origin == value_origin::constant && !value->number)
      return fail(failure_code::bad_input, "not covered: constant tensor " + value->name);
    one.set("path", python_text(value->origin == value_origin::constant ? value->name : value->path));
    one.set("number", value->number ? python_number(*value->number) : "None");
    one.set("buffer", value->origin == value_origin::buffer ? "True" : "False");
    held << one;
    variables.push_back(value->name);
  }
  data.set("inputs", inputs);
  data.set("held", held);
  auto text = python_names(variables);
  if (!variables.empty()) data.set("variables", variables.size() == 1 ? '(' + text + ",)" : text);
  return {};
}

expected<std::string> model_file(const language_files& files, const graph_index& graph,
                                 const std::vector<step>& steps) {
  template_data data;
  if (auto ok = add_values(data, graph, steps); !ok) return tl::unexpected{ok.error()};
  auto list = template_list();
  for (const auto& x : steps) list << step_data(x);
  data.set("task", harmless(graph.graph().task));
  data.set("steps", list);
  data.set("kernels", kernels_data(graph, functions_of(steps)));
  data.set("results", python_names(graph.graph().outputs));
  return render(files.host_template, data, (files.folder / files.manifest.host).string());
}

constexpr std::string_view model_begins = "# -- the model --";

}  // namespace

expected<program> hosted_program(const language_files& files, const graph_index& graph,
                                 std::span<const group_text> groups) {
  auto steps = linked_steps(groups, graph);
  auto functions = functions_of(steps);
  if (functions.empty()) return fail(failure_code::bad_input, "not covered: a library would do all of the work");
  auto kernel = kernel_source(files, graph, functions);
  if (!kernel) return tl::unexpected{kernel.error()};
  auto model = model_file(files, graph, steps);
  if (!model) return tl::unexpected{model.error()};
  messages::python_host_entry entry;
  auto sources = files.support;
  sources["kernel." + files.manifest.extension] = *std::move(kernel);
  sources[entry.file] = *std::move(model);
  return program{std::move(entry), std::move(sources), {}, {}};
}

expected<std::string> model_text(const std::string& file) {
  auto begin = file.find(model_begins);
  if (begin == std::string::npos)
    return fail(failure_code::bad_input, "export: the candidate's Python file was not written here");
  auto end = file.find_last_not_of('\n');
  return file.substr(begin, end + 1 - begin);
}

}  // namespace dsl::cpp
