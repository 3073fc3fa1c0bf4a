// Views, copies into values of the graph, positions: nothing is computed here.

#include "dsl/nest_table.hpp"

namespace dsl {

namespace {

// -- moves ------------------------------------------------------------------------------------------------------------

/// The same elements in the same order under other dimensions.
nest_value reshape(nest_call& c) {
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

nest_value permute(nest_call& c) {
  auto x = c.tensor();
  nest_value y{x.value, {}};
  for (auto d : c.chosen(x, "dims")) y.dims.push_back(x.dims[d]);
  return y;
}

nest_value transpose(nest_call& c) {
  auto x = c.tensor();
  auto first = c.chosen(x, "dim0");
  auto second = c.chosen(x, "dim1");
  if (!x.dims.empty()) std::swap(x.dims[first.front()], x.dims[second.front()]);
  return x;
}

nest_value turned(nest_call& c) {
  auto x = c.tensor();
  if (x.dims.size() == 2) std::swap(x.dims[0], x.dims[1]);
  return x;
}

nest_value repeat(nest_call& c) {
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

nest_value copy_into(nest_call& c) {
  auto value = c.tensor_name("self");
  auto into = c.tensor();
  auto from = c.tensor("src");
  auto dims = c.broadcast(into, from);
  c.write(value, from.value, dims);
  return {from.value, dims};
}

// -- positions --------------------------------------------------------------------------------------------------------

nest_value arange(nest_call& c) {
  if (c.output_shape().size() != 1) return {c.refuse("has a result of an odd rank"), {}};
  auto start = c.real("start", 0);
  auto step = c.real("step", 1);
  c.ignore("end");
  auto along = c.space().dimension(c.output_shape()[0]);
  auto i = c.position(along);
  return {step == 1 && start == 0 ? i : i * step + start, {along}};
}

nest_lowering triangle(bool upper) {
  return [upper](nest_call& c) {
    auto x = c.tensor();
    auto ahead = c.position(x.dims.back()) - c.position(x.dims[x.dims.size() - 2]);
    auto diagonal = static_cast<double>(c.integer("diagonal", 0));
    return nest_value{where(upper ? ahead >= diagonal : ahead <= diagonal, x.value, c.literal(0)), x.dims};
  };
}

}  // namespace

nest_table nest_moves() {
  return {
      {"aten.view", reshape},
      {"aten._unsafe_view", reshape},
      {"aten.reshape", reshape},
      {"aten.squeeze", reshape},
      {"aten.unsqueeze", reshape},
      {"aten.flatten", reshape},
      {"aten.permute", permute},
      {"aten.transpose", transpose},
      {"aten.t", turned},
      {"aten.repeat", repeat},
      {"aten.copy_", copy_into},
      {"aten.arange", arange},
      {"aten.triu", with_rank("self", 2, 64, triangle(true))},
      {"aten.tril", with_rank("self", 2, 64, triangle(false))},
  };
}

}  // namespace dsl
