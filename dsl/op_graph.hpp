#pragma once
// Reading an op graph: whether it can be relied on, who makes what and who uses it. The record is
// messages/records/op_graph.hpp, its JSON form is in FORMS.md.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/failure.hpp"
#include "messages/records/op_graph.hpp"

namespace dsl {

using shape = std::vector<std::int64_t>;

// -- checks -----------------------------------------------------------------------------------------------------------

/// An op graph may come from outside; everything below and the recipes rely on what this finds to hold: version 1,
/// names are identifiers and unique, each argument and output names a value or an earlier node, each tensor has one
/// stride a dimension, no negative size or stride, and its elements and bytes fit in 63 bits. The first problem is told
/// with the name of what has it. Code `unreadable` for another version, else `bad_input`.
messages::expected<void> check(const messages::op_graph& graph);

/// The same for one tensor; `who` begins the sentence: "value x".
messages::expected<void> check(const messages::tensor_spec& spec, std::string_view who);

/// Letters, digits and underscores, no digit first, at most 128 of them.
bool is_identifier(std::string_view name);

/// A node that can't be used, as a sentence: "node y (aten.relu) WHAT". Code `bad_input`.
tl::unexpected<messages::failure> refuse(const messages::graph_node& node, const std::string& what);

// -- shapes -----------------------------------------------------------------------------------------------------------

/// Product of the sizes; 1 for rank 0. Of checked specs only, so it can't overflow.
std::int64_t elements(const shape& x);

/// Shape of a pointwise operator's result over both, as torch says it; nothing where they do not fit together.
std::optional<shape> broadcast(const shape& a, const shape& b);

/// For each dimension of `to`, how many elements further in its memory `from` lies at the next index: 0 where it is
/// repeated. Nothing where `from` does not broadcast to `to`.
std::optional<std::vector<std::int64_t>> broadcast_strides(const messages::tensor_spec& from, const shape& to);

/// Strides of a tensor without gaps whose last dimension is innermost.
std::vector<std::int64_t> contiguous_strides(const shape& x);

// -- lookup -----------------------------------------------------------------------------------------------------------

/// The name that an argument holds for one tensor; null if it holds something else.
const std::string* value_name(const messages::graph_argument& argument);

/// The argument of that name; null if the node leaves it at its default.
const messages::graph_argument* find_argument(const messages::graph_node& node, std::string_view name);

/// Names of all tensors a node uses, in the order of its arguments; twice where used twice. In a list of tensors an
/// empty name stands for none and is left out.
std::vector<std::string_view> tensors_used(const messages::graph_node& node);

/// Names of what the node writes beside its result: the target of copy_, the buffers of a batch norm in training.
std::vector<std::string_view> changed_by(const messages::graph_node& node);

/// Lookup by name in a graph that was checked. Borrows the graph, which must outlive it and not move.
class graph_index {
public:
  explicit graph_index(const messages::op_graph& graph);

  const messages::op_graph& graph() const { return *graph_; }
  const messages::graph_value* value(std::string_view name) const;  ///< null: none of that name
  const messages::graph_node* node(std::string_view name) const;    ///< null: none of that name
  const messages::tensor_spec* spec(std::string_view name) const;   ///< of a value or of a node's result
  std::size_t position(const messages::graph_node& node) const;     ///< in graph().nodes

  /// Nodes that use the value or node of that name, in the graph's order, each once.
  std::span<const messages::graph_node* const> users(std::string_view name) const;

  /// Whether forward returns it.
  bool is_output(std::string_view name) const;

private:
  struct entry {
    const messages::graph_value* value = nullptr;
    const messages::graph_node* node = nullptr;
    bool output = false;
    std::vector<const messages::graph_node*> users;
  };
  const entry* find(std::string_view name) const;

  const messages::op_graph* graph_;
  std::map<std::string_view, entry> entries_;
};

}  // namespace dsl
