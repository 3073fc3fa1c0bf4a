#include "dsl/algebra/simplify.hpp"

#include <algorithm>

#include "dsl/algebra/rules.hpp"

namespace dsl::algebra {

using messages::graph_node;
using messages::op_graph;

namespace {

/// Each rewriting makes a graph smaller or cheaper; this only ends a pair of rules that undo each other.
constexpr std::size_t most_rewritings_a_node = 16;

struct rewriting {
  std::string_view rule;
  std::size_t position;  ///< of the node that is replaced
  std::string replacement;
  std::vector<graph_node> fresh;
};

/// What forward returns must stay computed, must not become a view of a value, and no tensor may be returned twice.
bool may_be_returned(const graph_index& graph, const graph_node& node, const rewriting& x) {
  auto find = [&](std::string_view name) -> const graph_node* {
    auto found = std::ranges::find(x.fresh, name, &graph_node::name);
    return found == x.fresh.end() ? graph.node(name) : &*found;
  };
  std::string_view root = x.replacement;
  const auto* made = find(root);
  while (made != nullptr && is_view(*made)) {
    root = tensor_in(*made);
    made = find(root);
  }
  bool computed = made != nullptr || root == root_of(graph, node.name);
  return computed && !graph.is_output(x.replacement);
}

/// A tensor that is written to later is not what a copy of it is.
bool is_buffer(const graph_index& graph, std::string_view tensor) {
  const auto* value = graph.value(root_of(graph, tensor));
  return value != nullptr && value->origin == messages::value_origin::buffer;
}

/// Where an argument was not what its operator's schema says, a rule may have taken nothing for a tensor.
bool is_whole(const builder& make, const rewriting& x) {
  auto known = [&](std::string_view name) { return make.knows(name); };
  return known(x.replacement) && std::ranges::all_of(x.fresh, [&](const auto& node) {
           auto used = tensors_used(node);
           return !used.empty() && std::ranges::all_of(used, known);
         });
}

bool is_allowed(const graph_index& graph, const builder& make, const graph_node& node, const rewriting& x) {
  if (!is_whole(make, x)) return false;
  if (x.replacement == node.name || !same_layout(make.spec(x.replacement), node.output)) return false;
  if (!is_view(node) && is_buffer(graph, x.replacement)) return false;
  return !graph.is_output(node.name) || may_be_returned(graph, node, x);
}

std::optional<rewriting> first_of(const graph_index& graph, std::size_t position) {
  const auto& node = graph.graph().nodes[position];
  if (has_effect(node)) return std::nullopt;
  for (const auto& rule : all_rules()) {
    builder make{graph};
    auto found = rule.apply({graph, node}, make);
    if (!found) continue;
    rewriting x{rule.name, position, *std::move(found), make.nodes()};
    if (is_allowed(graph, make, node, x)) return x;
  }
  return std::nullopt;
}

// -- carrying it out --------------------------------------------------------------------------------------------------

void rename_uses(graph_node& node, const std::string& from, const std::string& to) {
  for (auto& argument : node.arguments) {
    if (auto* one = std::get_if<messages::value_argument>(&argument.content); one && one->name == from) one->name = to;
    if (auto* list = std::get_if<messages::values_argument>(&argument.content))
      std::ranges::replace(list->names, from, to);
  }
}

/// Nodes that no output and no effect needs.
void drop_dead(op_graph& graph) {
  std::set<std::string, std::less<>> needed{graph.outputs.begin(), graph.outputs.end()};
  std::vector<graph_node> live;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!needed.contains(node->name) && (!has_effect(*node) || is_random(*node))) continue;
    for (auto used : tensors_used(*node)) needed.emplace(used);
    live.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(live.rbegin()), std::make_move_iterator(live.rend()));
}

void carry_out(op_graph& graph, rewriting x) {
  auto place = graph.nodes.begin() + static_cast<std::ptrdiff_t>(x.position);
  auto old = place->name;
  for (auto node = place; node != graph.nodes.end(); ++node) rename_uses(*node, old, x.replacement);
  std::ranges::replace(graph.outputs, old, x.replacement);
  graph.nodes.insert(place, std::make_move_iterator(x.fresh.begin()), std::make_move_iterator(x.fresh.end()));
  drop_dead(graph);
}

std::optional<rewriting> next_of(const op_graph& graph) {
  graph_index index{graph};
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (auto x = first_of(index, i)) return x;
  return std::nullopt;
}

/// The rules are of real numbers.
bool has_complex(const op_graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& x) { return is_complex(x.output.dtype); })
         || std::ranges::any_of(graph.values, [](const auto& x) { return is_complex(x.spec.dtype); });
}

}  // namespace

const std::vector<rule>& all_rules() {
  static const auto rules = [] {
    std::vector<rule> all;
    for (auto table : {arithmetic_rules(), view_rules(), reduction_rules(), product_rules(), convolution_rules()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return rules;
}

messages::expected<simplified> simplify(const op_graph& graph) {
  if (auto ok = check(graph); !ok) return tl::unexpected{ok.error()};
  simplified result{graph, {}};
  if (has_complex(graph)) return result;
  auto most = graph.nodes.size() * most_rewritings_a_node;
  for (std::size_t done = 0; done < most; ++done) {
    auto x = next_of(result.graph);
    if (!x) break;
    if (std::ranges::find(result.rules, x->rule) == result.rules.end()) result.rules.emplace_back(x->rule);
    carry_out(result.graph, *std::move(x));
  }
  if (result.rules.empty()) return result;
  auto floor = floor_of(graph_index{result.graph});
  result.graph.floor_bytes = floor.bytes;
  result.graph.flops = floor.flops;
  return result;
}

}  // namespace dsl::algebra
