// Losses: an element-wise part and a sum or mean of it.

#include "dsl/nest_table.hpp"

namespace dsl {

namespace {

// -- losses -----------------------------------------------------------------------------------------------------------

/// The argument `reduction`: 0 none, 1 mean, 2 sum.
nest_value reduced_loss(nest_call& c, const term& loss, std::vector<axes> dims) {
  auto how = c.integer("reduction", 1);
  if (how == 0) return {loss, std::move(dims)};
  auto whole = c.all_axes({loss, dims});
  auto total = c.fold(monoid::sum, loss, whole, whole);
  return {how == 1 ? total / static_cast<double>(c.size(whole)) : total, {}};
}

nest_lowering loss_of_two(term (*loss)(nest_call&, const term& x, const term& target)) {
  return [loss](nest_call& c) {
    auto x = c.tensor();
    auto target = c.tensor("target");
    auto dims = c.broadcast(x, target);
    return reduced_loss(c, loss(c, x.value, target.value), std::move(dims));
  };
}

term squared_error(nest_call&, const term& x, const term& target) {
  auto difference = x - target;
  return difference * difference;
}

term smooth_l1(nest_call& c, const term& x, const term& target) {
  auto size = abs(x - target);
  auto beta = c.real("beta", 1);
  if (beta == 0) return size;
  return where(size < beta, size * size * 0.5 / beta, size - 0.5 * beta);
}

term huber(nest_call& c, const term& x, const term& target) {
  auto size = abs(x - target);
  auto delta = c.real("delta", 1);
  return where(size <= delta, size * size * 0.5, (size - 0.5 * delta) * delta);
}

term cross_entropy_of_two(nest_call& c, const term& x, const term& target) {
  auto loss = (target - 1.0) * max(log1p(-x), -100) - target * max(log(x), -100);
  return c.has("weight") ? c.refuse("has weights") : loss;
}

/// The class that the target names is picked by a sum that all others leave alone.
nest_value nll_loss(nest_call& c) {
  auto x = c.tensor();
  auto target = c.tensor("target");
  auto classes = x.dims.size() == 1 ? x.dims[0] : x.dims[1];
  std::vector<axes> rows;
  for (std::size_t d = 0; d < x.dims.size(); ++d) {
    if (d != (x.dims.size() == 1 ? 0u : 1u)) rows.push_back(x.dims[d]);
  }
  c.line_up(c.all_axes(target), c.all_axes({x.value, rows}));
  auto whole = c.all_axes(x);
  auto chosen = c.position(classes) == target.value;
  auto picked = c.fold(monoid::sum, where(chosen, x.value, c.literal(0)), whole, classes);
  auto counts = target.value != static_cast<double>(c.integer("ignore_index", -100));
  auto weight = c.literal(1);
  if (auto given = along(c, "weight", classes)) {
    weight = c.fold(monoid::sum, where(chosen, *given, c.literal(0)), whole, classes);
  }
  auto loss = where(counts, -(weight * picked), c.literal(0));
  auto how = c.integer("reduction", 1);
  if (how == 0) return c.result() == 0 ? nest_value{loss, rows} : nest_value{c.refuse("has weights to give"), {}};
  auto all = c.all_axes({loss, rows});
  auto total = c.fold(monoid::sum, loss, all, all);
  auto weights = c.fold(monoid::sum, where(counts, weight, c.literal(0)), all, all);
  if (c.result() == 1) return {weights, {}};
  return {how == 1 ? total / weights : total, {}};
}

}  // namespace

nest_table nest_losses() {
  return {
      {"aten.mse_loss", loss_of_two(squared_error)},
      {"aten.smooth_l1_loss", loss_of_two(smooth_l1)},
      {"aten.huber_loss", loss_of_two(huber)},
      {"aten.binary_cross_entropy", loss_of_two(cross_entropy_of_two)},
      {"aten.nll_loss_forward", with_rank("self", 1, 2, nll_loss)},
      {"aten.nll_loss2d_forward", with_rank("self", 3, 64, nll_loss)},
  };
}

}  // namespace dsl
