#include "dsl/nest_parts.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

tl::unexpected<messages::failure> refuse(std::string what) { return fail(failure_code::bad_input, std::move(what)); }

/// What a term of the scope depends on.
struct dependence {
  bool varies = false;      ///< along a reduced axis
  bool slots = false;       ///< of any fold
  bool last = false;        ///< of a fold over the kept axes
  std::uint32_t stage = 0;  ///< the latest one of its folds
};

class assembler {
public:
  assembler(const nest_scope& scope, const std::vector<nest_target>& targets) : scope_(scope), targets_(targets) {}

  expected<reduction_nest> run(const std::vector<std::vector<axes>>& dims) {
    if (auto ok = choose_axes(dims); !ok) return tl::unexpected{ok.error()};
    if (auto ok = place_folds(); !ok) return tl::unexpected{ok.error()};
    if (auto ok = place_targets(); !ok) return tl::unexpected{ok.error()};
    number_slots();
    if (auto ok = write_stages(); !ok) return tl::unexpected{ok.error()};
    lay_out_nest(nest_, scope_, {order_, kept_, {kept_targets_, element_targets_, last_targets_}});
    return std::move(nest_);
  }

private:
  // -- axes

  axes flat(const std::vector<axes>& dims) const {
    axes all;
    for (const auto& dim : dims) all.insert(all.end(), dim.begin(), dim.end());
    return scope_.space.leaves(all);
  }
  std::set<axis> set_of(const axes& x) const {
    auto leaves = scope_.space.leaves(x);
    return {leaves.begin(), leaves.end()};
  }

  /// All axes in order of appearance; those of the first fold over all of them are reduced.
  expected<void> choose_axes(const std::vector<std::vector<axes>>& dims) {
    for (const auto& tensor : dims) {
      auto mine = flat(tensor);
      if (std::set<axis>(mine.begin(), mine.end()).size() != mine.size()) {
        return refuse("the group uses a tensor along two orders of its dimensions");
      }
      for (auto x : mine) {
        if (all_.insert(x).second) order_.push_back(x);
      }
    }
    for (const auto& fold : scope_.folds) {
      if (reduced_.empty() && set_of(fold.whole) == all_) reduced_ = set_of(fold.over);
    }
    std::ranges::set_difference(all_, reduced_, std::inserter(kept_, kept_.end()));
    return {};
  }

  // -- folds

  dependence join(dependence a, const dependence& b) const {
    return {a.varies || b.varies, a.slots || b.slots, a.last || b.last, std::max(a.stage, b.stage)};
  }

  bool along_reduced(const std::vector<axes>& dims) const {
    return std::ranges::any_of(flat(dims), [&](auto x) { return reduced_.contains(x); });
  }

  dependence of_leaf(std::uint32_t i) const {
    const auto& leaf = scope_.leaves[i];
    if (!leaf.fold) return {along_reduced(leaf.dims), false, false, 0};
    return {false, true, is_last_[*leaf.fold], stage_[*leaf.fold]};
  }

  /// Of each node of the builder, as far as the folds known so far tell.
  dependence of(const term& x) {
    const auto& nodes = scope_.terms.nodes();
    for (auto i = depends_.size(); i <= x.node; ++i) {
      dependence mine;
      if (nodes[i].operand) mine = of_leaf(*nodes[i].operand);
      for (auto argument : nodes[i].arguments) mine = join(mine, depends_[argument]);
      depends_.push_back(mine);
    }
    return depends_[x.node];
  }

  /// Folds come in an order in which each uses only those before it.
  expected<void> place_folds() {
    for (const auto& fold : scope_.folds) {
      auto whole = set_of(fold.whole);
      auto over = set_of(fold.over);
      bool first_level = whole == all_ && over == reduced_;
      bool last_level = whole == kept_ && over == kept_ && !reduced_.empty() && !kept_.empty();
      if (!first_level && !last_level) return refuse("the group reduces over different dimensions");
      auto body = of(fold.body);
      if (body.last) return refuse("the group uses a reduction over all of its rows before its end");
      stage_.push_back(first_level && body.slots ? body.stage + 1 : 0);
      is_last_.push_back(last_level);
    }
    return {};
  }

