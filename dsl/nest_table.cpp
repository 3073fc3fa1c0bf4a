// Every ATen operator that reduces, moves or writes, as folds and arithmetic. The formulas are those of PyTorch's own
// kernels; tests/dsl/cpp/test_reduction_kernels.py compares each line with PyTorch.

#include <cmath>
#include <limits>

#include "dsl/nest_call.hpp"

namespace dsl {

namespace {

using call = nest_call;
using table = std::map<std::string_view, nest_lowering>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A graph from outside may give any rank to anything.
nest_lowering with_rank(std::string_view argument, std::size_t least, std::size_t most, nest_lowering inner) {
  return [=, inner = std::move(inner)](call& c) {
    auto rank = c.tensor(argument).dims.size();
    if (rank >= least && rank <= most) return inner(c);
    return nest_value{c.refuse("has an argument of an odd rank"), {}};
  };
}

// -- simple reductions ------------------------------------------------------------------------------------------------

/// The dimensions that a node reduces, and what is left.
struct extent {
  nest_value of;
  std::vector<std::size_t> dims;
  axes whole;
  axes over;
  bool keep = false;
};

extent extent_of(call& c, std::string_view argument = "self") {
  extent x{c.tensor(argument), {}, {}, {}, false};
  x.dims = c.chosen(x.of);
  x.keep = c.flag("keepdim", false);
  x.whole = c.all_axes(x.of);
  x.over = c.axes_of(x.of, x.dims);
  return x;
}

nest_value left_of(call& c, const extent& x, const term& value) {
  return {value, c.without(x.of, x.dims, x.keep)};
}

term fold(call& c, const extent& x, monoid kind, const term& body, std::uint32_t which = 0) {
  return c.fold(kind, body, x.whole, x.over, which);
}

double count_of(call& c, const extent& x) { return static_cast<double>(c.size(x.over)); }

nest_lowering simple(monoid kind) {
  return [kind](call& c) {
    auto x = extent_of(c);
    return left_of(c, x, fold(c, x, kind, x.of.value));
  };
}

term demand_elements(call& c, const extent& x, const term& value) {
  return c.size(x.over) == 0 ? c.refuse("is the extreme of nothing") : value;
}

nest_value mean(call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::sum, x.of.value) / count_of(c, x));
}

nest_lowering extreme(monoid kind, monoid with_place) {
  return [=](call& c) {
    if (c.overload() == "other") return nest_value{c.refuse("compares two tensors"), {}};
    auto x = extent_of(c);
    bool place = c.result() == 1;
    return left_of(c, x, demand_elements(c, x, fold(c, x, place ? with_place : kind, x.of.value, place ? 1 : 0)));
  };
}

nest_lowering place_of(monoid kind) {
  return [kind](call& c) {
    auto x = extent_of(c);
    return left_of(c, x, demand_elements(c, x, fold(c, x, kind, x.of.value, 1)));
  };
}

nest_value aminmax(call& c) {
  auto x = extent_of(c);
  auto kind = c.result() == 0 ? monoid::min : monoid::max;
  return left_of(c, x, demand_elements(c, x, fold(c, x, kind, x.of.value)));
}

nest_value logsumexp(call& c) {
  auto x = extent_of(c);
  auto top = fold(c, x, monoid::max, x.of.value);
  auto base = where(abs(top) == infinity, 0, top);
  return left_of(c, x, log(fold(c, x, monoid::sum, exp(x.of.value - base))) + base);
}

nest_value any(call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::max, as_number(as_truth(x.of.value))) > 0);
}

nest_value all(call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::min, as_number(as_truth(x.of.value))) > 0);
}

nest_value count_nonzero(call& c) {
  auto x = extent_of(c);
  return left_of(c, x, fold(c, x, monoid::sum, as_number(as_truth(x.of.value))));
}

nest_value nansum(call& c) {
  auto x = extent_of(c);
  auto v = x.of.value;
  return left_of(c, x, fold(c, x, monoid::sum, where(v != v, 0, v)));
}

// -- norms and moments ------------------------------------------------------------------------------------------------

term vector_norm(call& c, const extent& x, double p) {
  auto v = x.of.value;
  if (p == infinity) return fold(c, x, monoid::max, abs(v));
  if (p == -infinity) return fold(c, x, monoid::min, abs(v));
  if (p == 0) return fold(c, x, monoid::sum, number_of(v != 0));
  if (p == 1) return fold(c, x, monoid::sum, abs(v));
  if (p == 2) return sqrt(fold(c, x, monoid::sum, v * v));
  return pow(fold(c, x, monoid::sum, pow(abs(v), p)), 1 / p);
}

