#include "dsl/scan.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "dsl/node_arguments.hpp"

namespace dsl {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;
using messages::graph_node;

struct scan_operator {
  std::string_view op;
  scan_monoid monoid;
};
constexpr std::array<scan_operator, 5> scan_operators{{
    {"aten.cumsum", scan_monoid::sum},
    {"aten.cumprod", scan_monoid::product},
    {"aten.cummax", scan_monoid::max},
    {"aten.cummin", scan_monoid::min},
    {"aten.logcumsumexp", scan_monoid::log_sum_exp},
}};

class finder {
public:
  finder(const graph_index& index, std::span<const std::string> nodes) : index_(index), nodes_(nodes) {}

  expected<scan> find() {
    static const auto names = [] {
      std::array<std::string_view, scan_operators.size()> all;
      std::ranges::transform(scan_operators, all.begin(), &scan_operator::op);
      return all;
    }();
    const auto* node = only_anchor(index_, nodes_, names);
    if (!node) return fail(failure_code::bad_input, "there is not one scan");
    if (auto ok = read(*node); !ok) return tl::unexpected{ok.error()};
    if (!take_cat_behind(*node)) take_cat_before(*node);
    return std::move(scan_);
  }

private:
  expected<void> read(const graph_node& node) {
    auto known = std::ranges::find(scan_operators, node.op, &scan_operator::op);
    if (node.result != 0) return refuse(node, "is the indices of a scan");
    auto dim = integer_argument(node, "dim", 0);
    auto axis = dim ? dimension(*dim, node.output.shape.size()) : std::nullopt;
    if (!viewed(node) || !axis) return refuse(node, "has an argument that is not understood");
    if (index_.spec(*viewed(node))->shape != node.output.shape) return refuse(node, "changes its shape");
    scan_ = {known->monoid, *axis, false, {{node.name}, {*viewed(node)}, node.name}};
    return {};
  }

  bool is_member(std::string_view name) const { return std::ranges::find(nodes_, name) != nodes_.end(); }

  /// The only user of a node that is needed nowhere else; null where there are others.
  const graph_node* only_user(const graph_node& node) const {
    auto users = index_.users(node.name);
    return users.size() == 1 && !index_.is_output(node.name) && is_member(users[0]->name) ? users[0] : nullptr;
  }

  /// Whether all elements are one number, and that is neutral.
  bool is_neutral(const std::string& name) const {
    if (!is_member(name)) return false;
    auto filled = make_expression(index_, std::span{&name, 1});
    if (!filled || filled->expression.nodes.size() != 1 || !filled->expression.nodes[0].number) return false;
    auto number = *filled->expression.nodes[0].number;
    return scan_.monoid == scan_monoid::sum ? number == 0 : scan_.monoid == scan_monoid::product && number == 1;
  }

  /// The second part of cat(neutral, second) along the scan's axis, where the first has one element along it.
  const std::string* shifted_by(const graph_node& cat) const {
    if (cat.op != "aten.cat") return nullptr;
    const auto* argument = find_argument(cat, "tensors");
    const auto* list = argument ? std::get_if<messages::values_argument>(&argument->content) : nullptr;
    auto dim = integer_argument(cat, "dim", 0);
    auto axis = dim ? dimension(*dim, cat.output.shape.size()) : std::nullopt;
    if (!list || list->names.size() != 2 || axis != scan_.axis || list->names[0].empty()) return nullptr;
    const auto& first = index_.spec(list->names[0])->shape;
    if (first.size() != cat.output.shape.size() || first[*axis] != 1 || !is_neutral(list->names[0])) return nullptr;
    const auto& second = index_.spec(list->names[1])->shape;
    return second.size() == first.size() && second[*axis] + 1 == cat.output.shape[*axis] ? &list->names[1] : nullptr;
  }

  const std::string& filler(const graph_node& cat) const {
    return std::get<messages::values_argument>(find_argument(cat, "tensors")->content).names[0];
  }

  /// cat(neutral, scan) or cat(neutral, scan without its last element).
  bool take_cat_behind(const graph_node& node) {
    const auto* user = only_user(node);
    const graph_node* slice = nullptr;
    if (user && drops_last(*user, node)) slice = user, user = only_user(*user);
    const auto* second = user ? shifted_by(*user) : nullptr;
    if (!second || *second != (slice ? slice->name : node.name)) return false;
    scan_.exclusive = true;
    scan_.core.result = user->name;
    scan_.core.nodes.insert({user->name, filler(*user)});
    if (slice) scan_.core.nodes.insert(slice->name);
    return true;
  }

  bool drops_last(const graph_node& slice, const graph_node& of) const {
    if (slice.op != "aten.slice") return false;
    auto seen = look(slice, dense(of.output.shape));
    auto want = dense(of.output.shape);
    want.shape[scan_.axis] -= 1;
    return want.shape[scan_.axis] >= 0 && seen && same_places(*seen, want);
  }

  /// scan(cat(neutral, x)).
  void take_cat_before(const graph_node& node) {
    const auto* cat = index_.node(scan_.core.inputs[0]);
    if (!cat || !is_member(cat->name) || only_user(*cat) != &node) return;
    const auto* second = shifted_by(*cat);
    if (!second) return;
    scan_.exclusive = true;
    scan_.core.inputs[0] = *second;
    scan_.core.nodes.insert({cat->name, filler(*cat)});
  }

  const graph_index& index_;
  std::span<const std::string> nodes_;
  scan scan_;
};

}  // namespace

expected<scan> find_scan(const graph_index& index, std::span<const std::string> nodes) {
  return finder{index, nodes}.find();
}

}  // namespace dsl