  // -- results

  struct placed {
    const nest_target* target;
    dependence depends;
  };

  expected<void> place_targets() {
    for (const auto& x : targets_) {
      auto mine = flat(x.value.dims);
      std::set<axis> axes(mine.begin(), mine.end());
      auto depends = of(x.value.value);
      bool last = std::ranges::find(is_last_, true) != is_last_.end();
      if (axes == kept_ && !reduced_.empty() && !depends.last) {
        kept_targets_.push_back(&x);
      } else if (axes == all_ && !depends.last) {
        element_targets_.push_back(&x);
      } else if (axes.empty() && last && depends.last && !depends.varies) {
        last_targets_.push_back(&x);
      } else {
        return refuse(x.name + " lies on other dimensions than the rest of the group");
      }
    }
    if (targets_.empty()) return refuse("nothing uses what these compute");
    return check_in_place();
  }

  /// A value that is written must be read at the same point only, before it is written.
  expected<void> check_in_place() const {
    for (const auto* x : element_targets_) {
      if (!reduced_.empty() && reads(x->name)) return refuse("the group writes " + x->name + ", which it reads");
    }
    return {};
  }
  bool reads(const std::string& name) const {
    return std::ranges::any_of(scope_.leaves, [&](const auto& leaf) { return leaf.name == name; });
  }

  // -- slots

  void number_slots() {
    slot_of_fold_.resize(scope_.folds.size());
    for (std::size_t i = 0; i < scope_.folds.size(); ++i) {
      slot_of_fold_[i] = nest_.slots;
      nest_.slots += slots_of(scope_.folds[i].kind);
    }
  }

  // -- expressions

  using slot_map = std::map<std::uint32_t, std::uint32_t>;  ///< node of the scope -> slot

  /// The expression of some terms, with a slot in place of each node of the map.
  messages::expression write(const std::vector<term>& results, const slot_map& known) const {
    if (results.empty()) return {};
    const auto& nodes = scope_.terms.nodes();
    std::vector<bool> needed(nodes.size(), false);
    for (const auto& x : results) needed[x.node] = true;
    for (auto i = nodes.size(); i-- > 0;) {
      if (!needed[i] || known.contains(static_cast<std::uint32_t>(i))) continue;
      for (auto argument : nodes[i].arguments) needed[argument] = true;
    }
    expression_builder builder;
    std::vector<term> made(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (needed[i]) made[i] = copy(i, known, made, builder);
    }
    std::vector<term> wanted;
    for (const auto& x : results) wanted.push_back(made[x.node]);
    return std::move(builder).take(wanted);
  }

  term copy(std::uint32_t i, const slot_map& known, const std::vector<term>& made, expression_builder& builder) const {
    const auto& node = scope_.terms.nodes()[i];
    if (auto slot = known.find(i); slot != known.end()) return builder.operand(slot_mark + slot->second);
    if (node.number) return builder.number(*node.number);
    if (node.operand) {
      const auto& leaf = scope_.leaves[*node.operand];
      return builder.operand(leaf.fold ? slot_mark + slot_of_fold_[*leaf.fold] + leaf.which : *node.operand);
    }
    std::vector<std::uint32_t> arguments;
    for (auto argument : node.arguments) arguments.push_back(made[argument].node);
    return builder.apply(operation_of(node), std::move(arguments));
  }

