#include "dsl/view.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "dsl/node_arguments.hpp"

namespace dsl {

namespace {

using numbers = std::vector<std::int64_t>;
using maybe_view = std::optional<view>;

/// Strides of the dimensions of `to` that share `count` elements with a run of joined dimensions of one stride.
/// Moves `at` below them; false where they do not fit.
bool split(numbers& strides, const shape& to, std::ptrdiff_t& at, std::int64_t count, std::int64_t stride) {
  std::int64_t covered = 1;
  for (; at >= 0 && (covered < count || to[static_cast<std::size_t>(at)] == 1); --at) {
    strides[static_cast<std::size_t>(at)] = covered * stride;
    covered *= to[static_cast<std::size_t>(at)];
  }
  return covered == count;
}

/// The order of dimensions that permute, t and transpose say.
std::optional<std::vector<std::size_t>> turned(const messages::graph_node& node, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (node.op == "aten.permute") {
    auto dims = integers_argument(node, "dims", {});
    if (!dims || dims->size() != rank) return std::nullopt;
    for (std::size_t i = 0; i < rank; ++i) {
      auto d = dimension((*dims)[i], rank);
      if (!d) return std::nullopt;
      order[i] = *d;
    }
    auto sorted = order;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
    return order;
  }
  bool t = node.op == "aten.t";
  auto first = t ? 0 : integer_argument(node, "dim0", 0);
  auto second = t ? 1 : integer_argument(node, "dim1", 1);
  if (t && rank < 2) return order;
  if (!first || !second) return std::nullopt;
  auto a = dimension(*first, rank), b = dimension(*second, rank);
  if (!a || !b) return std::nullopt;
  std::swap(order[*a], order[*b]);
  return order;
}

maybe_view reorder(const view& x, const std::vector<std::size_t>& order) {
  view y{x.offset, {}, {}};
  for (auto d : order) y.shape.push_back(x.shape[d]), y.strides.push_back(x.strides[d]);
  return y;
}

maybe_view look_reshaped(const messages::graph_node& node, const view& x) { return reshape(x, node.output.shape); }

maybe_view look_turned(const messages::graph_node& node, const view& x) {
  auto order = turned(node, x.shape.size());
  return order ? reorder(x, *order) : std::nullopt;
}

maybe_view look_expanded(const messages::graph_node& node, const view& x) { return broadcast(x, node.output.shape); }

maybe_view look_sliced(const messages::graph_node& node, const view& x) {
  auto dim = integer_argument(node, "dim", 0);
  auto start = integer_argument(node, "start", 0);
  auto step = integer_argument(node, "step", 1);
  if (!dim || !start || !step || *step < 1) return std::nullopt;
  auto d = dimension(*dim, x.shape.size());
  if (!d) return std::nullopt;
  auto size = x.shape[*d];
  auto first = std::clamp<std::int64_t>(*start < 0 ? *start + size : *start, 0, size);
  auto y = x;
  y.shape[*d] = node.output.shape[*d];
  if (y.shape[*d] > 0) y.offset += first * x.strides[*d];
  y.strides[*d] *= *step;
  return y;
}

maybe_view look_selected(const messages::graph_node& node, const view& x) {
  auto dim = integer_argument(node, "dim", 0);
  auto index = integer_argument(node, "index", 0);
  auto d = dim ? dimension(*dim, x.shape.size()) : std::nullopt;
  if (!d || !index) return std::nullopt;
  auto i = dimension(*index, static_cast<std::size_t>(x.shape[*d]));
  if (!i) return std::nullopt;
  auto y = x;
  y.offset += static_cast<std::int64_t>(*i) * x.strides[*d];
  y.shape.erase(y.shape.begin() + static_cast<std::ptrdiff_t>(*d));
  y.strides.erase(y.strides.begin() + static_cast<std::ptrdiff_t>(*d));
  return y;
}

maybe_view look_flipped(const messages::graph_node& node, const view& x) {
  auto dims = integers_argument(node, "dims", {});
  if (!dims) return std::nullopt;
  auto y = x;
  for (auto dim : *dims) {
    auto d = dimension(dim, x.shape.size());
    if (!d) return std::nullopt;
    y.offset += std::max<std::int64_t>(x.shape[*d] - 1, 0) * y.strides[*d];
    y.strides[*d] = -y.strides[*d];
  }
  return y;
}

maybe_view back_reshaped(const messages::graph_node&, const shape& before, const view& x) { return reshape(x, before); }

maybe_view back_turned(const messages::graph_node& node, const shape& before, const view& x) {
  auto order = turned(node, before.size());
  if (!order) return std::nullopt;
  view y{x.offset, before, numbers(before.size())};
  for (std::size_t i = 0; i < order->size(); ++i) y.strides[(*order)[i]] = x.strides[i];
  return y;
}

maybe_view back_unless_changed(const messages::graph_node&, const shape& before, const view& x) {
  return elements(before) == elements(x.shape) ? reshape(x, before) : std::nullopt;
}

maybe_view back_flipped(const messages::graph_node& node, const shape&, const view& x) { return look_flipped(node, x); }

struct operation_of_view {
  maybe_view (*look)(const messages::graph_node&, const view&);
  maybe_view (*back)(const messages::graph_node&, const shape&, const view&);
};

const std::map<std::string_view, operation_of_view>& operators() {
  static const operation_of_view reshaped{&look_reshaped, &back_reshaped};
  static const operation_of_view reordered{&look_turned, &back_turned};
  static const std::map<std::string_view, operation_of_view> all{
      {"aten.view", reshaped},
      {"aten._unsafe_view", reshaped},
      {"aten.reshape", reshaped},
      {"aten.unsqueeze", reshaped},
      {"aten.squeeze", reshaped},
      {"aten.permute", reordered},
      {"aten.transpose", reordered},
      {"aten.t", reordered},
      {"aten.expand", {&look_expanded, &back_unless_changed}},
      {"aten.slice", {&look_sliced, &back_unless_changed}},
      {"aten.select", {&look_selected, &back_unless_changed}},
      {"aten.flip", {&look_flipped, &back_flipped}},
  };
  return all;
}

const operation_of_view* find(const messages::graph_node& node) {
  auto found = operators().find(node.op);
  return found == operators().end() ? nullptr : &found->second;
}

}  // namespace

view whole(const messages::tensor_spec& spec) { return {0, spec.shape, spec.strides}; }

bool overlaps(const messages::tensor_spec& spec) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // stride and size
  for (std::size_t d = 0; d < spec.shape.size(); ++d) {
    if (spec.shape[d] > 1) steps.emplace_back(spec.strides[d], spec.shape[d]);
  }
  std::ranges::sort(steps);
  std::int64_t reach = 0;
  for (auto [stride, size] : steps) {
    if (stride <= reach) return true;
    reach += stride * (size - 1);
  }
  return false;
}

