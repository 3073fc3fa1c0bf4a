// A set of nodes as values over shared axes, node by node.

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include "dsl/nest_parts.hpp"
#include "dsl/node_set.hpp"

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

/// Operators that hand integers on; what they say of values holds in any type.
bool moves_only(std::string_view op) {
  static const std::set<std::string_view> moves{"aten.view",      "aten._unsafe_view", "aten.reshape", "aten.squeeze",
                                                "aten.unsqueeze", "aten.flatten",      "aten.permute", "aten.transpose",
                                                "aten.t",         "aten.repeat",       "aten.clone",   "aten.expand",
                                                "aten.copy_"};
  return moves.contains(op);
}

/// Whether integers can do all of it.
bool is_whole(const messages::expression& x) {
  static const std::set<std::string_view> exact{"add",         "sub",         "mul",        "neg",   "min",      "max",
                                                "gt",          "lt",          "ge",         "le",    "eq",       "ne",
                                                "logical_not", "logical_and", "logical_or", "where", "number_of"};
  return std::ranges::all_of(x.nodes, [](const auto& node) {
    if (node.number) return std::abs(*node.number) < 0x1p53 && std::trunc(*node.number) == *node.number;
    return node.op.empty() || exact.contains(node.op);
  });
}

bool is_whole(const nest_stage& x) {
  auto counts = [](const auto& reduction) { return reduction.kind != monoid::moments; };
  return is_whole(x.bodies) && is_whole(x.derived) && std::ranges::all_of(x.reductions, counts);
}

bool is_whole(const reduction_nest& x) {
  bool results = is_whole(x.each_kept.values) && is_whole(x.each_element.values) && is_whole(x.once.values);
  auto stage = [](const nest_stage& one) { return is_whole(one); };
  return results && std::ranges::all_of(x.stages, stage) && (!x.last || is_whole(*x.last));
}

class nest_maker {
public:
  explicit nest_maker(const graph_index& index) : index_(index) {}

  expected<reduction_nest> make(std::span<const std::string> names) {
    auto set = node_set::of(index_, names);
    if (!set) return tl::unexpected{set.error()};
    set_ = *std::move(set);
    for (const auto* node : set_.in_order()) {
      if (auto ok = lower(*node); !ok) return tl::unexpected{ok.error()};
    }
    if (auto ok = check_order(); !ok) return tl::unexpected{ok.error()};
    if (auto ok = check_effects(); !ok) return tl::unexpected{ok.error()};
    auto type = compute_type();
    if (!type) return tl::unexpected{type.error()};
    auto nest = assemble_nest(scope_, targets(), all_dims());
    if (!nest) return nest;
    if (*type == messages::dtype::int64 && !is_whole(*nest)) {
      return fail(failure_code::bad_input, "the group computes with integers what only numbers can do");
    }
    if (nest->compute == messages::dtype::float32 || *type == messages::dtype::int64) nest->compute = *type;
    return nest;
  }

private:
  // -- one node

  expected<void> lower(const messages::graph_node& node) {
    auto find = [&](const std::string& tensor) { return this->find(tensor); };
    nest_call call{index_, node, scope_, find};
    auto made = lowered(node, call);
    if (!made) return tl::unexpected{made.error()};
    if (auto problem = call.problem(); !problem.empty()) return refuse(node, problem);
    if (auto ok = check_dims(node, *made); !ok) return ok;
    bool boolean = node.output.dtype == messages::dtype::boolean;
    made->value = boolean ? as_truth(made->value) : as_number(made->value);
    values_[node.name] = *std::move(made);
    types_.insert(node.output.dtype);
    return {};
  }

  expected<nest_value> lowered(const messages::graph_node& node, nest_call& call) {
    if (const auto* entry = find_nest_lowering(node.op)) {
      if (node.op == "aten.copy_" && set_.is_result(index_, node)) return refuse(node, "is used as a tensor");
      arithmetic_ = arithmetic_ || (moves_only(node.op) && is_integer(node.output.dtype));
      return (*entry)(call);
    }
    auto op = std::string_view{node.op};
    if (op.ends_with('_') && !find_lowering(op)) {
      op.remove_suffix(1);
      if (!is_last_use(node)) return refuse(node, "changes a tensor that is used elsewhere");
    }
    const auto* entry = find_lowering(op);
    if (!entry || node.result != 0) return refuse(node, "is neither pointwise nor a reduction that is known");
    if (auto ok = check_integers(node); !ok) return tl::unexpected{ok.error()};
    auto dims = pointwise_dims(node);
    if (!dims) return tl::unexpected{dims.error()};
    return nest_value{(*entry)(call), *std::move(dims)};
  }

  /// Whether what the node writes in place is a temporary that nobody else sees.
  bool is_last_use(const messages::graph_node& node) const {
    const auto* self = find_argument(node, "self");
    const auto* name = self ? value_name(*self) : nullptr;
    const auto* target = name ? index_.node(*name) : nullptr;
    return target && !index_.is_output(*name) && index_.users(*name).size() == 1
           && target->output.shape == node.output.shape;
  }

