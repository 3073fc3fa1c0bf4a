#include "dsl/expression.hpp"

#include <algorithm>
#include <optional>

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

constexpr auto operation_names = enum_names(operation{});

std::optional<operation> find_operation(std::string_view name) {
  auto found = std::ranges::find(operation_names, name);
  if (found == operation_names.end()) return std::nullopt;
  return static_cast<operation>(found - operation_names.begin());
}

tl::unexpected<messages::failure> bad(std::size_t node, const std::string& what) {
  return fail(failure_code::bad_input, "expression: node " + std::to_string(node) + ' ' + what);
}

/// @param kinds of the nodes before this one
expected<kind> check_operator(const messages::expression_node& node, std::size_t i, std::span<const kind> kinds) {
  auto op = find_operation(node.op);
  if (!op) return bad(i, "has the unknown operator \"" + node.op.substr(0, 64) + '"');
  const auto& wanted = signature_of(*op);
  if (node.arguments.size() != wanted.arguments.size()) {
    return bad(i, node.op + " takes " + std::to_string(wanted.arguments.size()) + " arguments, not "
                      + std::to_string(node.arguments.size()));
  }
  for (std::size_t place = 0; place < node.arguments.size(); ++place) {
    auto argument = node.arguments[place];
    if (argument >= i) return bad(i, "uses node " + std::to_string(argument) + ", which is not before it");
    if (kinds[argument] != wanted.arguments[place]) {
      const auto* which = wanted.arguments[place] == kind::truth ? "a truth" : "a number";
      return bad(i, node.op + " needs " + which + " as argument " + std::to_string(place));
    }
  }
  return wanted.result;
}

expected<kind> check_node(const messages::expression& x, std::size_t i, std::span<const kind> kinds,
                          std::size_t operands) {
  const auto& node = x.nodes[i];
  if (!node.op.empty() + node.operand.has_value() + node.number.has_value() != 1) {
    return bad(i, "is not exactly one of operator, operand and number");
  }
  if (!node.op.empty()) return check_operator(node, i, kinds);
  if (!node.arguments.empty()) return bad(i, "is a leaf with arguments");
  if (node.operand && *node.operand >= operands) {
    return bad(i, "reads operand " + std::to_string(*node.operand) + " of " + std::to_string(operands));
  }
  return kind::number;
}

}  // namespace

const signature& signature_of(operation x) {
  constexpr auto number = kind::number;
  constexpr auto truth = kind::truth;
  static const signature unary{{number}, number};
  static const signature binary{{number, number}, number};
  static const signature comparison{{number, number}, truth};
  static const signature negation{{truth}, truth};
  static const signature logical{{truth, truth}, truth};
  static const signature choice{{truth, number, number}, number};
  static const signature conversion{{truth}, number};
  switch (x) {
    case operation::add:
    case operation::sub:
    case operation::mul:
    case operation::div:
    case operation::min:
    case operation::max:
    case operation::pow: return binary;
    case operation::gt:
    case operation::lt:
    case operation::ge:
    case operation::le:
    case operation::eq:
    case operation::ne: return comparison;
    case operation::logical_not: return negation;
    case operation::logical_and:
    case operation::logical_or: return logical;
    case operation::where: return choice;
    case operation::number_of: return conversion;
    default: return unary;
  }
}

operation operation_of(const messages::expression_node& node) { return *find_operation(node.op); }

std::vector<kind> kinds_of(const messages::expression& x) {
  std::vector<kind> kinds;
  kinds.reserve(x.nodes.size());
  for (const auto& node : x.nodes) {
    kinds.push_back(node.op.empty() ? kind::number : signature_of(operation_of(node)).result);
  }
  return kinds;
}

expected<void> check(const messages::expression& x, std::size_t operands) {
  if (x.version != 1) {
    return fail(failure_code::unreadable, "expression: version " + std::to_string(x.version) + ", but only 1 is known");
  }
  std::vector<kind> kinds;
  kinds.reserve(x.nodes.size());
  for (std::size_t i = 0; i < x.nodes.size(); ++i) {
    auto result = check_node(x, i, kinds, operands);
    if (!result) return tl::unexpected{result.error()};
    kinds.push_back(*result);
  }
  for (auto result : x.results) {
    if (result >= kinds.size()) return bad(result, "is a result, but there is no such node");
    if (kinds[result] != kind::number) return bad(result, "is a result, but a truth and no number");
  }
  if (x.results.empty()) return fail(failure_code::bad_input, "expression: it has no result");
  return {};
}

}  // namespace dsl
