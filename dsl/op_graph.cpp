#include "dsl/op_graph.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

std::string in_quotes(std::string_view name) { return '"' + std::string{name.substr(0, 64)} + '"'; }

tl::unexpected<messages::failure> bad(std::string detail) {
  return fail(failure_code::bad_input, "op graph: " + std::move(detail));
}

/// Names that stand so far.
using names = std::set<std::string_view>;

expected<void> claim(names& taken, std::string_view name) {
  if (!is_identifier(name)) return bad(in_quotes(name) + " is not an identifier");
  if (!taken.insert(name).second) return bad("two values or nodes have the name " + in_quotes(name));
  return {};
}

bool has_negative(const std::vector<std::int64_t>& xs) {
  return std::ranges::any_of(xs, [](std::int64_t x) { return x < 0; });
}

/// x * y where it fits, else nothing.
std::optional<std::int64_t> product(std::int64_t x, std::int64_t y) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(x, y, &result)) return std::nullopt;
  return result;
}

/// Bytes from the first element to behind the last. Zero sizes count as one: a recipe may multiply the others first.
std::optional<std::int64_t> extent_bytes(const messages::tensor_spec& spec) {
  std::int64_t dense = 1;
  std::int64_t last = 1;
  for (std::size_t i = 0; i < spec.shape.size(); ++i) {
    auto size = std::max<std::int64_t>(spec.shape[i], 1);
    auto grown = product(dense, size);
    auto step = product(size - 1, spec.strides[i]);
    if (!grown || !step || __builtin_add_overflow(last, *step, &last)) return std::nullopt;
    dense = *grown;
  }
  return product(std::max(dense, last), static_cast<std::int64_t>(messages::bytes_of(spec.dtype)));
}

expected<void> check_value(const messages::graph_value& value, names& taken) {
  if (auto ok = claim(taken, value.name); !ok) return ok;
  if (value.number && !(value.spec.shape.empty() && value.origin == messages::value_origin::constant)) {
    return bad("value " + value.name + " has a number, but is no constant of rank 0");
  }
  return check(value.spec, "value " + value.name);
}

expected<void> check_node(const messages::graph_node& node, names& taken) {
  for (auto used : tensors_used(node)) {
    if (!taken.contains(used))
      return bad("node " + in_quotes(node.name) + " uses " + in_quotes(used) + ", which is not there before it");
  }
  std::set<std::string_view> arguments;
  for (const auto& argument : node.arguments) {
    if (!arguments.insert(argument.name).second) {
      return bad("node " + in_quotes(node.name) + " has two arguments " + in_quotes(argument.name));
    }
  }
  if (node.op.empty()) return bad("node " + in_quotes(node.name) + " has no operator");
  if (auto ok = claim(taken, node.name); !ok) return ok;
  return check(node.output, "node " + node.name);
}

}  // namespace

// -- checks -----------------------------------------------------------------------------------------------------------

bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 128 && letter(name.front()) && std::ranges::all_of(name, inner);
}

expected<void> check(const messages::tensor_spec& spec, std::string_view who) {
  auto refuse = [&](std::string_view what) { return bad(std::string{who} + ' ' + std::string{what}); };
  if (spec.shape.size() != spec.strides.size()) return refuse("has not one stride for each dimension");
  if (spec.shape.size() > 64) return refuse("has more than 64 dimensions");
  if (has_negative(spec.shape)) return refuse("has a negative size");
  if (has_negative(spec.strides)) return refuse("has a negative stride");
  if (!extent_bytes(spec)) return refuse("is larger than 2^63 bytes");
  return {};
}

tl::unexpected<messages::failure> refuse(const messages::graph_node& node, const std::string& what) {
  return fail(failure_code::bad_input, "node " + node.name + " (" + node.op + ") " + what);
}

expected<void> check(const messages::op_graph& graph) {
  if (graph.version != 1) {
    return fail(failure_code::unreadable,
                "op graph: version " + std::to_string(graph.version) + ", but only 1 is known");
  }
  names taken;
  for (const auto& value : graph.values) {
    if (auto ok = check_value(value, taken); !ok) return ok;
  }
  for (const auto& node : graph.nodes) {
    if (auto ok = check_node(node, taken); !ok) return ok;
  }
  for (const auto& output : graph.outputs) {
    if (!taken.contains(output)) return bad("output " + in_quotes(output) + " is no value or node");
  }
  if (graph.outputs.empty()) return bad("nothing is returned");
  return {};
}

