#include "dsl/cpp/library_recipe.hpp"

#include <algorithm>
#include <set>

#include "dsl/cpp/operator_call.hpp"
#include "dsl/cpp/text.hpp"
#include "dsl/mustache.hpp"
#include "dsl/python_text.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;
using messages::graph_node;

/// Results of one call of an operator.
bool same_call(const graph_node& a, const graph_node& b) {
  return a.op == b.op && a.overload == b.overload && a.arguments == b.arguments && a.result != b.result;
}

/// The nodes in the graph's order, those of one call together.
std::vector<std::vector<const graph_node*>> calls_of(const graph_index& graph, std::span<const std::string> names) {
  std::vector<const graph_node*> nodes;
  for (const auto& name : names) nodes.push_back(graph.node(name));
  std::ranges::sort(nodes, {}, [&](const graph_node* x) { return graph.position(*x); });
  std::vector<std::vector<const graph_node*>> calls;
  for (const auto* node : nodes) {
    auto known = std::ranges::find_if(calls, [&](const auto& call) {
      return std::ranges::all_of(call, [&](const auto* other) { return same_call(*other, *node); });
    });
    if (known == calls.end()) {
      calls.push_back({node});
    } else {
      known->push_back(node);
    }
  }
  return calls;
}

/// As a formatter has it: one line, or the arguments on lines of their own.
std::vector<std::string> call_lines(const std::string& before, const python_call& call, const std::string& after) {
  constexpr std::size_t widest = 112;  // beside the indentation
  auto text = before + call.text() + after;
  if (text.size() <= widest) return {text};
  std::vector<std::string> lines{before + call.function + '('};
  for (const auto& argument : call.arguments) lines.push_back("    " + argument + ',');
  lines.push_back(')' + after);
  return lines;
}

bool is_used(const graph_index& graph, const graph_node& node) {
  return graph.is_output(node.name) || !graph.users(node.name).empty();
}

/// What updates a buffer may be called once only.
expected<void> check_called_once(const graph_index& graph, const graph_node& node, std::span<const std::string> group) {
  if (changed_by(node).empty()) return {};
  for (const auto& other : graph.graph().nodes) {
    if (same_call(node, other) && std::ranges::find(group, other.name) == group.end()) {
      return fail(failure_code::bad_input, node.name + " changes buffers and needs " + other.name + " beside it");
    }
  }
  return {};
}

expected<void> check_constants(const graph_index& graph, const graph_node& node) {
  for (auto used : tensors_used(node)) {
    const auto* value = graph.value(used);
    if (value != nullptr && value->origin == messages::value_origin::constant && !value->number) {
      return fail(failure_code::bad_input, "constant tensor " + value->name + " can't be had");
    }
  }
  return {};
}

/// An operator may have several results even where the graph has one.
std::vector<std::string> lines_of(const graph_index& graph, const std::vector<const graph_node*>& results) {
  auto call = operator_call(*results.front()).value();
  std::vector<const graph_node*> used;
  std::ranges::copy_if(results, std::back_inserter(used), [&](const auto* x) { return is_used(graph, *x); });
  if (used.empty()) return call_lines("", call, "");
  auto name = python_name(used.front()->name);
  if (used.size() == 1 && used.front()->result == 0) return call_lines(name + " = first(", call, ")");
  auto lines = call_lines("several = ", call, "");
  for (const auto* node : used)
    lines.push_back(python_name(node->name) + " = several[" + std::to_string(node->result) + ']');
  lines.emplace_back("del several");
  return lines;
}

/// What goes into the group and what comes out of it.
void add_tensors(group_text& to, const group_order& order, const std::vector<std::vector<const graph_node*>>& calls) {
  std::set<std::string_view> own{order.group.nodes.begin(), order.group.nodes.end()};
  std::set<std::string_view> read;
  auto outside = [&](const graph_node* user) { return !own.contains(user->name); };
  for (const auto& call : calls) {
    for (auto used : tensors_used(*call.front()))
      if (!own.contains(used) && read.insert(used).second) to.reads.emplace_back(used);
    for (const auto* node : call) {
      bool needed = order.graph.is_output(node->name) || std::ranges::any_of(order.graph.users(node->name), outside);
      if (needed) to.writes.push_back(node->name);
    }
  }
}

class library_recipe : public recipe {
public:
  explicit library_recipe(recipe_files files) : files_(std::move(files)) {}

  std::string_view name() const override { return files_.manifest.name; }

  expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    for (const auto& name : nodes) {
      const auto& node = *graph.node(name);
      if (auto call = operator_call(node); !call) return tl::unexpected{call.error()};
      if (auto ok = check_constants(graph, node); !ok) return ok;
      if (auto ok = check_called_once(graph, node, nodes); !ok) return ok;
    }
    return {};
  }

  expected<group_text> render(const group_order& order) const override {
    if (auto ok = covers(order.graph, order.group.nodes); !ok) return tl::unexpected{ok.error()};
    group_text result{.name = order.group.name, .library = true};
    auto calls = calls_of(order.graph, order.group.nodes);
    add_tensors(result, order, calls);
    std::string operators;
    auto lines = template_list();
    for (const auto& call : calls) {
      operators += (operators.empty() ? "" : ", ") + call.front()->op;
      for (const auto& line : lines_of(order.graph, call)) lines << template_data{"line", line};
    }
    template_data data;
    data.set("name", order.group.name);
    data.set("summary", operators);
    data.set("lines", lines);
    auto text = dsl::render(files_.template_text, data, (files_.folder / files_.manifest.template_file).string());
    if (!text) return tl::unexpected{text.error()};
    result.text = *std::move(text);
    return result;
  }

private:
  recipe_files files_;
};

}  // namespace

std::unique_ptr<recipe> make_library(const recipe_files& files) { return std::make_unique<library_recipe>(files); }

}  // namespace dsl::cpp
