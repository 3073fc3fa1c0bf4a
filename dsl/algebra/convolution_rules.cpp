// Pools, means and norms after convolutions.

#include <algorithm>
#include <numeric>

#include "dsl/algebra/convolutions.hpp"
#include "dsl/algebra/pools.hpp"
#include "dsl/algebra/reductions.hpp"
#include "dsl/algebra/rules.hpp"
#include "dsl/algebra/scales.hpp"

namespace dsl::algebra {

using messages::graph_node;
using found = std::optional<std::string>;

namespace {

constexpr std::size_t most_tap_groups = 16;

// -- mean over space --------------------------------------------------------------------------------------------------

/// Sums of the input over the part that a choice of tap groups reads, one a dimension from the last on.
struct partial_sum {
  std::string tensor;
  std::vector<tap_group> taps;  ///< of the last spatial dimension first
};

/// Where only a border is left out, it is taken from the whole sum: the input is then read once.
std::string sum_of_part(builder& make, const std::string& of, std::size_t dim, const tap_group& part,
                        bool whole_is_read) {
  auto last = static_cast<std::int64_t>(dim);
  auto size = make.spec(of).shape[dim];
  auto left_out = size - (part.end - part.begin);
  if (!whole_is_read || left_out == 0 || left_out * 4 > size)
    return add_reduction(make, {false, add_slice(make, of, dim, part.begin, part.end), {last}, false});
  auto sum = add_reduction(make, {false, of, {last}, false});
  for (auto [begin, end] : {std::pair{std::int64_t{0}, part.begin}, std::pair{part.end, size}}) {
    if (begin == end) continue;
    auto border = add_reduction(make, {false, add_slice(make, of, dim, begin, end), {last}, false});
    sum = make.add("sub.Tensor", {value("self", sum), value("other", border)}, make.spec(sum));
  }
  return sum;
}

std::vector<partial_sum> sums_along(builder& make, const std::vector<partial_sum>& of, std::size_t dim,
                                    const std::vector<tap_group>& groups) {
  std::vector<partial_sum> result;
  for (const auto& x : of) {
    auto size = make.spec(x.tensor).shape[dim];
    bool whole = std::ranges::any_of(groups, [&](const auto& g) { return g.begin == 0 && g.end == size; });
    for (const auto& group : groups) {
      auto taps = x.taps;
      taps.push_back(group);
      result.push_back({sum_of_part(make, x.tensor, dim, group, whole), std::move(taps)});
    }
  }
  return result;
}

std::string summed_taps(builder& make, const convolution& x, const std::vector<tap_group>& taps) {
  auto weight = x.weight;
  std::vector<std::int64_t> spatial(taps.size());
  std::iota(spatial.begin(), spatial.end(), 2);
  for (std::size_t i = 0; i < taps.size(); ++i)
    weight = add_slice(make, weight, taps.size() + 1 - i, taps[i].first_tap, taps[i].behind_taps);
  return add_reduction(make, {false, weight, spatial, false});
}

std::vector<std::vector<tap_group>> groups_of(const site& at, const convolution& x, const shape& output) {
  std::vector<std::vector<tap_group>> groups;
  const auto& input = at.graph.spec(x.input)->shape;
  const auto& weight = at.graph.spec(x.weight)->shape;
  for (std::size_t i = 0; i < x.stride.size(); ++i)
    groups.push_back(tap_groups(x, i, input[i + 2], weight[i + 2], output[i + 2]));
  return groups;
}

/// Channel sums times tap sums: [n, in] and [in, out] to [n, out].
std::string sum_over_space(builder& make, const convolution& x, const std::vector<std::vector<tap_group>>& groups) {
  std::vector<partial_sum> partial{{x.input, {}}};
  for (auto i = groups.size(); i-- > 0;) partial = sums_along(make, partial, i + 2, groups[i]);
  std::string total;
  for (const auto& part : partial) {
    auto weights = summed_taps(make, x, part.taps);
    const auto& left = make.spec(part.tensor);
    auto spec = contiguous(left.dtype, {left.shape[0], make.spec(weights).shape[1]});
    auto term = make.add("mm", {value("self", part.tensor), value("mat2", weights)}, spec);
    total = total.empty() ? term : make.add("add.Tensor", {value("self", total), value("other", term)}, spec);
  }
  return total;
}

std::string with_bias(builder& make, const convolution& x, std::string sum, double count, bool mean) {
  auto spec = make.spec(sum);
  if (mean) sum = add_scale(make, {sum, 1 / count}, spec);
  if (x.bias.empty()) return sum;
  auto bias = mean ? x.bias : add_scale(make, {x.bias, count}, make.spec(x.bias));
  return make.add("add.Tensor", {value("self", sum), value("other", bias)}, spec);
}

found mean_of_transposed_convolution(const site& at, builder& make) {
  auto x = reduction_of(at.graph, at.node);
  const auto* node = x ? at.graph.node(x->of) : nullptr;
  auto of = node ? convolution_of(at.graph, *node) : std::nullopt;
  if (!of || !of->transposed || of->groups != 1 || !has_one_user(at.graph, x->of)) return std::nullopt;
  const auto& output = node->output.shape;
  bool all_space = x->dims.size() == output.size() - 2 && x->dims.front() == 2;
  auto groups = groups_of(at, *of, output);
  std::size_t count = 1;
  for (const auto& list : groups) count *= list.size();
  if (!all_space || count == 0 || count > most_tap_groups || !is_contiguous(at.node.output)) return std::nullopt;
  auto positions = static_cast<double>(elements(output)) / static_cast<double>(output[0] * output[1]);
  auto result = with_bias(make, *of, sum_over_space(make, *of, groups), positions, x->mean);
  if (!x->keep) return result;
  return make.add("view", {value("self", result), integers("size", at.node.output.shape)}, at.node.output);
}

// -- average pools ----------------------------------------------------------------------------------------------------

struct pooled_convolution {
  pool outer;
  convolution inner;
  const graph_node* node;  ///< of the inner
};

std::optional<pooled_convolution> pooled(const site& at) {
  auto outer = pool_of(at.graph, at.node);
  const auto* node = outer && outer->average ? at.graph.node(outer->of) : nullptr;
  auto inner = node ? convolution_of(at.graph, *node) : std::nullopt;
  if (!inner || inner->stride.size() != outer->window.size() || !has_one_user(at.graph, outer->of)) return std::nullopt;
  return pooled_convolution{*outer, *inner, node};
}

bool are_all(const std::vector<std::int64_t>& xs, std::int64_t x) {
  return std::ranges::all_of(xs, [&](auto y) { return y == x; });
}

/// Worth it where the wider window is computed at so many fewer places that less is left to do.
bool is_cheaper(const pooled_convolution& x, const shape& weight, const shape& output) {
  auto before = static_cast<double>(elements(x.node->output.shape));
  auto after = static_cast<double>(elements(output));
  for (std::size_t i = 0; i < x.outer.window.size(); ++i) {
    before *= static_cast<double>(weight[i + 2]);
    after *= static_cast<double>(weight[i + 2] + x.outer.window[i] - 1);
  }
  return after < 0.9 * before;
}

/// A convolution with the weights' average over the pool's window, at the pool's stride.
found average_of_convolution(const site& at, builder& make) {
  auto x = pooled(at);
  bool plain = x && !x->inner.transposed && are_all(x->inner.stride, 1) && are_all(x->inner.dilation, 1);
  if (!plain || !is_cheaper(*x, make.spec(x->inner.weight).shape, at.node.output.shape)) return std::nullopt;
  auto size = make.spec(x->inner.weight);
  std::vector<std::int64_t> around;  // from the last dimension on
  auto padded = size.shape;
  for (auto i = x->outer.window.size(); i-- > 0;) {
    around.insert(around.end(), 2, x->outer.window[i] - 1);
    padded[i + 2] += 2 * (x->outer.window[i] - 1);
    size.shape[i + 2] += x->outer.window[i] - 1;
  }
  auto wide = make.add("constant_pad_nd", {value("self", x->inner.weight), integers("pad", around)},
                       contiguous(size.dtype, padded));
  pool mean{true, wide, x->outer.window, std::vector<std::int64_t>(x->outer.window.size(), 1)};
  auto widened = x->inner;
  widened.weight = add_pool(make, mean, contiguous(size.dtype, size.shape));
  widened.stride = x->outer.stride;
  return add_convolution(make, widened, at.node.output);
}

/// One dimension of a transposed convolution under a pool of the same stride: what is averaged are taps of the weight.
struct tap_pool {
  std::int64_t padding = 0;  ///< around the taps
  std::int64_t taps = 0;     ///< that are left
  std::int64_t cropped = 0;  ///< padding of the convolution that is left, of stride 1
};

std::optional<tap_pool> tap_pool_of(const pooled_convolution& x, std::size_t i, std::int64_t taps) {
  auto stride = x.inner.stride[i], window = x.outer.window[i];
  if (x.outer.stride[i] != stride || x.inner.dilation[i] != 1) return std::nullopt;
  auto cropped = (x.inner.padding[i] + window - 1) / stride;
  auto padding = cropped * stride - x.inner.padding[i];
  if (padding < 0 || padding * 2 > window) return std::nullopt;
  auto left = (taps + 2 * padding - window) / stride + 1;
  bool all_covered = taps + 2 * padding >= window && left * stride - padding - stride + window >= taps;
  return all_covered ? std::optional{tap_pool{padding, left, cropped}} : std::nullopt;
}

/// Of a stride-2 transposed convolution the pool of stride 2 is one of stride 1, with averages of the weights.
found average_of_transposed_convolution(const site& at, builder& make) {
  auto x = pooled(at);
  if (!x || !x->inner.transposed) return std::nullopt;
  auto weight = make.spec(x->inner.weight);
  const auto& input = make.spec(x->inner.input).shape;
  std::vector<std::int64_t> padding;
  auto dense = x->inner;
  for (std::size_t i = 0; i < x->outer.window.size(); ++i) {
    auto taps = tap_pool_of(*x, i, weight.shape[i + 2]);
    if (!taps || input[i + 2] - 1 - 2 * taps->cropped + taps->taps != at.node.output.shape[i + 2]) return std::nullopt;
    padding.push_back(taps->padding);
    weight.shape[i + 2] = taps->taps;
    dense.padding[i] = taps->cropped;
    dense.stride[i] = 1;
    dense.output_padding[i] = 0;
  }
  auto op = "avg_pool" + std::to_string(padding.size()) + "d";
  dense.weight = make.add(op,
                          {value("self", x->inner.weight), integers("kernel_size", x->outer.window),
                           integers("stride", x->outer.stride), integers("padding", padding)},
                          contiguous(weight.dtype, weight.shape));
  return add_convolution(make, dense, at.node.output);
}

/// The factor is a number or a tensor of one element: it can come after the pool.
found average_of_scaled_convolution(const site& at, builder& make) {
  auto outer = pool_of(at.graph, at.node);
  const auto* scaled = outer && outer->average ? made_by(at.graph, outer->of, "mul") : nullptr;
  if (!scaled || !has_only(*scaled, {"self", "other"}) || !has_one_user(at.graph, outer->of)) return std::nullopt;
  auto of = tensor_in(*scaled);
  auto factor = tensor_in(*scaled, "other");
  bool one = factor.empty() || elements(make.spec(factor).shape) == 1;
  bool fits = one && made_by(at.graph, of, "convolution") && has_one_user(at.graph, of)
              && make.spec(of).shape == scaled->output.shape && make.spec(of).dtype == scaled->output.dtype;
  if (!fits) return std::nullopt;
  auto moved = *outer;
  moved.of = of;
  auto after = *scaled;
  std::ranges::find(after.arguments, "self", &messages::graph_argument::name)->content =
      messages::value_argument{add_pool(make, moved, at.node.output)};
  after.output = at.node.output;
  return make.add(std::move(after));
}

// -- norms ------------------------------------------------------------------------------------------------------------

/// Whether the norm takes each channel's mean of its own away, and nothing else is done with it.
bool takes_channel_means(const graph_index& graph, const graph_node& norm, std::string_view tensor,
                         std::int64_t channels) {
  if (norm.result != 0 || tensor_in(norm, "input") != tensor) return false;
  const auto& size = graph.spec(tensor)->shape;
  if (operator_of(norm) == "native_group_norm")
    return integers_in(norm, "group") == std::vector{channels} && size.size() > 1 && size[1] == channels;
  bool batch = operator_of(norm) == "native_batch_norm" && flag_in(norm, "training");
  return batch && tensor_in(norm, "running_mean").empty() && size.size() > 1 && size[1] % channels == 0;
}

/// A factor that is the same within a channel.
bool scales_channels(const graph_index& graph, const graph_node& node, std::string_view tensor) {
  bool product = operator_of(node) == "mul" || operator_of(node) == "div";
  if (!product || tensor_in(node) != tensor || !has_only(node, {"self", "other"})) return false;
  auto factor = tensor_in(node, "other");
  if (factor.empty()) return true;
  const auto& size = graph.spec(factor)->shape;
  const auto& whole = node.output.shape;
  if (graph.spec(tensor)->shape != whole) return false;
  for (std::size_t i = 0; i < size.size(); ++i)
    if (size[i] != 1 && whole.size() - size.size() + i != 1) return false;
  return true;
}

/// [n, c, ...] as [1, n * c, ...].
bool joins_channels(const graph_node& node, const shape& from) {
  const auto& to = node.output.shape;
  return operator_of(node) == "view" && to.size() == from.size() && to[0] == 1 && to[1] == from[0] * from[1]
         && std::equal(from.begin() + 2, from.end(), to.begin() + 2);
}

bool ends_in_channel_norm(const graph_index& graph, const graph_node& from) {
  auto channels = from.output.shape[1];
  const auto* node = &from;
  while (has_one_user(graph, node->name)) {
    const auto* user = graph.users(node->name).front();
    if (takes_channel_means(graph, *user, node->name, channels)) return true;
    if (!scales_channels(graph, *user, node->name) && !joins_channels(*user, node->output.shape)) return false;
    node = user;
  }
  return false;
}

/// Running means would still need it: norms with buffers are left alone.
found bias_before_norm(const site& at, builder& make) {
  auto x = convolution_of(at.graph, at.node);
  if (!x || x->bias.empty() || !ends_in_channel_norm(at.graph, at.node)) return std::nullopt;
  x->bias.clear();
  return add_convolution(make, *x, at.node.output);
}

constexpr rule convolution_table[] = {
    {"mean over space of a transposed convolution", mean_of_transposed_convolution},
    {"average pool of a scaled convolution", average_of_scaled_convolution},
    {"average pool of a convolution", average_of_convolution},
    {"average pool of a strided transposed convolution", average_of_transposed_convolution},
    {"bias before a norm that takes it away", bias_before_norm},
};

}  // namespace

std::span<const rule> convolution_rules() { return convolution_table; }

}  // namespace dsl::algebra
