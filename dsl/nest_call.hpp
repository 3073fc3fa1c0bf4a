#pragma once
// One ATen operator as folds and arithmetic: what the table in nest_table.cpp is written with.

#include <string>
#include <string_view>
#include <vector>

#include "dsl/axes.hpp"
#include "dsl/lowering.hpp"
#include "dsl/reduction_nest.hpp"

namespace dsl {

/// A tensor of a group: its value at one point, and which axes its dimensions are.
struct nest_value {
  term value;
  std::vector<axes> dims;
};

/// What an expression reads: a tensor, a position (without a name, along one dimension), or a fold's result.
struct nest_leaf {
  std::string name;
  messages::tensor_spec spec;
  std::vector<axes> dims;
  std::optional<std::uint32_t> fold;  ///< index in nest_scope::folds
  std::uint32_t which = 0;            ///< of the fold's results
};

/// A reduction of a body that has the axes `whole` over some of them.
struct nest_fold {
  monoid kind = monoid::sum;
  term body;
  axes whole;
  axes over;
  std::optional<std::uint32_t> position;  ///< leaf
  std::uint32_t first_leaf = 0;           ///< of its results
};

/// A value of the graph that is written in place.
struct nest_effect {
  std::string value;
  term written;
  std::vector<axes> dims;
};

/// What grows while a group is taken apart.
struct nest_scope {
  axis_space space;
  expression_builder terms;
  std::vector<nest_leaf> leaves;
  std::vector<nest_fold> folds;
  std::vector<nest_effect> effects;

  term add(nest_leaf leaf);
  term position(const axes& along);

  /// The same fold again gives the same leaf.
  term fold(monoid kind, const term& body, const axes& whole, const axes& over, std::uint32_t which);
};

/// One node's arguments. As with lowering_call, what is wrong is remembered, and something harmless stands for it.
class nest_call : public lowering_call {
public:
  using value_lookup = std::function<nest_value(const std::string& tensor)>;
  nest_call(const graph_index& index, const messages::graph_node& node, nest_scope& scope, value_lookup find);

  // -- arguments

  nest_value tensor(std::string_view name = "self");
  std::int64_t integer(std::string_view name, std::int64_t otherwise);
  std::vector<std::int64_t> integers(std::string_view name);  ///< one integer too; none where it is absent
  bool flag(std::string_view name, bool otherwise);
  std::string tensor_name(std::string_view name);  ///< empty where it is none
  std::uint32_t result() const { return node().result; }
  std::string_view overload() const { return node().overload; }
  const shape& output_shape() const { return node().output.shape; }

  // -- dimensions

  /// Which dimensions an argument names, all where it names none; negative ones count from the end.
  std::vector<std::size_t> chosen(const nest_value& of, std::string_view name = "dim");

  axes axes_of(const nest_value& x, const std::vector<std::size_t>& dims) const;
  axes all_axes(const nest_value& x) const;
  std::int64_t size(const axes& x) const { return scope_->space.size(x); }
  axis_space& space() { return scope_->space; }

  /// Makes both the same loop.
  void line_up(const axes& a, const axes& b);

  /// Dimensions of what both broadcast to.
  std::vector<axes> broadcast(const nest_value& a, const nest_value& b);

  /// Without those dimensions, or with size 1 in their place.
  std::vector<axes> without(const nest_value& x, const std::vector<std::size_t>& dims, bool keep) const;

  // -- results

  term fold(monoid kind, const term& body, const axes& whole, const axes& over, std::uint32_t which = 0);
  term position(const axes& along) { return scope_->position(along); }
  void write(const std::string& value, const term& written, std::vector<axes> dims);
  nest_value nothing() { return {literal(0), {}}; }

private:
  nest_scope* scope_;
  value_lookup find_value_;
};

using nest_lowering = std::function<nest_value(nest_call&)>;

/// The entry for an operator that reduces, moves or writes; null for others.
const nest_lowering* find_nest_lowering(std::string_view op);

}  // namespace dsl
