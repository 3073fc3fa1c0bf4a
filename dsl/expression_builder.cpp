#include "dsl/expression_builder.hpp"

#include <bit>
#include <ranges>
#include <string>

namespace dsl {

term expression_builder::add(key same, messages::expression_node node, kind result) {
  auto [found, fresh] = known_.try_emplace(std::move(same), static_cast<std::uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return {this, found->second, result};
}

// Bits, not values: 0 and -0 are two numbers, and NaN is one.
term expression_builder::number(double x) {
  return add({"number", {}, 0, std::bit_cast<std::uint64_t>(x)}, {.number = x}, kind::number);
}

term expression_builder::operand(std::uint32_t index) {
  return add({"operand", {}, index, 0}, {.operand = index}, kind::number);
}

term expression_builder::apply(operation op, std::vector<std::uint32_t> arguments) {
  std::string name{enum_names(op)[static_cast<std::size_t>(op)]};
  return add({name, arguments, 0, 0}, {.op = name, .arguments = arguments}, signature_of(op).result);
}

// Arguments first, from the results on: the order in which a compiler evaluates `a / b` does not show.
messages::expression expression_builder::take(const std::vector<term>& results) && {
  constexpr auto unplaced = UINT32_MAX;
  std::vector<std::uint32_t> place(nodes_.size(), unplaced);
  messages::expression x;
  std::vector<std::uint32_t> pending;
  for (const auto& result : results | std::views::reverse) pending.push_back(result.node);
  while (!pending.empty()) {
    auto i = pending.back();
    auto waiting = pending.size();
    if (place[i] == unplaced) {
      for (auto argument : nodes_[i].arguments | std::views::reverse) {
        if (place[argument] == unplaced) pending.push_back(argument);
      }
    }
    if (pending.size() > waiting) continue;
    pending.pop_back();
    if (place[i] != unplaced) continue;
    place[i] = static_cast<std::uint32_t>(x.nodes.size());
    for (auto& argument : nodes_[i].arguments) argument = place[argument];
    x.nodes.push_back(std::move(nodes_[i]));
  }
  for (const auto& result : results) x.results.push_back(place[result.node]);
  return x;
}

term apply(operation op, const term& a) { return a.builder->apply(op, {a.node}); }
term apply(operation op, const term& a, const term& b) { return a.builder->apply(op, {a.node, b.node}); }

term where(const term& condition, const term& a, const term& b) {
  return condition.builder->apply(operation::where, {condition.node, a.node, b.node});
}
term where(const term& condition, double a, const term& b) { return where(condition, condition.builder->number(a), b); }
term where(const term& condition, double a, double b) { return where(condition, a, condition.builder->number(b)); }

term as_number(const term& x) { return x.kind == kind::number ? x : number_of(x); }
term as_truth(const term& x) { return x.kind == kind::truth ? x : x != 0; }

messages::expression needed_part(const messages::expression& x) {
  expression_builder builder;
  std::vector<term> made;
  for (const auto& node : x.nodes) {
    if (node.number) made.push_back(builder.number(*node.number));
    if (node.operand) made.push_back(builder.operand(*node.operand));
    if (node.op.empty()) continue;
    std::vector<std::uint32_t> arguments;
    for (auto i : node.arguments) arguments.push_back(made[i].node);
    made.push_back(builder.apply(operation_of(node), std::move(arguments)));
  }
  std::vector<term> results;
  for (auto i : x.results) results.push_back(made[i]);
  return std::move(builder).take(results);
}

}  // namespace dsl
