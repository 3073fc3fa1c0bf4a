// A set of pointwise nodes as one expression over the tensors they read.

#include <algorithm>
#include <set>

#include "dsl/expression.hpp"
#include "dsl/lowering.hpp"
#include "dsl/node_set.hpp"

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

class maker {
public:
  explicit maker(const graph_index& index) : index_(index) {}

  expected<pointwise> make(std::span<const std::string> names) {
    auto set = node_set::of(index_, names);
    if (!set) return tl::unexpected{set.error()};
    set_ = *std::move(set);
    if (auto ok = choose_results(); !ok) return tl::unexpected{ok.error()};
    for (const auto* node : set_.in_order()) {
      if (auto ok = lower(*node); !ok) return tl::unexpected{ok.error()};
    }
    if (auto ok = check_order(); !ok) return tl::unexpected{ok.error()};
    return finish();
  }

private:
  expected<void> choose_results() {
    for (const auto* node : set_.in_order()) {
      if (!set_.is_result(index_, *node)) continue;
      if (!out_.results.empty() && node->output.shape != out_.shape) {
        return refuse(*node, "has another shape than " + out_.results.front().node + ", which is needed as well");
      }
      out_.shape = node->output.shape;
      out_.results.push_back({node->name, node->output});
    }
    if (out_.results.empty()) return fail(failure_code::bad_input, "no node of the group is used outside of it");
    return {};
  }

  // -- one node

  expected<void> lower(const messages::graph_node& node) {
    const auto* entry = find_lowering(node.op);
    if (!entry) return refuse(node, "is not pointwise");
    if (node.result != 0) return refuse(node, "is not the first result");
    if (is_integer(node.output.dtype)) return refuse(node, "is arithmetic in integers");
    if (auto ok = check_shapes(node); !ok) return ok;
    lowering_call call{index_, node, builder_, [&](const std::string& tensor) { return find(tensor); }};
    auto made = (*entry)(call);
    if (auto problem = call.problem(); !problem.empty()) return refuse(node, problem);
    bool boolean = node.output.dtype == messages::dtype::boolean;
    terms_[node.name] = boolean ? as_truth(made) : as_number(made);
    if (node.output.dtype == messages::dtype::float64) out_.compute = messages::dtype::float64;
    return {};
  }

  expected<void> check_shapes(const messages::graph_node& node) const {
    for (auto used : tensors_used(node)) {
      if (!broadcast_strides(*index_.spec(used), node.output.shape)) {
        return refuse(node, "has a result to whose shape " + std::string{used} + " does not broadcast");
      }
    }
    if (!broadcast_strides(node.output, out_.shape)) return refuse(node, "does not broadcast to the group's result");
    return {};
  }

  term find(const std::string& tensor) {
    if (auto known = terms_.find(tensor); known != terms_.end()) return known->second;
    const auto* value = index_.value(tensor);
    if (value && value->number) return terms_[tensor] = builder_.number(*value->number);
    auto made = builder_.operand(static_cast<std::uint32_t>(out_.operands.size()));
    const auto& spec = *index_.spec(tensor);
    out_.operands.push_back({tensor, spec, *broadcast_strides(spec, out_.shape)});
    if (spec.dtype == messages::dtype::float64) out_.compute = messages::dtype::float64;
    return terms_[tensor] = made;
  }

  // -- the whole

  /// What is read must be there before the kernel runs.
  expected<void> check_order() const {
    auto after = set_.dependents(index_);
    for (const auto& operand : out_.operands) {
      if (!after.contains(operand.value)) continue;
      return fail(failure_code::bad_input, "the group reads " + operand.value + ", which depends on the group itself");
    }
    return {};
  }

  /// Tensors that only a literal came of, as in zeros_like, are no operands; numbers of the rest close up.
  pointwise finish() {
    std::vector<term> results;
    for (const auto& result : out_.results) results.push_back(as_number(terms_.at(result.node)));
    out_.expression = std::move(builder_).take(results);
    std::map<std::uint32_t, std::uint32_t> place;
    std::vector<operand> kept;
    for (auto& node : out_.expression.nodes) {
      if (!node.operand) continue;
      auto [found, fresh] = place.try_emplace(*node.operand, static_cast<std::uint32_t>(kept.size()));
      if (fresh) kept.push_back(out_.operands[*node.operand]);
      node.operand = found->second;
    }
    out_.operands = std::move(kept);
    return std::move(out_);
  }

  const graph_index& index_;
  node_set set_;
  std::map<std::string, term> terms_;
  expression_builder builder_;
  pointwise out_;
};

}  // namespace

expected<pointwise> make_expression(const graph_index& index, std::span<const std::string> nodes) {
  return maker{index}.make(nodes);
}

bool is_pointwise(const graph_index& index, const messages::graph_node& node) {
  if (!find_lowering(node.op)) return false;
  return make_expression(index, std::span{&node.name, 1}).has_value();
}

}  // namespace dsl