  expected<void> check_integers(const messages::graph_node& node) {
    if (!is_integer(node.output.dtype)) return {};
    arithmetic_ = true;
    if (node.output.dtype == messages::dtype::int64 || moves_only(node.op)) return {};
    return refuse(node, "is arithmetic in small integers");
  }

  expected<std::vector<axes>> pointwise_dims(const messages::graph_node& node) {
    const auto& shape = node.output.shape;
    std::vector<axes> dims(shape.size());
    for (auto used : tensors_used(node)) {
      auto x = find(std::string{used});
      const auto& from = index_.spec(used)->shape;
      if (!broadcast_strides(*index_.spec(used), shape)) {
        return refuse(node, "has a result to whose shape " + std::string{used} + " does not broadcast");
      }
      auto offset = shape.size() - from.size();
      for (std::size_t d = 0; d < from.size(); ++d) {
        if (from[d] == 1) continue;
        auto& mine = dims[offset + d];
        if (mine.empty()) mine = x.dims[d];
        if (!scope_.space.unify(mine, x.dims[d])) return refuse(node, "has dimensions that are grouped differently");
      }
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (dims[d].empty()) dims[d] = scope_.space.dimension(shape[d]);
    }
    return dims;
  }

  /// What the tables make of a node must have the shape that the graph says.
  expected<void> check_dims(const messages::graph_node& node, const nest_value& x) const {
    bool same = x.dims.size() == node.output.shape.size();
    for (std::size_t d = 0; same && d < x.dims.size(); ++d) same = scope_.space.size(x.dims[d]) == node.output.shape[d];
    return same ? expected<void>{} : expected<void>{refuse(node, "has another shape than its arguments give")};
  }

  nest_value find(const std::string& tensor) {
    if (auto known = values_.find(tensor); known != values_.end()) return known->second;
    const auto& spec = *index_.spec(tensor);
    const auto* value = index_.value(tensor);
    if (value && value->number) return values_[tensor] = {scope_.terms.number(*value->number), {}};
    std::vector<axes> dims;
    for (auto size : spec.shape) dims.push_back(scope_.space.dimension(size));
    auto made = scope_.add({.name = tensor, .spec = spec, .dims = dims, .fold = {}});
    types_.insert(spec.dtype);
    return values_[tensor] = {made, std::move(dims)};
  }

  // -- the whole

  /// What is read must be there before the kernel runs.
  expected<void> check_order() const {
    auto after = set_.dependents(index_);
    for (const auto& leaf : scope_.leaves) {
      if (!after.contains(leaf.name)) continue;
      return fail(failure_code::bad_input, "the group reads " + leaf.name + ", which depends on the group itself");
    }
    return {};
  }

  /// Who else uses a value that changes here must have run before: what the group depends on has.
  expected<void> check_effects() const {
    if (scope_.effects.empty()) return {};
    auto before = set_.members();
    for (const auto& node : index_.graph().nodes | std::views::reverse) {
      if (!before.contains(&node)) continue;
      for (auto used : tensors_used(node)) {
        if (const auto* earlier = index_.node(used)) before.insert(earlier);
      }
    }
    for (const auto& effect : scope_.effects) {
      for (const auto* user : index_.users(effect.value)) {
        if (!before.contains(user)) return refuse(*user, "uses " + effect.value + ", which the group writes");
      }
      if (index_.is_output(effect.value)) {
        return fail(failure_code::bad_input, "the group writes " + effect.value + ", which is returned");
      }
    }
    return {};
  }

  expected<messages::dtype> compute_type() const {
    auto floats = std::ranges::any_of(types_, [](auto x) { return !is_integer(x) && x != messages::dtype::boolean; });
    if (!floats && (arithmetic_ || std::ranges::any_of(types_, messages::is_integer))) return messages::dtype::int64;
    if (arithmetic_) return fail(failure_code::bad_input, "the group mixes arithmetic in integers with numbers");
    return types_.contains(messages::dtype::float64) ? messages::dtype::float64 : messages::dtype::float32;
  }

  std::vector<nest_target> targets() {
    std::vector<nest_target> all;
    for (const auto* node : set_.in_order()) {
      if (node->op == "aten.copy_" || !set_.is_result(index_, *node)) continue;
      auto x = values_.at(node->name);
      x.value = as_number(x.value);
      all.push_back({node->name, node->output, std::move(x)});
    }
    for (const auto& effect : scope_.effects) {
      all.push_back({effect.value, *index_.spec(effect.value), {effect.written, effect.dims}});
    }
    return all;
  }

  std::vector<std::vector<axes>> all_dims() const {
    std::vector<std::vector<axes>> all;
    for (const auto& [name, value] : values_) all.push_back(value.dims);
    return all;
  }

  const graph_index& index_;
  node_set set_;
  std::map<std::string, nest_value> values_;
  std::set<messages::dtype> types_;
  bool arithmetic_ = false;  ///< in integers, which must stay exact
  nest_scope scope_;
};

}  // namespace

expected<reduction_nest> make_nest(const graph_index& index, std::span<const std::string> nodes) {
  return nest_maker{index}.make(nodes);
}

}  // namespace dsl
