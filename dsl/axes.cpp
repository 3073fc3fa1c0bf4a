#include "dsl/axes.hpp"

namespace dsl {

axis axis_space::make(std::int64_t size) {
  auto made = static_cast<axis>(all_.size());
  all_.push_back({size, made, {}});
  return made;
}

axes axis_space::dimension(std::int64_t size) { return size == 1 ? axes{} : axes{make(size)}; }

std::int64_t axis_space::size(const axes& x) const {
  std::int64_t product = 1;
  for (auto one : x) product *= size(one);
  return product;
}

axis axis_space::root(axis x) const {
  while (all_[x].same != x) x = all_[x].same;
  return x;
}

void axis_space::expand(axis x, axes& into) const {
  x = root(x);
  if (!all_[x].parts) {
    into.push_back(x);
    return;
  }
  expand(all_[x].parts->first, into);
  expand(all_[x].parts->second, into);
}

axes axis_space::leaves(const axes& x) const {
  axes found;
  for (auto one : x) expand(one, found);
  return found;
}

std::pair<axis, axis> axis_space::split(axis leaf, std::int64_t inner) {
  auto outer = make(all_[leaf].size / inner);
  auto rest = make(inner);
  all_[leaf].parts = std::pair{outer, rest};
  return {outer, rest};
}

bool axis_space::unify(const axes& a, const axes& b) {
  auto left = leaves(a);
  auto right = leaves(b);
  while (!left.empty() && !right.empty()) {
    auto x = left.back();
    auto y = right.back();
    auto small = std::min(size(x), size(y));
    if (x != y && size(x) == size(y)) all_[x].same = y;
    if (size(x) != size(y)) {
      auto& list = size(x) > size(y) ? left : right;
      if (small == 0 || size(list.back()) % small != 0) return false;
      auto [outer, inner] = split(list.back(), small);
      list.back() = outer;
      list.push_back(inner);
      continue;
    }
    left.pop_back();
    right.pop_back();
  }
  return left.empty() && right.empty();
}

std::optional<std::pair<axes, axes>> axis_space::cut(const axes& x, std::int64_t inner) {
  auto outside = leaves(x);
  axes inside;
  while (inner > 1) {
    if (outside.empty()) return std::nullopt;
    auto last = outside.back();
    outside.pop_back();
    if (inner % size(last) != 0) {
      if (size(last) % inner != 0) return std::nullopt;
      auto [outer, rest] = split(last, inner);
      outside.push_back(outer);
      last = rest;
    }
    inside.insert(inside.begin(), last);
    inner /= size(last);
  }
  return std::pair{outside, inside};
}

}  // namespace dsl
