// Every ATen operator that reduces, moves or writes, as folds and arithmetic. The formulas are those of PyTorch's own
// kernels; tests/dsl/cpp/test_reduction_kernels.py compares each with PyTorch.

#include "dsl/nest_table.hpp"

namespace dsl {

nest_extent extent_of(nest_call& c, std::string_view argument) {
  nest_extent x{c.tensor(argument), {}, {}, {}, false};
  x.dims = c.chosen(x.of);
  x.keep = c.flag("keepdim", false);
  x.whole = c.all_axes(x.of);
  x.over = c.axes_of(x.of, x.dims);
  return x;
}

nest_value left_of(nest_call& c, const nest_extent& x, const term& value) {
  return {value, c.without(x.of, x.dims, x.keep)};
}

term fold(nest_call& c, const nest_extent& x, monoid kind, const term& body, std::uint32_t which) {
  return c.fold(kind, body, x.whole, x.over, which);
}

double count_of(nest_call& c, const nest_extent& x) { return static_cast<double>(c.size(x.over)); }

term demand_elements(nest_call& c, const nest_extent& x, const term& value) {
  return c.size(x.over) == 0 ? c.refuse("is the extreme of nothing") : value;
}

nest_lowering with_rank(std::string_view argument, std::size_t least, std::size_t most, nest_lowering inner) {
  return [=, inner = std::move(inner)](nest_call& c) {
    auto rank = c.tensor(argument).dims.size();
    if (rank >= least && rank <= most) return inner(c);
    return nest_value{c.refuse("has an argument of an odd rank"), {}};
  };
}

std::optional<term> along(nest_call& c, std::string_view name, const axes& where) {
  if (!c.has(name)) return std::nullopt;
  auto x = c.tensor(name);
  c.line_up(c.all_axes(x), where);
  return x.value;
}

namespace {

nest_table whole_table() {
  auto all = nest_reductions();
  for (const auto& part : {nest_norms(), nest_losses(), nest_moves()}) all.insert(part.begin(), part.end());
  return all;
}

}  // namespace

const nest_lowering* find_nest_lowering(std::string_view op) {
  static const nest_table all = whole_table();
  auto found = all.find(op);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace dsl