nest_lowering norm(std::string_view order) {
  return [order](call& c) {
    auto x = extent_of(c);
    auto p = c.has(order) ? c.real(order, 2) : 2;
    auto value = vector_norm(c, x, p);
    return left_of(c, x, std::abs(p) == infinity ? demand_elements(c, x, value) : value);
  };
}

double correction(call& c) {
  if (c.has("correction")) return c.real("correction", 1);
  return c.flag("unbiased", true) ? 1 : 0;
}

term variance(call& c, const extent& x) {
  auto divisor = std::max(0.0, count_of(c, x) - correction(c));
  return fold(c, x, monoid::moments, x.of.value, 1) / divisor;
}

nest_lowering spread(bool root, bool with_mean) {
  return [=](call& c) {
    auto x = extent_of(c);
    auto v = variance(c, x);
    if (with_mean && c.result() == 1) v = fold(c, x, monoid::moments, x.of.value, 0);
    return left_of(c, x, root && c.result() == 0 ? sqrt(v) : v);
  };
}

/// (x - mean) / sqrt(variance + eps), then an affine map of tensors that lie along some dimensions.
struct normal {
  term mean, scale;
};

normal normalise(call& c, const term& x, const axes& whole, const axes& over) {
  auto n = static_cast<double>(c.size(over));
  auto mean = c.fold(monoid::moments, x, whole, over, 0);
  auto squares = c.fold(monoid::moments, x, whole, over, 1);
  return {mean, 1.0 / sqrt(squares / n + c.real("eps", 1e-5))};
}

/// One of weight and bias, lined up with those axes; nothing where it is left out.
std::optional<term> along(call& c, std::string_view name, const axes& where) {
  if (!c.has(name)) return std::nullopt;
  auto x = c.tensor(name);
  c.line_up(c.all_axes(x), where);
  return x.value;
}

term affine(call& c, term y, const axes& where) {
  if (auto weight = along(c, "weight", where)) y = y * *weight;
  if (auto bias = along(c, "bias", where)) y = y + *bias;
  return y;
}

nest_value layer_norm(call& c) {
  auto x = c.tensor("input");
  auto count = c.integers("normalized_shape").size();
  if (count > x.dims.size()) return {c.refuse("normalises more dimensions than there are"), {}};
  std::vector<std::size_t> dims;
  for (auto d = x.dims.size() - count; d < x.dims.size(); ++d) dims.push_back(d);
  auto over = c.axes_of(x, dims);
  auto n = normalise(c, x.value, c.all_axes(x), over);
  auto y = affine(c, (x.value - n.mean) * n.scale, over);
  if (c.result() == 0) return {y, x.dims};
  return {c.result() == 1 ? n.mean : n.scale, c.without(x, dims, true)};
}

nest_value group_norm(call& c) {
  auto x = c.tensor("input");
  for (const auto* said : {"N", "C", "HxW"}) c.ignore(said);
  auto channels = x.dims[1];
  auto groups = c.integer("group", 1);
  auto parts = groups == 0 ? std::nullopt : c.space().cut(channels, c.size(channels) / groups);
  if (!parts) return {c.refuse("has groups that its channels do not come out even in"), x.dims};
  auto over = parts->second;
  for (std::size_t d = 2; d < x.dims.size(); ++d) over.insert(over.end(), x.dims[d].begin(), x.dims[d].end());
  auto n = normalise(c, x.value, c.all_axes(x), over);
  auto y = affine(c, (x.value - n.mean) * n.scale, channels);
  if (c.result() == 0) return {y, x.dims};
  return {c.result() == 1 ? n.mean : n.scale, {x.dims[0], parts->first}};
}

/// A running statistic takes a step towards the batch's.
void step(call& c, std::string_view name, const term& batch, const axes& channels) {
  if (!c.has(name)) return;
  auto value = c.tensor_name(name);
  auto old = c.tensor(name);
  c.line_up(c.all_axes(old), channels);
  auto momentum = c.real("momentum", 0.1);
  c.write(value, old.value * (1 - momentum) + batch * momentum, {channels});
}

