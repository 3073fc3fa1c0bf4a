#pragma once
// One ATen operator as an expression: what the table in lowering_table.cpp is written with.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dsl/expression_builder.hpp"
#include "dsl/op_graph.hpp"

namespace dsl {

/// The arguments of one node, by their schema's names. What is missing or of another type is remembered as the node's
/// problem, and a 0 stands for it, so that a table entry reads as plain arithmetic.
class lowering_call {
public:
  using lookup = std::function<term(const std::string& tensor)>;

  lowering_call(const graph_index& index, const messages::graph_node& node, expression_builder& builder, lookup find);

  // -- arguments; asking for one says that its meaning is taken care of

  term number(std::string_view name = "self");  ///< a tensor or a plain number
  term truth(std::string_view name = "self");   ///< the same, as a truth
  double real(std::string_view name, double otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  bool has(std::string_view name);  ///< there, and not none
  void ignore(std::string_view name) { asked_.insert(name); }

  // -- types

  messages::dtype output_type() const { return node_->output.dtype; }
  /// Of an argument that is a tensor; nothing for a plain number.
  std::optional<messages::dtype> type(std::string_view name) const;

  // -- outcome

  term literal(double x) { return builder_->number(x); }
  /// Makes the node refused: "uses rounding_mode". The first one stays.
  term refuse(std::string problem);
  /// What was refused, or an argument nobody asked for; empty if all is well.
  std::string problem() const;

protected:
  const messages::graph_argument* ask(std::string_view name);
  const graph_index& index() const { return *index_; }
  const messages::graph_node& node() const { return *node_; }

private:
  const graph_index* index_;
  const messages::graph_node* node_;
  expression_builder* builder_;
  lookup find_;
  std::set<std::string_view> asked_;
  std::string problem_;
};

using lowering = std::function<term(lowering_call&)>;

/// The entry for an operator, "aten.relu"; null for one that is not pointwise or that the table does not have.
const lowering* find_lowering(std::string_view op);

}  // namespace dsl
