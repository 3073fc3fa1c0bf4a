// Products with diagonals and columns, and what is summed over a product.

#include <algorithm>

#include "dsl/algebra/convolutions.hpp"
#include "dsl/algebra/pools.hpp"
#include "dsl/algebra/reductions.hpp"
#include "dsl/algebra/rules.hpp"
#include "dsl/algebra/scales.hpp"

namespace dsl::algebra {

using messages::graph_node;
using found = std::optional<std::string>;

namespace {

constexpr int deepest_product = 8;

/// left * right + bias, of two matrices.
struct product {
  std::string left, right;
  std::string bias;  ///< empty: none
};

bool is_matrix(const messages::tensor_spec* spec) { return spec && spec->shape.size() == 2 && is_real(*spec); }

std::optional<product> product_of(const graph_index& graph, const graph_node& node) {
  auto op = operator_of(node);
  product x;
  if (op == "mm")
    x = {std::string{tensor_in(node)}, std::string{tensor_in(node, "mat2")}, {}};
  else if (op == "addmm" && has_only(node, {"self", "mat1", "mat2"}))
    x = {std::string{tensor_in(node, "mat1")}, std::string{tensor_in(node, "mat2")}, std::string{tensor_in(node)}};
  else
    return std::nullopt;
  bool fits = is_matrix(graph.spec(x.left)) && is_matrix(graph.spec(x.right)) && is_matrix(&node.output)
              && elements(node.output.shape) > 0 && graph.spec(x.left)->shape[1] == graph.spec(x.right)->shape[0];
  return fits ? std::optional{x} : std::nullopt;
}

/// Whether it is a product or convolution, as far as scales, sums with smaller tensors and reshapes lead back to it.
bool leads_to_product(const graph_index& graph, std::string_view tensor, int depth = deepest_product) {
  const auto* node = graph.node(tensor);
  if (node == nullptr || depth == 0 || !has_one_user(graph, tensor)) return false;
  auto op = operator_of(*node);
  if (op == "mm" || op == "addmm" || op == "convolution") return true;
  if (op != "mul" && op != "div" && op != "add" && op != "sub" && op != "_unsafe_view") return false;
  return leads_to_product(graph, tensor_in(*node), depth - 1);
}

// -- diagonals and columns --------------------------------------------------------------------------------------------

/// The vector that a square matrix has on its diagonal.
std::string_view diagonal_of(const graph_index& graph, std::string_view matrix) {
  const auto* node = made_by(graph, matrix, "diag_embed");
  return node && has_only(*node, {"self"}) && node->output.shape.size() == 2 ? tensor_in(*node) : std::string_view{};
}

found product_with_diagonal(const site& at, builder& make) {
  auto x = product_of(at.graph, at.node);
  if (!x || !x->bias.empty()) return std::nullopt;
  if (auto rows = diagonal_of(at.graph, x->left); !rows.empty()) {
    const auto& spec = make.spec(rows);
    if (spec.shape.size() != 1) return std::nullopt;
    messages::tensor_spec column{spec.dtype, {spec.shape[0], 1}, {spec.strides[0], 1}};
    auto factor = make.add("unsqueeze", {value("self", rows), integer("dim", 1)}, column);
    return make.add("mul.Tensor", {value("self", factor), value("other", x->right)}, at.node.output);
  }
  auto columns = diagonal_of(at.graph, x->right);
  if (columns.empty()) return std::nullopt;
  return make.add("mul.Tensor", {value("self", x->left), value("other", columns)}, at.node.output);
}

/// Each row of the result is the sum of left * vector along it: [m, k] and [k] to [m, 1].
std::string row_sums(builder& make, std::string_view matrix, std::string_view vector,
                     const messages::tensor_spec* output, bool keep = true) {
  const auto& spec = make.spec(matrix);
  auto terms =
      make.add("mul.Tensor", {value("self", matrix), value("other", vector)}, contiguous(spec.dtype, spec.shape));
  return add_reduction(make, {false, terms, {1}, keep}, output);
}

/// The matrix that a transposed one is a view of; empty for others.
std::string_view transposed(const graph_index& graph, std::string_view matrix) {
  const auto* node = graph.node(matrix);
  bool turned =
      node
      && (operator_of(*node) == "t" || operator_of(*node) == "transpose"
          || (operator_of(*node) == "permute" && integers_in(*node, "dims") == std::vector<std::int64_t>{1, 0}));
  return turned && node->output.shape.size() == 2 ? tensor_in(*node) : std::string_view{};
}

found product_with_column(const site& at, builder& make) {
  auto x = product_of(at.graph, at.node);
  if (!x || !x->bias.empty() || at.node.output.shape[1] != 1) return std::nullopt;
  const auto& column = make.spec(x->right);
  messages::tensor_spec row{column.dtype, {1, column.shape[0]}, {1, column.strides[0]}};
  auto vector = make.add("t", {value("self", x->right)}, row);
  return row_sums(make, x->left, vector, &at.node.output);
}

// -- sums over what a product gives -----------------------------------------------------------------------------------

std::string reduced_bias(builder& make, const reduction& x, const product& of) {
  const auto& spec = make.spec(of.bias);
  bool varies = !spec.shape.empty() && spec.shape.back() > 1;
  if (varies) return add_reduction(make, {x.mean, of.bias, {static_cast<std::int64_t>(spec.shape.size()) - 1}, true});
  if (x.mean) return of.bias;
  return add_scale(make, {of.bias, static_cast<double>(make.spec(of.right).shape[1])},
                   contiguous(spec.dtype, spec.shape));
}

/// Over columns of left * right + bias: left * (right reduced over its columns) + (bias reduced).
found product_with_summed_weights(const site& at, builder& make) {
  auto x = reduction_of(at.graph, at.node);
  const auto* node = x ? at.graph.node(x->of) : nullptr;
  auto of = node ? product_of(at.graph, *node) : std::nullopt;
  if (!of || x->dims != std::vector<std::int64_t>{1} || !has_one_user(at.graph, x->of)) return std::nullopt;
  if (!of->bias.empty() && make.spec(of->bias).shape.size() > 1) return std::nullopt;
  auto turned = transposed(at.graph, of->right);
  auto weights = turned.empty() ? add_reduction(make, {x->mean, of->right, {1}, false})
                                : add_reduction(make, {x->mean, std::string{turned}, {0}, false});
  if (of->bias.empty()) return row_sums(make, of->left, weights, &at.node.output, x->keep);
  auto sums = row_sums(make, of->left, weights, nullptr, x->keep);
  auto bias = reduced_bias(make, *x, *of);
  return make.add("add.Tensor", {value("self", sums), value("other", bias)}, at.node.output);
}

found reduction_of_scaled_product(const site& at, builder& make) {
  auto x = reduction_of(at.graph, at.node);
  auto scaled = x ? scale_of(at.graph, x->of) : std::nullopt;
  if (!scaled || !is_ordinary(scaled->factor) || !has_one_user(at.graph, x->of)) return std::nullopt;
  if (!leads_to_product(at.graph, scaled->of)) return std::nullopt;
  auto inner = add_reduction(make, {x->mean, scaled->of, x->dims, x->keep}, &at.node.output);
  return add_scale(make, {inner, scaled->factor}, at.node.output);
}

/// The tensor reduced over those of the dimensions that it has; a sum counts the others. Nothing for a plain mean.
std::string reduced_part(builder& make, const reduction& x, std::string_view part, const shape& whole) {
  const auto& spec = make.spec(part);
  auto offset = static_cast<std::int64_t>(whole.size() - spec.shape.size());
  reduction own{x.mean, std::string{part}, {}, true};
  double repeated = 1;
  for (auto dim : x.dims) {
    bool has = dim >= offset && spec.shape[static_cast<std::size_t>(dim - offset)] > 1;
    if (has)
      own.dims.push_back(dim - offset);
    else
      repeated *= static_cast<double>(whole[static_cast<std::size_t>(dim)]);
  }
  auto result = own.dims.empty() ? own.of : add_reduction(make, own);
  if (x.mean || repeated == 1) return result;
  auto layout = contiguous(spec.dtype, make.spec(result).shape);
  return add_scale(make, {result, repeated}, layout);
}

/// sum(product + part) is sum(product) + sum(part), where part is the smaller and reduced dimensions stay.
found reduction_of_shifted_product(const site& at, builder& make) {
  auto x = reduction_of(at.graph, at.node);
  const auto* sum = x ? at.graph.node(x->of) : nullptr;
  bool adds = sum && (operator_of(*sum) == "add" || operator_of(*sum) == "sub") && has_only(*sum, {"self", "other"});
  if (!adds || !x->keep || !has_one_user(at.graph, x->of)) return std::nullopt;
  auto part = tensor_in(*sum, "other");
  auto of = tensor_in(*sum);
  if (part.empty() || make.spec(of).shape != sum->output.shape || !leads_to_product(at.graph, of)) return std::nullopt;
  const auto& spec = make.spec(part);
  if (spec.shape.size() > sum->output.shape.size()) return std::nullopt;
  if (spec.dtype != sum->output.dtype || elements(spec.shape) * 2 > elements(sum->output.shape)) return std::nullopt;
  auto first = add_reduction(make, {x->mean, std::string{of}, x->dims, true}, &at.node.output);
  auto second = reduced_part(make, *x, part, sum->output.shape);
  return make.add(std::string{operator_of(*sum)} + ".Tensor", {value("self", first), value("other", second)},
                  at.node.output);
}

/// A product of more than two dimensions is one of matrices in another shape: over its columns the sum comes first.
found reduction_of_reshaped_product(const site& at, builder& make) {
  auto x = reduction_of(at.graph, at.node);
  const auto* view = x ? made_by(at.graph, x->of, "_unsafe_view") : nullptr;
  const auto* node = view ? at.graph.node(tensor_in(*view)) : nullptr;
  if (!node || !product_of(at.graph, *node) || !has_one_user(at.graph, x->of)) return std::nullopt;
  auto last = static_cast<std::int64_t>(view->output.shape.size()) - 1;
  bool fits = x->dims == std::vector{last} && view->output.shape.back() == node->output.shape[1]
              && has_one_user(at.graph, node->name) && is_contiguous(at.node.output);
  if (!fits) return std::nullopt;
  auto sums = add_reduction(make, {x->mean, node->name, {1}, false});
  return make.add("view", {value("self", sums), integers("size", at.node.output.shape)}, at.node.output);
}

// -- average pools along a product's columns
// ---------------------------------------------------------------------------

/// Means of `window` neighbours along a dimension, as many as are full: [.., n, ..] to [.., n / window, ..].
std::string averaged(builder& make, std::string_view of, std::size_t dim, std::int64_t window) {
  auto count = make.spec(of).shape[dim] / window;
  auto part = add_slice(make, of, dim, 0, count * window);
  auto split = make.spec(part).shape;
  split[dim] = count;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(dim) + 1, window);
  auto view = make.add("view", {value("self", part), integers("size", split)}, contiguous(make.spec(of).dtype, split));
  return add_reduction(make, {true, view, {static_cast<std::int64_t>(dim) + 1}, false});
}

/// Right operand with columns averaged; empty where its memory can't be looked at so.
std::string averaged_columns(builder& make, const graph_index& graph, std::string_view right, std::int64_t window) {
  auto turned = transposed(graph, right);
  if (turned.empty()) {
    bool even = is_contiguous(make.spec(right)) && make.spec(right).shape[1] % window == 0;
    return even ? averaged(make, right, 1, window) : std::string{};
  }
  if (!is_contiguous(make.spec(turned))) return {};
  auto rows = averaged(make, turned, 0, window);
  const auto& spec = make.spec(rows);
  return make.add("t", {value("self", rows)}, {spec.dtype, {spec.shape[1], spec.shape[0]}, {1, spec.shape[1]}});
}

/// The product that a view of shape [m, 1, 1, n] shows; null for others.
const graph_node* product_as_rows(const graph_index& graph, std::string_view tensor) {
  const auto* view = graph.node(tensor);
  if (view == nullptr || !is_view(*view) || !has_one_user(graph, tensor)) return nullptr;
  const auto* node = graph.node(tensor_in(*view));
  if (node == nullptr || !product_of(graph, *node) || !has_one_user(graph, node->name)) return nullptr;
  auto size = node->output.shape;
  return view->output.shape == shape{size[0], 1, 1, size[1]} && is_contiguous(view->output) ? node : nullptr;
}

/// A product with the averages of the weights: as many fewer columns as the window is wide.
found average_of_product(const site& at, builder& make) {
  auto outer = pool_of(at.graph, at.node);
  const auto* node = outer && outer->average ? product_as_rows(at.graph, outer->of) : nullptr;
  auto x = node ? product_of(at.graph, *node) : std::nullopt;
  bool fits = x && outer->window.size() == 2 && outer->window == outer->stride && outer->window[0] == 1
              && is_contiguous(at.node.output);
  auto window = fits ? outer->window[1] : 0;
  if (!fits || make.spec(x->right).shape[1] < window) return std::nullopt;
  bool bias_is_row = x->bias.empty() || make.spec(x->bias).shape == shape{make.spec(x->right).shape[1]};
  auto weights = bias_is_row ? averaged_columns(make, at.graph, x->right, window) : std::string{};
  if (weights.empty()) return std::nullopt;
  auto size = contiguous(at.node.output.dtype, {make.spec(x->left).shape[0], make.spec(weights).shape[1]});
  std::string result;
  if (x->bias.empty())
    result = make.add("mm", {value("self", x->left), value("mat2", weights)}, size);
  else
    result = make.add(
        "addmm", {value("self", averaged(make, x->bias, 0, window)), value("mat1", x->left), value("mat2", weights)},
        size);
  return make.add("view", {value("self", result), integers("size", at.node.output.shape)}, at.node.output);
}

constexpr rule product_table[] = {
    {"product with a diagonal matrix", product_with_diagonal},
    {"sum over a product's columns", product_with_summed_weights},
    {"sum of a scaled product", reduction_of_scaled_product},
    {"sum of a shifted product", reduction_of_shifted_product},
    {"sum of a reshaped product", reduction_of_reshaped_product},
    {"product with one column", product_with_column},
    {"average pool along a product's columns", average_of_product},
};

}  // namespace

std::span<const rule> product_rules() { return product_table; }

}  // namespace dsl::algebra
