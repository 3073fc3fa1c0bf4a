#pragma once
// What rules are written with: reading a node and what it is made of, and building what takes its place.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/floor.hpp"
#include "dsl/op_graph.hpp"

namespace dsl::algebra {

/// The node that a rule looks at, and its graph. Borrows.
struct site {
  const graph_index& graph;
  const messages::graph_node& node;
};

// -- reading ----------------------------------------------------------------------------------------------------------

/// Without "aten.".
std::string_view operator_of(const messages::graph_node& node);

/// The node that makes that tensor, if it is this operator; else null.
const messages::graph_node* made_by(const graph_index& graph, std::string_view tensor, std::string_view op);

/// The tensor in that argument; empty if there is none.
std::string_view tensor_in(const messages::graph_node& node, std::string_view argument = "self");

/// A finite or infinite number in that argument; nothing for a tensor or where it is absent.
std::optional<double> number_in(const messages::graph_node& node, std::string_view argument);
std::vector<std::int64_t> integers_in(const messages::graph_node& node, std::string_view argument,
                                      std::vector<std::int64_t> otherwise = {});
bool flag_in(const messages::graph_node& node, std::string_view argument, bool otherwise = false);

/// Whether it has no arguments but these.
bool has_only(const messages::graph_node& node, const std::set<std::string_view>& arguments);

/// Whether one node alone uses that tensor, and forward does not return it: then it need not be there.
bool has_one_user(const graph_index& graph, std::string_view tensor);

/// float32 or float64: arithmetic in it may be put in another order.
bool is_real(const messages::tensor_spec& spec);

/// What a tensor is a view of, in the end.
std::string_view root_of(const graph_index& graph, std::string_view tensor);

/// A random operator, or one that writes to a tensor: neither may be left out, doubled or joined.
bool has_effect(const messages::graph_node& node);
bool is_random(const messages::graph_node& node);

/// Equal dtype, shape and place of each element; strides of dimensions of size 1 do not count.
bool same_layout(const messages::tensor_spec& a, const messages::tensor_spec& b);
bool is_contiguous(const messages::tensor_spec& spec);

/// From 0 on; negative ones count from the end.
std::int64_t dimension(std::int64_t dim, std::size_t rank);

// -- building ---------------------------------------------------------------------------------------------------------

messages::graph_argument value(std::string name, std::string_view of);
messages::graph_argument real(std::string name, double x);
messages::graph_argument integer(std::string name, std::int64_t x);
messages::graph_argument integers(std::string name, std::vector<std::int64_t> xs);
messages::graph_argument flag(std::string name, bool on);

/// The same without that argument.
messages::graph_node without(messages::graph_node node, std::string_view argument);

/// New nodes of one rewriting, each after those it uses. Names are unique in the graph.
class builder {
public:
  explicit builder(const graph_index& graph) : graph_(&graph) {}

  /// @param op with its overload: "mul.Tensor", "relu"
  /// @param output its strides too; for a tensor that is not returned, contiguous ones will do
  /// @returns its name. FLOPs are counted as FORMS.md says
  std::string add(std::string_view op, std::vector<messages::graph_argument> arguments, messages::tensor_spec output);

  /// The same node with another name.
  std::string add(messages::graph_node node);

  /// Of the graph or new; one of rank 0 for a name that neither has: a graph from outside may lack an argument.
  const messages::tensor_spec& spec(std::string_view tensor) const;
  bool knows(std::string_view tensor) const;
  const std::vector<messages::graph_node>& nodes() const { return nodes_; }

private:
  std::string fresh(std::string_view op) const;

  const graph_index* graph_;
  std::vector<messages::graph_node> nodes_;
};

messages::tensor_spec contiguous(messages::dtype type, shape size);

}  // namespace dsl::algebra
