// How the dimensions of a nest lie, and where each tensor stands along them.

#include <algorithm>

#include "dsl/nest_parts.hpp"

namespace dsl {

namespace {

/// Positions from here on are no longer exact in float.
constexpr std::int64_t exact_positions = 1 << 24;

class layouter {
public:
  layouter(reduction_nest& nest, const nest_scope& scope, nest_axes x) : nest_(nest), scope_(scope), x_(std::move(x)) {}

  void run() {
    order_axes();
    lay_out();
    join();
  }

private:
  /// For each axis, how far a tensor with those dimensions and strides moves.
  std::map<axis, std::int64_t> moves(const std::vector<axes>& dims, const std::vector<std::int64_t>& strides) const {
    std::map<axis, std::int64_t> steps;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      auto step = strides[d];
      auto leaves = scope_.space.leaves(dims[d]);
      for (auto i = leaves.size(); i-- > 0;) {
        steps[leaves[i]] = step;
        step *= scope_.space.size(leaves[i]);
      }
    }
    return steps;
  }

  static std::vector<std::int64_t> strides_of(const nest_leaf& leaf) {
    return leaf.name.empty() ? std::vector<std::int64_t>{1} : leaf.spec.strides;
  }

  /// By falling stride of the tensor with most axes, kept ones first.
  void order_axes() {
    std::map<axis, std::int64_t> lead;
    for (const auto& leaf : scope_.leaves) {
      if (leaf.fold || leaf.name.empty()) continue;
      auto mine = moves(leaf.dims, strides_of(leaf));
      if (mine.size() > lead.size()) lead = mine;
    }
    for (const auto& some : x_.targets) {
      for (const auto* x : some) {
        auto mine = moves(x->value.dims, x->spec.strides);
        if (mine.size() > lead.size()) lead = mine;
      }
    }
    auto stride = [&](axis x) {
      auto found = lead.find(x);
      return found == lead.end() ? INT64_MAX : found->second;
    };
    std::ranges::stable_sort(x_.order, [&](axis a, axis b) {
      if (x_.kept.contains(a) != x_.kept.contains(b)) return x_.kept.contains(a);
      return stride(a) > stride(b);
    });
    for (auto x : x_.order) nest_.sizes.push_back(scope_.space.size(x));
    nest_.kept = x_.kept.size();
  }

  std::vector<std::int64_t> along_order(const std::map<axis, std::int64_t>& steps) const {
    std::vector<std::int64_t> all;
    for (auto x : x_.order) {
      auto found = steps.find(x);
      all.push_back(found == steps.end() ? 0 : found->second);
    }
    return all;
  }

  nest_tensor lay_out(const std::string& name, const messages::tensor_spec& spec, const std::vector<axes>& dims,
                      const std::vector<std::int64_t>& strides) const {
    auto dense = name.empty() ? strides : contiguous_strides(spec.shape);
    return {name, spec, along_order(moves(dims, strides)), along_order(moves(dims, dense))};
  }

  void lay_out() {
    std::map<std::uint32_t, std::uint32_t> place;  // leaf -> operand
    for (auto* x : expressions()) {
      for (auto& node : x->nodes) {
        if (node.operand && *node.operand < slot_mark) place.try_emplace(*node.operand, 0);
      }
    }
    for (auto* x : placed_reductions()) place.try_emplace(*x->position, 0);
    for (auto& [leaf, operand] : place) {
      operand = static_cast<std::uint32_t>(nest_.operands.size());
      const auto& x = scope_.leaves[leaf];
      nest_.operands.push_back(lay_out(x.name, x.spec, x.dims, strides_of(x)));
    }
    renumber(place);
    lay_out(nest_.each_kept, x_.targets[0]);
    lay_out(nest_.each_element, x_.targets[1]);
    lay_out(nest_.once, x_.targets[2]);
  }

  void renumber(const std::map<std::uint32_t, std::uint32_t>& place) {
    for (auto* x : expressions()) {
      for (auto& node : x->nodes) {
        if (!node.operand) continue;
        bool slot = *node.operand >= slot_mark;
        auto count = static_cast<std::uint32_t>(nest_.operands.size());
        node.operand = slot ? *node.operand - slot_mark + count : place.at(*node.operand);
        if (!slot && nest_.operands[*node.operand].is_position()) check_position(nest_.operands[*node.operand]);
      }
    }
    for (auto* x : placed_reductions()) x->position = place.at(*x->position);
  }

  void check_position(const nest_tensor& x) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < x.steps.size(); ++d) last += (nest_.sizes[d] - 1) * x.steps[d];
    if (last >= exact_positions) nest_.compute = messages::dtype::float64;
  }

  void lay_out(nest_results& results, const std::vector<const nest_target*>& targets) const {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto& x = *targets[i];
      results.targets[i] = lay_out(x.name, x.spec, x.value.dims, x.spec.strides);
    }
  }

  std::vector<nest_reduction*> placed_reductions() {
    std::vector<nest_reduction*> all;
    auto look = [&](nest_stage& stage) {
      for (auto& x : stage.reductions)
        if (x.position) all.push_back(&x);
    };
    for (auto& stage : nest_.stages) look(stage);
    if (nest_.last) look(*nest_.last);
    return all;
  }

  std::vector<messages::expression*> expressions() {
    std::vector<messages::expression*> all;
    for (auto& stage : nest_.stages) all.insert(all.end(), {&stage.bodies, &stage.derived});
    if (nest_.last) all.push_back(&nest_.last->bodies);
    all.insert(all.end(), {&nest_.each_kept.values, &nest_.each_element.values, &nest_.once.values});
    return all;
  }

  std::vector<nest_tensor*> tensors() {
    std::vector<nest_tensor*> all;
    for (auto& x : nest_.operands) all.push_back(&x);
    for (auto* results : {&nest_.each_kept, &nest_.each_element, &nest_.once}) {
      for (auto& x : results->targets) all.push_back(&x);
    }
    return all;
  }

  /// Dimensions that go on where the next one ends become one, where that holds for every tensor.
  void join() {
    for (auto i = nest_.sizes.size(); i-- > 1;) {
      if (i == nest_.kept) continue;
      auto size = nest_.sizes[i];
      auto goes_on = [&](const nest_tensor* x) {
        return x->steps[i - 1] == x->steps[i] * size && x->dense_steps[i - 1] == x->dense_steps[i] * size;
      };
      if (!std::ranges::all_of(tensors(), goes_on)) continue;
      auto at = static_cast<std::ptrdiff_t>(i - 1);
      nest_.sizes[i] *= nest_.sizes[i - 1];
      nest_.sizes.erase(nest_.sizes.begin() + at);
      for (auto* x : tensors()) {
        x->steps.erase(x->steps.begin() + at);
        x->dense_steps.erase(x->dense_steps.begin() + at);
      }
      if (i < nest_.kept) --nest_.kept;
    }
  }

  reduction_nest& nest_;
  const nest_scope& scope_;
  nest_axes x_;
};

}  // namespace

std::int64_t reduction_nest::kept_count() const {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < kept; ++d) count *= sizes[d];
  return count;
}

std::int64_t reduction_nest::reduced_count() const {
  std::int64_t count = 1;
  for (auto d = kept; d < sizes.size(); ++d) count *= sizes[d];
  return count;
}

void lay_out_nest(reduction_nest& nest, const nest_scope& scope, nest_axes x) {
  layouter{nest, scope, std::move(x)}.run();
}

}  // namespace dsl
