#include "dsl/anchored.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "dsl/lowering.hpp"
#include "dsl/node_set.hpp"

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

namespace {

/// From a tensor's own index space to the one that a kernel walks; nothing where strides can't say it.
using path = std::function<std::optional<view>(const view&)>;

path operator|(path first, path second) {
  return [first = std::move(first), second = std::move(second)](const view& x) {
    auto y = first(x);
    return y ? second(*y) : std::nullopt;
  };
}

/// One prologue or epilogue while it is made.
struct side {
  dsl::shape shape;
  expression_builder builder;
  std::vector<seen_tensor> operands;
};

class surrounder {
public:
  surrounder(const graph_index& index, const core& with) : index_(index), core_(with) {}

  expected<anchored> make(std::span<const std::string> names) {
    auto set = node_set::of(index_, names);
    if (!set) return tl::unexpected{set.error()};
    set_ = *std::move(set);
    after_ = set_.dependents(index_);
    find_behind();
    for (const auto& input : core_.inputs) add_input(input);
    add_output();
    check_members();
    if (problem_) return tl::unexpected{*problem_};
    return std::move(out_);
  }

private:
  // -- who depends on what

  /// Members that the core's result goes into.
  void find_behind() {
    for (const auto& node : index_.graph().nodes) {
      auto uses = [&] {
        return std::ranges::any_of(tensors_used(node), [&](auto name) { return behind_.contains(name); });
      };
      if (node.name == core_.result || (set_.contains(node) && uses())) behind_.insert(node.name);
    }
  }

  const messages::graph_node* member(std::string_view name) const {
    const auto* node = index_.node(name);
    return node && set_.contains(*node) ? node : nullptr;
  }

  void problem(const messages::graph_node& node, const std::string& what) {
    if (!problem_) problem_ = refuse(node, what).value();
  }

  // -- terms

  term at(side& to, const std::string& tensor, const path& way) {
    if (problem_) return to.builder.number(0);
    if (tensor == core_.result) return core_result(to, way);
    const auto* node = member(tensor);
    if (!node) return operand_at(to, tensor, way);
    visited_.insert(node);
    if (core_.nodes.contains(tensor)) return problem(*node, "is needed beside the group's main result"), zero(to);
    return only_looks(*node) ? view_at(to, *node, way) : pointwise_at(to, *node, way);
  }

  static term zero(side& to) { return to.builder.number(0); }

  term core_result(side& to, const path& way) {
    const auto& node = *index_.node(core_.result);
    auto place = way(dense(node.output.shape));
    bool straight = place && behind_core(to) && same_places(*place, dense(node.output.shape));
    if (!straight) problem(node, "has a result that is read at another place than where it was made");
    return to.builder.operand(0);
  }

  bool behind_core(const side& to) const { return &to == &output_; }

  term operand_at(side& to, const std::string& tensor, const path& way) {
    const auto* value = index_.value(tensor);
    if (value && value->number) return to.builder.number(*value->number);
    auto spec = *index_.spec(tensor);
    if (overlaps(spec)) spec.strides = contiguous_strides(spec.shape);
    auto place = way(whole(spec));
    if (!place) {
      if (!problem_) problem_ = fail(failure_code::bad_input, "no strides lead to " + tensor).value();
      return zero(to);
    }
    note_type(spec.dtype);
    auto same = std::ranges::find_if(to.operands, [&](const seen_tensor& x) {
      return x.name == tensor && x.place.offset == place->offset && x.place.strides == place->strides;
    });
    auto place_of = static_cast<std::uint32_t>(same - to.operands.begin());
    if (same == to.operands.end()) to.operands.push_back({tensor, std::move(spec), *std::move(place)});
    return to.builder.operand(place_of + (behind_core(to) ? 1 : 0));
  }

  term view_at(side& to, const messages::graph_node& node, const path& way) {
    const auto* of = viewed(node);
    if (!of) return problem(node, "looks at no tensor"), zero(to);
    auto made = at(to, *of, path{[&node](const view& x) { return look(node, x); }} | way);
    return made;
  }

  term pointwise_at(side& to, const messages::graph_node& node, const path& way) {
    const auto* entry = find_lowering(node.op);
    if (!entry) return problem(node, "is not pointwise"), zero(to);
    if (node.result != 0) return problem(node, "is not the first result"), zero(to);
    if (is_integer(node.output.dtype)) return problem(node, "is arithmetic in integers"), zero(to);
    note_type(node.output.dtype);
    auto spread = path{[&node](const view& x) { return broadcast(x, node.output.shape); }} | way;
    lowering_call call{index_, node, to.builder, [&](const std::string& tensor) { return at(to, tensor, spread); }};
    auto made = (*entry)(call);
    if (auto said = call.problem(); !said.empty()) problem(node, said);
    return node.output.dtype == messages::dtype::boolean ? as_truth(made) : as_number(made);
  }

  void note_type(messages::dtype x) {
    if (x == messages::dtype::float64) out_.compute = x;
  }