  /// What depends on slots but not on the reduced axes is computed once a kept point: the outermost such parts.
  void find_derived(const std::vector<term>& results) {
    const auto& nodes = scope_.terms.nodes();
    std::vector<std::uint32_t> pending;
    for (const auto& x : results) pending.push_back(x.node);
    std::set<std::uint32_t> seen;
    while (!pending.empty()) {
      auto i = pending.back();
      pending.pop_back();
      if (!seen.insert(i).second || nodes[i].op.empty()) continue;
      bool number = signature_of(operation_of(nodes[i])).result == kind::number;
      if (number && depends_[i].slots && !depends_[i].varies) {
        derived_.insert(i);
        continue;
      }
      pending.insert(pending.end(), nodes[i].arguments.begin(), nodes[i].arguments.end());
    }
  }

  expected<void> write_stages() {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < stage_.size(); ++i)
      if (!is_last_[i]) count = std::max(count, stage_[i] + 1);
    for (std::size_t i = 0; i < stage_.size(); ++i)
      if (!is_last_[i]) find_derived({scope_.folds[i].body});
    find_derived(values_of(element_targets_));
    nest_.stages.resize(count);
    for (std::uint32_t s = 0; s < count; ++s) {
      write_bodies(nest_.stages[s], [&](std::size_t i) { return !is_last_[i] && stage_[i] == s; });
      write_derived(nest_.stages[s], s);
    }
    write_last();
    write_results(nest_.each_kept, kept_targets_, {});
    write_results(nest_.each_element, element_targets_, slots_);
    write_results(nest_.once, last_targets_, {});
    return {};
  }

  void write_bodies(nest_stage& stage, const std::function<bool(std::size_t)>& belongs) {
    std::vector<term> bodies;
    for (std::size_t i = 0; i < scope_.folds.size(); ++i) {
      if (!belongs(i)) continue;
      const auto& fold = scope_.folds[i];
      auto place = static_cast<std::uint32_t>(bodies.size());
      stage.reductions.push_back({fold.kind, place, fold.position, slot_of_fold_[i]});
      bodies.push_back(fold.body);
    }
    stage.bodies = write(bodies, slots_);
  }

  void write_derived(nest_stage& stage, std::uint32_t number) {
    std::vector<term> results;
    stage.first_derived = nest_.slots;
    slot_map fresh;
    for (auto i : derived_) {
      if (depends_[i].stage != number) continue;
      fresh[i] = nest_.slots++;
      results.push_back({nullptr, i, kind::number});
    }
    stage.derived = write(results, {});
    slots_.insert(fresh.begin(), fresh.end());
  }

  void write_last() {
    if (std::ranges::find(is_last_, true) == is_last_.end()) return;
    nest_.last.emplace();
    auto none = slots_;
    slots_.clear();  // bodies are on the kept space: all in one expression
    write_bodies(*nest_.last, [&](std::size_t i) { return is_last_[i]; });
    slots_ = none;
    nest_.last->first_derived = nest_.slots;
  }

  static std::vector<term> values_of(const std::vector<const nest_target*>& targets) {
    std::vector<term> values;
    for (const auto* x : targets) values.push_back(x->value.value);
    return values;
  }

  void write_results(nest_results& results, const std::vector<const nest_target*>& targets, const slot_map& known) {
    results.values = write(values_of(targets), known);
    for (const auto* x : targets) results.targets.push_back({x->name, x->spec, {}, {}});
  }

  const nest_scope& scope_;
  const std::vector<nest_target>& targets_;
  reduction_nest nest_;
  axes order_;
  std::set<axis> all_, reduced_, kept_;
  std::vector<std::uint32_t> stage_;
  std::vector<bool> is_last_;
  std::vector<dependence> depends_;
  std::vector<const nest_target*> kept_targets_, element_targets_, last_targets_;
  std::vector<std::uint32_t> slot_of_fold_;
  std::set<std::uint32_t> derived_;
  slot_map slots_;
};

}  // namespace

expected<reduction_nest> assemble_nest(const nest_scope& scope, const std::vector<nest_target>& targets,
                                       const std::vector<std::vector<axes>>& dims) {
  return assembler{scope, targets}.run(dims);
}

}  // namespace dsl