nest_value batch_norm(call& c) {
  auto x = c.tensor("input");
  auto channels = x.dims[1];
  auto eps = c.real("eps", 1e-5);
  c.ignore("momentum");
  if (!c.flag("training", false)) {
    auto mean = along(c, "running_mean", channels);
    auto var = along(c, "running_var", channels);
    if (!mean || !var || c.result() != 0) return {c.refuse("has no running statistics"), x.dims};
    return {affine(c, (x.value - *mean) * (1.0 / sqrt(*var + eps)), channels), x.dims};
  }
  std::vector<std::size_t> dims{0};
  for (std::size_t d = 2; d < x.dims.size(); ++d) dims.push_back(d);
  auto whole = c.all_axes(x);
  auto over = c.axes_of(x, dims);
  auto n = normalise(c, x.value, whole, over);
  auto squares = c.fold(monoid::moments, x.value, whole, over, 1);
  step(c, "running_mean", n.mean, channels);
  step(c, "running_var", squares / (static_cast<double>(c.size(over)) - 1), channels);
  auto y = affine(c, (x.value - n.mean) * n.scale, channels);
  if (c.result() == 0) return {y, x.dims};
  return {c.result() == 1 ? n.mean : n.scale, {channels}};
}

nest_lowering softmax(bool logarithm) {
  return [logarithm](call& c) {
    c.ignore("half_to_float");
    auto x = extent_of(c);
    auto shifted = x.of.value - fold(c, x, monoid::max, x.of.value);
    auto total = fold(c, x, monoid::sum, exp(shifted));
    return nest_value{logarithm ? shifted - log(total) : exp(shifted) / total, x.of.dims};
  };
}

// -- losses -----------------------------------------------------------------------------------------------------------

/// The argument `reduction`: 0 none, 1 mean, 2 sum.
nest_value reduced_loss(call& c, const term& loss, std::vector<axes> dims) {
  auto how = c.integer("reduction", 1);
  if (how == 0) return {loss, std::move(dims)};
  auto whole = c.all_axes({loss, dims});
  auto total = c.fold(monoid::sum, loss, whole, whole);
  return {how == 1 ? total / static_cast<double>(c.size(whole)) : total, {}};
}

nest_lowering loss_of_two(term (*loss)(call&, const term& x, const term& target)) {
  return [loss](call& c) {
    auto x = c.tensor();
    auto target = c.tensor("target");
    auto dims = c.broadcast(x, target);
    return reduced_loss(c, loss(c, x.value, target.value), std::move(dims));
  };
}

term squared_error(call&, const term& x, const term& target) {
  auto difference = x - target;
  return difference * difference;
}

term smooth_l1(call& c, const term& x, const term& target) {
  auto size = abs(x - target);
  auto beta = c.real("beta", 1);
  if (beta == 0) return size;
  return where(size < beta, size * size * 0.5 / beta, size - 0.5 * beta);
}

term huber(call& c, const term& x, const term& target) {
  auto size = abs(x - target);
  auto delta = c.real("delta", 1);
  return where(size <= delta, size * size * 0.5, (size - 0.5 * delta) * delta);
}

term cross_entropy_of_two(call& c, const term& x, const term& target) {
  auto loss = (target - 1.0) * max(log1p(-x), -100) - target * max(log(x), -100);
  return c.has("weight") ? c.refuse("has weights") : loss;
}