  // -- the two sides

  void add_input(const std::string& tensor) {
    side to{index_.spec(tensor)->shape, {}, {}};
    auto made = as_number(at(to, tensor, [](const view& x) { return std::optional{x}; }));
    auto expression = std::move(to.builder).take({made});
    close_up(expression, to.operands, 0);
    out_.inputs.push_back({std::move(expression), std::move(to.operands), std::move(to.shape)});
  }

  void add_output() {
    const auto* result = index_.node(core_.result);
    output_.shape = result->output.shape;
    note_type(result->output.dtype);
    std::vector<term> terms;
    for (const auto& node : index_.graph().nodes) {
      if (!member(node.name) || !behind_.contains(node.name) || !set_.is_result(index_, node)) continue;
      auto way = way_back(node);
      auto place = way ? (*way)(whole(node.output)) : std::nullopt;
      if (!place) return problem(node, "repeats or leaves out elements of the group's main result");
      terms.push_back(as_number(at(output_, node.name, *way)));
      out_.output.results.push_back({node.name, node.output, *std::move(place)});
    }
    if (terms.empty()) return problem(*result, "has no result that is needed outside of the group");
    auto expression = std::move(output_.builder).take(terms);
    close_up(expression, output_.operands, 1);
    out_.output.expression = std::move(expression);
    out_.output.operands = std::move(output_.operands);
    out_.output.shape = output_.shape;
  }

  /// From a node behind the core to the core's result, back through views.
  std::optional<path> way_back(const messages::graph_node& from) {
    path way = [](const view& x) { return std::optional{x}; };
    const auto* node = &from;
    while (node->name != core_.result) {
      auto used = tensors_used(*node);
      auto next = std::ranges::find_if(used, [&](auto name) { return behind_.contains(name); });
      const auto* before = index_.node(*next);
      if (only_looks(*node)) {
        way =
            std::move(way) | path{[node, before](const view& x) { return look_back(*node, before->output.shape, x); }};
      } else if (before->output.shape != node->output.shape) {
        return std::nullopt;
      }
      node = before;
    }
    return way;
  }

  /// Operands that only a literal came of are dropped; the numbers of the rest close up.
  static void close_up(messages::expression& x, std::vector<seen_tensor>& operands, std::uint32_t first) {
    std::map<std::uint32_t, std::uint32_t> place;
    std::vector<seen_tensor> kept;
    for (auto& node : x.nodes) {
      if (!node.operand || *node.operand < first) continue;
      auto [found, fresh] = place.try_emplace(*node.operand, static_cast<std::uint32_t>(kept.size()) + first);
      if (fresh) kept.push_back(operands[*node.operand - first]);
      node.operand = found->second;
    }
    operands = std::move(kept);
  }

  // -- the whole

  void visit_all_before(const messages::graph_node& node) {
    for (auto used : tensors_used(node)) {
      const auto* before = member(used);
      if (before && visited_.insert(before).second) visit_all_before(*before);
    }
  }

  void check_members() {
    for (const auto& name : core_.nodes)
      if (const auto* node = member(name)) visited_.insert(node);
    auto seen = visited_;
    for (const auto* node : seen) visit_all_before(*node);
    for (const auto* node : set_.in_order()) {
      if (!visited_.contains(node)) return problem(*node, "has no part in the group's results");
      bool written = behind_.contains(node->name);
      if (!written && set_.is_result(index_, *node)) return problem(*node, "is needed outside of the group");
    }
    auto check = [&](const seen_tensor& x) {
      if (after_.contains(x.name) && !problem_)
        problem_ =
            fail(failure_code::bad_input, "the group reads " + x.name + ", which depends on the group itself").value();
    };
    for (const auto& input : out_.inputs) std::ranges::for_each(input.operands, check);
    std::ranges::for_each(out_.output.operands, check);
  }

  const graph_index& index_;
  const core& core_;
  node_set set_;
  std::set<const messages::graph_node*> visited_;
  std::set<std::string_view> behind_;  ///< members that the core's result goes into, itself too
  std::set<std::string_view> after_;   ///< all nodes that depend on a member, members too
  side output_;
  anchored out_;
  std::optional<messages::failure> problem_;
};

}  // namespace

expected<anchored> surround(const graph_index& index, std::span<const std::string> nodes, const core& with) {
  return surrounder{index, with}.make(nodes);
}

bool hands_on(const messages::expression& x) { return x.nodes.size() == 1 && x.nodes.front().operand; }

const messages::graph_node* only_anchor(const graph_index& index, std::span<const std::string> nodes,
                                        std::span<const std::string_view> operators) {
  const messages::graph_node* found = nullptr;
  for (const auto& name : nodes) {
    const auto* node = index.node(name);
    if (!node || std::ranges::find(operators, node->op) == operators.end()) continue;
    if (found) return nullptr;
    found = node;
  }
  return found;
}

}  // namespace dsl
