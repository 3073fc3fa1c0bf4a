// Statistics that go back to each element.

#include "dsl/nest_table.hpp"

namespace dsl {

namespace {

/// (x - mean) / sqrt(variance + eps), then an affine map of tensors that lie along some dimensions.
struct normal {
  term mean, scale;
};

normal normalise(nest_call& c, const term& x, const axes& whole, const axes& over) {
  auto n = static_cast<double>(c.size(over));
  auto mean = c.fold(monoid::moments, x, whole, over, 0);
  auto squares = c.fold(monoid::moments, x, whole, over, 1);
  return {mean, 1.0 / sqrt(squares / n + c.real("eps", 1e-5))};
}

term affine(nest_call& c, term y, const axes& where) {
  if (auto weight = along(c, "weight", where)) y = y * *weight;
  if (auto bias = along(c, "bias", where)) y = y + *bias;
  return y;
}

nest_value layer_norm(nest_call& c) {
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

nest_value group_norm(nest_call& c) {
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
void step(nest_call& c, std::string_view name, const term& batch, const axes& channels) {
  if (!c.has(name)) return;
  auto value = c.tensor_name(name);
  auto old = c.tensor(name);
  c.line_up(c.all_axes(old), channels);
  auto momentum = c.real("momentum", 0.1);
  c.write(value, old.value * (1 - momentum) + batch * momentum, {channels});
}

nest_value batch_norm(nest_call& c) {
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
  return [logarithm](nest_call& c) {
    c.ignore("half_to_float");
    auto x = extent_of(c);
    auto shifted = x.of.value - fold(c, x, monoid::max, x.of.value);
    auto total = fold(c, x, monoid::sum, exp(shifted));
    return nest_value{logarithm ? shifted - log(total) : exp(shifted) / total, x.of.dims};
  };
}

}  // namespace

nest_table nest_norms() {
  return {
      {"aten._softmax", softmax(false)},
      {"aten._log_softmax", softmax(true)},
      {"aten.native_layer_norm", layer_norm},
      {"aten.native_group_norm", with_rank("input", 2, 64, group_norm)},
      {"aten.native_batch_norm", with_rank("input", 2, 64, batch_norm)},
      {"aten._native_batch_norm_legit", with_rank("input", 2, 64, batch_norm)},
  };
}

}  // namespace dsl