/// The class that the target names is picked by a sum that all others leave alone.
nest_value nll_loss(call& c) {
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

// -- products with one row or column ----------------------------------------------------------------------------------

nest_value product(call& c, const nest_value& a, const nest_value& b, std::vector<axes> dims, const axes& over) {
  auto whole = over;
  for (const auto& dim : dims) whole.insert(whole.end(), dim.begin(), dim.end());
  return {c.fold(monoid::sum, a.value * b.value, whole, over), std::move(dims)};
}

nest_value matrix_matrix(call& c) {
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

nest_value matrix_vector(call& c) {
  auto a = c.tensor();
  auto b = c.tensor("vec");
  c.line_up(a.dims[1], b.dims[0]);
  return product(c, a, b, {a.dims[0]}, a.dims[1]);
}

nest_value dot(call& c) {
  auto a = c.tensor();
  auto b = c.tensor("tensor");
  c.line_up(a.dims[0], b.dims[0]);
  return product(c, a, b, {}, a.dims[0]);
}

// -- moves ------------------------------------------------------------------------------------------------------------

/// The same elements in the same order under other dimensions.
nest_value reshape(call& c) {
  auto x = c.tensor();
  for (const auto* said : {"dim", "dims", "start_dim", "end_dim", "sizes", "shape"}) c.ignore(said);
  auto rest = c.all_axes(x);
  std::vector<axes> dims(c.output_shape().size());
  for (auto d = dims.size(); d-- > 0;) {
    auto size = c.output_shape()[d];
    auto parts = size == 0 ? std::nullopt : c.space().cut(rest, size);
    if (!parts) return {c.refuse("regroups dimensions that do not come out even"), {}};
    dims[d] = parts->second;
    rest = parts->first;
  }
  return {x.value, std::move(dims)};
}

nest_value permute(call& c) {
  auto x = c.tensor();
  nest_value y{x.value, {}};
  for (auto d : c.chosen(x, "dims")) y.dims.push_back(x.dims[d]);
  return y;
}

nest_value transpose(call& c) {
  auto x = c.tensor();
  auto first = c.chosen(x, "dim0");
  auto second = c.chosen(x, "dim1");
  if (!x.dims.empty()) std::swap(x.dims[first.front()], x.dims[second.front()]);
  return x;
}

nest_value turned(call& c) {
  auto x = c.tensor();
  if (x.dims.size() == 2) std::swap(x.dims[0], x.dims[1]);
  return x;
}

nest_value repeat(call& c) {
  auto x = c.tensor();
  auto times = c.integers("repeats");
  if (times.size() < x.dims.size()) return {c.refuse("repeats fewer dimensions than there are"), {}};
  x.dims.insert(x.dims.begin(), times.size() - x.dims.size(), axes{});
  for (std::size_t d = 0; d < times.size(); ++d) {
    auto outer = c.space().dimension(times[d]);
    x.dims[d].insert(x.dims[d].begin(), outer.begin(), outer.end());
  }
  return x;
}

nest_value copy_into(call& c) {
  auto value = c.tensor_name("self");
  auto into = c.tensor();
  auto from = c.tensor("src");
  auto dims = c.broadcast(into, from);
  c.write(value, from.value, dims);
  return {from.value, dims};
}

// -- positions --------------------------------------------------------------------------------------------------------

nest_value arange(call& c) {
  if (c.output_shape().size() != 1) return {c.refuse("has a result of an odd rank"), {}};
  auto start = c.real("start", 0);
  auto step = c.real("step", 1);
  c.ignore("end");
  auto along = c.space().dimension(c.output_shape()[0]);
  auto i = c.position(along);
  return {step == 1 && start == 0 ? i : i * step + start, {along}};
}

nest_lowering triangle(bool upper) {
  return [upper](call& c) {
    auto x = c.tensor();
    auto ahead = c.position(x.dims.back()) - c.position(x.dims[x.dims.size() - 2]);
    auto diagonal = static_cast<double>(c.integer("diagonal", 0));
    return nest_value{where(upper ? ahead >= diagonal : ahead <= diagonal, x.value, c.literal(0)), x.dims};
  };
}

// -- the table --------------------------------------------------------------------------------------------------------

const table reductions{
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

const table compositions{
    {"aten._softmax", softmax(false)},
    {"aten._log_softmax", softmax(true)},
    {"aten.native_layer_norm", layer_norm},
    {"aten.native_group_norm", with_rank("input", 2, 64, group_norm)},
    {"aten.native_batch_norm", with_rank("input", 2, 64, batch_norm)},
    {"aten._native_batch_norm_legit", with_rank("input", 2, 64, batch_norm)},
    {"aten.mse_loss", loss_of_two(squared_error)},
    {"aten.smooth_l1_loss", loss_of_two(smooth_l1)},
    {"aten.huber_loss", loss_of_two(huber)},
    {"aten.binary_cross_entropy", loss_of_two(cross_entropy_of_two)},
    {"aten.nll_loss_forward", with_rank("self", 1, 2, nll_loss)},
    {"aten.nll_loss2d_forward", with_rank("self", 3, 64, nll_loss)},
};

const table moves{
    {"aten.view", reshape},     {"aten._unsafe_view", reshape}, {"aten.reshape", reshape},
    {"aten.squeeze", reshape},  {"aten.unsqueeze", reshape},    {"aten.flatten", reshape},
    {"aten.permute", permute},  {"aten.transpose", transpose},  {"aten.t", turned},
    {"aten.repeat", repeat},    {"aten.copy_", copy_into},      {"aten.arange", arange},
    {"aten.triu", with_rank("self", 2, 64, triangle(true))}, {"aten.tril", with_rank("self", 2, 64, triangle(false))},
};

table whole_table() {
  auto all = reductions;
  for (const auto& part : {compositions, moves}) all.insert(part.begin(), part.end());
  return all;
}

}  // namespace

const nest_lowering* find_nest_lowering(std::string_view op) {
  static const table all = whole_table();
  auto found = all.find(op);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace dsl
