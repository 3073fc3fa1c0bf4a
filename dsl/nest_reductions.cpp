// Sums, extremes, moments, norms to one number, products with one row or column.

#include <cmath>
#include <limits>

#include "dsl/nest_table.hpp"

namespace dsl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

nest_lowering simple(monoid kind) {
  return [kind](nest_call& c) {
    auto x = extent_of(c);
    return left_of(c, x, fold(c, x, kind, x.of.value));
  };
}

nest_value mean(nest_call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::sum, x.of.value) / count_of(c, x));
}

nest_lowering extreme(monoid kind, monoid with_place) {
  return [=](nest_call& c) {
    if (c.overload() == "other") return nest_value{c.refuse("compares two tensors"), {}};
    auto x = extent_of(c);
    bool place = c.result() == 1;
    return left_of(c, x, demand_elements(c, x, fold(c, x, place ? with_place : kind, x.of.value, place ? 1 : 0)));
  };
}

nest_lowering place_of(monoid kind) {
  return [kind](nest_call& c) {
    auto x = extent_of(c);
    return left_of(c, x, demand_elements(c, x, fold(c, x, kind, x.of.value, 1)));
  };
}

nest_value aminmax(nest_call& c) {
  auto x = extent_of(c);
  auto kind = c.result() == 0 ? monoid::min : monoid::max;
  return left_of(c, x, demand_elements(c, x, fold(c, x, kind, x.of.value)));
}

nest_value logsumexp(nest_call& c) {
  auto x = extent_of(c);
  auto top = fold(c, x, monoid::max, x.of.value);
  auto base = where(abs(top) == infinity, 0, top);
  return left_of(c, x, log(fold(c, x, monoid::sum, exp(x.of.value - base))) + base);
}

nest_value any(nest_call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::max, as_number(as_truth(x.of.value))) > 0);
}

nest_value all(nest_call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::min, as_number(as_truth(x.of.value))) > 0);
}

nest_value count_nonzero(nest_call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::sum, as_number(as_truth(x.of.value))));
}

nest_value nansum(nest_call& c) {
  auto x = extent_of(c);
  auto v = x.of.value;
  return left_of(c, x, fold(c, x, monoid::sum, where(v != v, 0, v)));
}

term vector_norm(nest_call& c, const nest_extent& x, double p) {
  auto v = x.of.value;
  if (p == infinity) return fold(c, x, monoid::max, abs(v));
  if (p == -infinity) return fold(c, x, monoid::min, abs(v));
  if (p == 0) return fold(c, x, monoid::sum, number_of(v != 0));
  if (p == 1) return fold(c, x, monoid::sum, abs(v));
  if (p == 2) return sqrt(fold(c, x, monoid::sum, v * v));
  return pow(fold(c, x, monoid::sum, pow(abs(v), p)), 1 / p);
}

nest_lowering norm(std::string_view order) {
  return [order](nest_call& c) {
    auto x = extent_of(c);
    auto p = c.has(order) ? c.real(order, 2) : 2;
    auto value = vector_norm(c, x, p);
    return left_of(c, x, std::abs(p) == infinity ? demand_elements(c, x, value) : value);
  };
}

double correction(nest_call& c) {
  if (c.has("correction")) return c.real("correction", 1);
  return c.flag("unbiased", true) ? 1 : 0;
}

term variance(nest_call& c, const nest_extent& x) {
  auto divisor = std::max(0.0, count_of(c, x) - correction(c));
  return fold(c, x, monoid::moments, x.of.value, 1) / divisor;
}

nest_lowering spread(bool root, bool with_mean) {
  return [=](nest_call& c) {
    auto x = extent_of(c);
    auto v = variance(c, x);
    if (with_mean && c.result() == 1) v = fold(c, x, monoid::moments, x.of.value, 0);
    return left_of(c, x, root && c.result() == 0 ? sqrt(v) : v);
  };
}

// -- products with one row or column ----------------------------------------------------------------------------------

nest_value product(nest_call& c, const nest_value& a, const nest_value& b, std::vector<axes> dims, const axes& over) {
  auto whole = over;
  for (const auto& dim : dims) whole.insert(whole.end(), dim.begin(), dim.end());
  return {c.fold(monoid::sum, a.value * b.value, whole, over), std::move(dims)};
}

nest_value matrix_matrix(nest_call& c) {
  auto a = c.tensor();
  auto b = c.tensor("mat2");
  auto batch = a.dims.size() - 2;
  if (batch == 1) c.line_up(a.dims[0], b.dims[0]);
  if (!a.dims[batch].empty() && !b.dims[batch + 1].empty()) return {c.refuse("is a product of two matrices"), {}};
  c.line_up(a.dims[batch + 1], b.dims[batch]);
  auto dims = a.dims;
  dims.back() = b.dims.back();
  return product(c, a, b, std::move(dims), a.dims.back());
}

nest_value matrix_vector(nest_call& c) {
  auto a = c.tensor();
  auto b = c.tensor("vec");
  c.line_up(a.dims[1], b.dims[0]);
  return product(c, a, b, {a.dims[0]}, a.dims[1]);
}

nest_value dot(nest_call& c) {
  auto a = c.tensor();
  auto b = c.tensor("tensor");
  c.line_up(a.dims[0], b.dims[0]);
  return product(c, a, b, {}, a.dims[0]);
}

}  // namespace

nest_table nest_reductions() {
  return {
      {"aten.sum", simple(monoid::sum)},
      {"aten.mean", mean},
      {"aten.prod", simple(monoid::prod)},
      {"aten.nansum", nansum},
      {"aten.max", extreme(monoid::max, monoid::argmax)},
      {"aten.min", extreme(monoid::min, monoid::argmin)},
      {"aten.amax", extreme(monoid::max, monoid::argmax)},
      {"aten.amin", extreme(monoid::min, monoid::argmin)},
      {"aten.aminmax", aminmax},
      {"aten.argmax", place_of(monoid::argmax)},
      {"aten.argmin", place_of(monoid::argmin)},
      {"aten.logsumexp", logsumexp},
      {"aten.any", any},
      {"aten.all", all},
      {"aten.count_nonzero", count_nonzero},
      {"aten.linalg_vector_norm", norm("ord")},
      {"aten.norm", norm("p")},
      {"aten.var", spread(false, false)},
      {"aten.std", spread(true, false)},
      {"aten.var_mean", spread(false, true)},
      {"aten.std_mean", spread(true, true)},
      {"aten.mm", with_rank("self", 2, 2, with_rank("mat2", 2, 2, matrix_matrix))},
      {"aten.bmm", with_rank("self", 3, 3, with_rank("mat2", 3, 3, matrix_matrix))},
      {"aten.mv", with_rank("self", 2, 2, with_rank("vec", 1, 1, matrix_vector))},
      {"aten.dot", with_rank("self", 1, 1, with_rank("tensor", 1, 1, dot))},
  };
}

}  // namespace dsl
