#include "dsl/cpp/scan_layout.hpp"

#include <algorithm>
#include <numeric>

namespace dsl::cpp {

namespace {

/// Columns narrower than this are rows with steps; rows shorter than `brief` are columns with steps, if there are many.
constexpr std::int64_t narrow = 16;
constexpr std::int64_t brief = 8;
constexpr std::int64_t many = 64;

using order = std::vector<std::size_t>;

view turned(const view& x, const order& dims) {
  view y{x.offset, {}, {}};
  for (auto d : dims) y.shape.push_back(x.shape[d]), y.strides.push_back(x.strides[d]);
  return y;
}

/// Dimensions beside the axis, by falling stride of the first result.
order others(const scan& x, const anchored& around) {
  order dims(around.output.shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  std::erase(dims, x.axis);
  const auto& strides = around.output.results.front().place.strides;
  auto falling = [&](std::size_t a, std::size_t b) { return std::abs(strides[a]) > std::abs(strides[b]); };
  std::ranges::stable_sort(dims, falling);
  return dims;
}

std::vector<const view*> places(const anchored& x) {
  std::vector<const view*> all;
  for (const auto& operand : x.inputs[0].operands) all.push_back(&operand.place);
  for (const auto& operand : x.output.operands) all.push_back(&operand.place);
  for (const auto& result : x.output.results) all.push_back(&result.place);
  return all;
}

/// Whether dimension a goes on where b ends, for every tensor.
bool can_join(const std::vector<const view*>& all, std::size_t a, std::size_t b) {
  return std::ranges::all_of(all, [&](const view* x) {
    return x->shape[a] == 1 || x->shape[b] == 1 || x->strides[a] == x->strides[b] * x->shape[b];
  });
}

/// How many of the innermost of these can be one dimension.
std::size_t joinable(const std::vector<const view*>& all, const order& dims) {
  std::size_t count = std::min<std::size_t>(1, dims.size());
  while (count < dims.size() && can_join(all, dims[dims.size() - count - 1], dims[dims.size() - count])) ++count;
  return count;
}

std::int64_t product(const shape& sizes, const order& dims) {
  std::int64_t count = 1;
  for (auto d : dims) count *= sizes[d];
  return count;
}

bool prefers_columns(const scan& x, const anchored& around, std::int64_t width) {
  const auto& result = around.output.results.front().place;
  auto axis_step = std::abs(result.strides[x.axis]);
  bool axis_innermost = std::ranges::all_of(result.strides, [&](auto s) { return axis_step <= std::abs(s); });
  if (axis_innermost) return around.output.shape[x.axis] < brief && width >= many;
  return width >= narrow;
}

}  // namespace

scan_layout lay_out(const scan& x, const anchored& around) {
  const auto& size = around.output.shape;
  auto all = places(around);
  auto dims = others(x, around);
  auto inner = joinable(all, dims);
  order columns(dims.end() - static_cast<std::ptrdiff_t>(inner), dims.end());
  scan_layout layout;
  layout.width = product(size, columns);
  layout.columns = prefers_columns(x, around, layout.width);
  auto outer = dims;
  if (layout.columns) outer.resize(dims.size() - inner);
  for (auto d : outer) layout.outer.push_back(size[d]);
  layout.length = size[x.axis] - (x.exclusive ? 1 : 0);
  if (!layout.columns) layout.width = 1;
  auto turn = [axis = x.axis, outer, columns, layout](const view& from, std::int64_t length) {
    auto dims = outer;
    dims.push_back(axis);
    if (layout.columns) dims.insert(dims.end(), columns.begin(), columns.end());
    auto y = turned(from, dims);
    y.shape[outer.size()] = length;
    auto to = layout.outer;
    to.push_back(length);
    if (layout.columns) to.push_back(layout.width);
    return reshape(y, to);
  };
  layout.input = [turn, length = std::max<std::int64_t>(layout.length, 0)](const view& from) {
    return turn(from, length);
  };
  layout.output = [turn, length = size[x.axis]](const view& from) { return turn(from, length); };
  return layout;
}

}  // namespace dsl::cpp