view dense(const shape& size) { return {0, size, contiguous_strides(size)}; }

maybe_view reshape(const view& x, const shape& to) {
  if (elements(x.shape) != elements(to)) return std::nullopt;
  if (elements(to) == 0) return view{x.offset, to, contiguous_strides(to)};
  view y{x.offset, to, numbers(to.size(), 1)};
  auto at = static_cast<std::ptrdiff_t>(to.size()) - 1;
  std::int64_t count = 1;
  for (auto d = x.shape.size(); d-- > 0;) {
    auto begin = d + 1;  // of the run of joined dimensions: the innermost one that is not 1
    while (d > 0 && x.shape[d] == 1) --d, begin = d + 1;
    auto stride = x.strides[begin - 1];
    count = x.shape[begin - 1];
    while (d > 0 && (x.shape[d - 1] == 1 || x.strides[d - 1] == count * stride)) count *= x.shape[--d];
    if (!split(y.strides, to, at, count, stride)) return std::nullopt;
  }
  return at < 0 || split(y.strides, to, at, 1, 1) ? maybe_view{y} : std::nullopt;
}

maybe_view broadcast(const view& x, const shape& to) {
  auto strides = broadcast_strides({{}, x.shape, x.strides}, to);
  if (!strides) return std::nullopt;
  return view{x.offset, to, *std::move(strides)};
}

bool same_places(const view& a, const view& b) {
  if (a.shape != b.shape) return false;
  if (elements(a.shape) == 0) return true;
  for (std::size_t d = 0; d < a.shape.size(); ++d) {
    if (a.shape[d] != 1 && a.strides[d] != b.strides[d]) return false;
  }
  return a.offset == b.offset;
}

bool only_looks(const messages::graph_node& node) { return find(node) != nullptr; }

const std::string* viewed(const messages::graph_node& node) {
  const auto* argument = find_argument(node, "self");
  return argument ? value_name(*argument) : nullptr;
}

maybe_view look(const messages::graph_node& node, const view& x) {
  const auto* operation = find(node);
  auto y = operation ? operation->look(node, x) : std::nullopt;
  return y && y->shape == node.output.shape ? y : std::nullopt;
}

maybe_view look_back(const messages::graph_node& node, const shape& before, const view& x) {
  const auto* operation = find(node);
  auto y = operation ? operation->back(node, before, x) : std::nullopt;
  return y && y->shape == before ? y : std::nullopt;
}

}  // namespace dsl
