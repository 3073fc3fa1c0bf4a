#ifndef KERNELMESH_MESSAGES_RECORDS_EXPRESSION_HPP
#define KERNELMESH_MESSAGES_RECORDS_EXPRESSION_HPP
// A pointwise computation: version 1 of the expression tree. Operators and their meaning are listed in dsl/FORMS.md;
// each DSL prints it through a printer.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace messages {

/// An operator over earlier nodes, an operand or a number: exactly one of `op`, `operand`, `number` is there.
struct expression_node {
  std::string op;                        ///< "add", "exp", ...; empty for a leaf
  std::vector<std::uint32_t> arguments;  ///< indices of earlier nodes
  std::optional<std::uint32_t> operand;  ///< index of a tensor that is read
  std::optional<double> number;

  void fields(auto& f) {
    f("op", op);
    f("arguments", arguments);
    f("operand", operand);
    f("number", number);
  }
  friend bool operator==(const expression_node&, const expression_node&) = default;
};

/// Nodes with shared parts kept once, each after those it uses.
struct expression {
  std::uint32_t version = 1;
  std::vector<expression_node> nodes;
  std::vector<std::uint32_t> results;  ///< the nodes whose values are written

  void fields(auto& f) {
    f("version", version);
    f("nodes", nodes);
    f("results", results);
  }
  friend bool operator==(const expression&, const expression&) = default;
};

}  // namespace messages

#endif