// -- shapes -----------------------------------------------------------------------------------------------------------

std::int64_t elements(const shape& x) {
  std::int64_t count = 1;
  for (auto size : x) count *= size;
  return count;
}

std::optional<shape> broadcast(const shape& a, const shape& b) {
  const auto& longer = a.size() >= b.size() ? a : b;
  const auto& shorter = a.size() >= b.size() ? b : a;
  auto both = longer;
  auto offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    auto& size = both[offset + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) return std::nullopt;
    size = shorter[i];
  }
  return both;
}

std::optional<std::vector<std::int64_t>> broadcast_strides(const messages::tensor_spec& from, const shape& to) {
  if (from.shape.size() > to.size()) return std::nullopt;
  std::vector<std::int64_t> strides(to.size(), 0);
  auto offset = to.size() - from.shape.size();
  for (std::size_t i = 0; i < from.shape.size(); ++i) {
    if (from.shape[i] == 1) continue;
    if (from.shape[i] != to[offset + i]) return std::nullopt;
    strides[offset + i] = from.strides[i];
  }
  return strides;
}

std::vector<std::int64_t> contiguous_strides(const shape& x) {
  std::vector<std::int64_t> strides(x.size());
  std::int64_t step = 1;
  for (auto i = x.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(x[i], 1);
  }
  return strides;
}

// -- lookup -----------------------------------------------------------------------------------------------------------

const std::string* value_name(const messages::graph_argument& argument) {
  const auto* value = std::get_if<messages::value_argument>(&argument.content);
  return value ? &value->name : nullptr;
}

const messages::graph_argument* find_argument(const messages::graph_node& node, std::string_view name) {
  auto found = std::ranges::find(node.arguments, name, &messages::graph_argument::name);
  return found == node.arguments.end() ? nullptr : &*found;
}

std::vector<std::string_view> tensors_used(const messages::graph_node& node) {
  std::vector<std::string_view> used;
  for (const auto& argument : node.arguments) {
    if (const auto* one = value_name(argument)) used.emplace_back(*one);
    if (const auto* list = std::get_if<messages::values_argument>(&argument.content)) {
      std::ranges::copy_if(list->names, std::back_inserter(used), [](const auto& name) { return !name.empty(); });
    }
  }
  return used;
}

std::vector<std::string_view> changed_by(const messages::graph_node& node) {
  std::vector<std::string_view> changed;
  auto add = [&](std::string_view argument) {
    const auto* found = find_argument(node, argument);
    if (const auto* name = found ? value_name(*found) : nullptr) changed.emplace_back(*name);
  };
  if (node.op.ends_with('_')) add("self");
  const auto* training = find_argument(node, "training");
  const auto* flag = training ? std::get_if<messages::flag_argument>(&training->content) : nullptr;
  if (flag != nullptr && flag->on) {
    add("running_mean");
    add("running_var");
  }
  return changed;
}

graph_index::graph_index(const messages::op_graph& graph) : graph_(&graph) {
  for (const auto& value : graph.values) entries_[value.name].value = &value;
  for (const auto& node : graph.nodes) {
    entries_[node.name].node = &node;
    for (auto used : tensors_used(node)) {
      auto& users = entries_[used].users;
      if (users.empty() || users.back() != &node) users.push_back(&node);
    }
  }
  for (const auto& output : graph.outputs) entries_[output].output = true;
}

const graph_index::entry* graph_index::find(std::string_view name) const {
  auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

const messages::graph_value* graph_index::value(std::string_view name) const {
  const auto* found = find(name);
  return found ? found->value : nullptr;
}

const messages::graph_node* graph_index::node(std::string_view name) const {
  const auto* found = find(name);
  return found ? found->node : nullptr;
}

const messages::tensor_spec* graph_index::spec(std::string_view name) const {
  const auto* found = find(name);
  if (!found) return nullptr;
  return found->node ? &found->node->output : found->value ? &found->value->spec : nullptr;
}

std::size_t graph_index::position(const messages::graph_node& node) const {
  return static_cast<std::size_t>(&node - graph_->nodes.data());
}

std::span<const messages::graph_node* const> graph_index::users(std::string_view name) const {
  const auto* found = find(name);
  if (!found) return {};
  return found->users;
}

bool graph_index::is_output(std::string_view name) const {
  const auto* found = find(name);
  return found && found->output;
}

}  // namespace dsl
