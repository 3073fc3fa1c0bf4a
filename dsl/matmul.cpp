#include "dsl/matmul.hpp"

#include <algorithm>
#include <array>

#include "dsl/node_arguments.hpp"

namespace dsl {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;
using messages::graph_node;

struct product_operator {
  std::string_view op, left, right;
  bool has_batch, adds;
};
constexpr std::array<product_operator, 4> product_operators{{
    {"aten.mm", "self", "mat2", false, false},
    {"aten.bmm", "self", "mat2", true, false},
    {"aten.addmm", "mat1", "mat2", false, true},
    {"aten.baddbmm", "batch1", "batch2", true, true},
}};

constexpr std::array<std::string_view, 4> names{"aten.mm", "aten.bmm", "aten.addmm", "aten.baddbmm"};

const std::string* tensor_argument(const graph_node& node, std::string_view name) {
  const auto* argument = find_argument(node, name);
  return argument ? value_name(*argument) : nullptr;
}

/// Sizes, where they fit together.
bool read_sizes(matmul& x, const shape& left, const shape& right, const shape& result) {
  std::size_t rank = x.has_batch ? 3 : 2;
  if (left.size() != rank || right.size() != rank || result.size() != rank) return false;
  if (x.has_batch) x.batch = result[0];
  x.m = left[rank - 2], x.k = left[rank - 1], x.n = right[rank - 1];
  bool batches = !x.has_batch || (left[0] == x.batch && right[0] == x.batch);
  return batches && right[rank - 2] == x.k && result[rank - 2] == x.m && result[rank - 1] == x.n;
}

expected<matmul> read(const graph_index& index, const graph_node& node) {
  const auto& known = *std::ranges::find(product_operators, node.op, &product_operator::op);
  const auto* left = tensor_argument(node, known.left);
  const auto* right = tensor_argument(node, known.right);
  const auto* added = known.adds ? tensor_argument(node, "self") : nullptr;
  auto alpha = number_argument(node, "alpha", 1), beta = number_argument(node, "beta", 1);
  if (!left || !right || (known.adds && !added) || !alpha || !beta) {
    return refuse(node, "has an argument that is not understood");
  }
  if (node.output.dtype > messages::dtype::float64) return refuse(node, "is arithmetic in integers");
  matmul x;
  x.has_batch = known.has_batch;
  if (!read_sizes(x, index.spec(*left)->shape, index.spec(*right)->shape, node.output.shape)) {
    return refuse(node, "has a shape that is not understood");
  }
  x.alpha = *alpha, x.beta = *beta;
  x.core = {{node.name}, {*left, *right}, node.name};
  x.adds = known.adds && x.beta != 0;
  if (x.adds) {
    if (!broadcast(dense(index.spec(*added)->shape), node.output.shape)) return refuse(node, "adds another shape");
    x.core.inputs.push_back(*added);
  }
  return x;
}

/// triu or tril, where nothing else needs the product.
void take_triangle(matmul& x, const graph_index& index, const graph_node& node, std::span<const std::string> nodes) {
  auto users = index.users(node.name);
  if (users.size() != 1 || index.is_output(node.name) || std::ranges::find(nodes, users[0]->name) == nodes.end())
    return;
  bool upper = users[0]->op == "aten.triu";
  auto diagonal = integer_argument(*users[0], "diagonal", 0);
  if ((!upper && users[0]->op != "aten.tril") || !diagonal || users[0]->output.dtype != node.output.dtype) return;
  x.triangle = upper ? triangle::upper : triangle::lower;
  x.diagonal = std::clamp(*diagonal, -x.m - 1, x.n + 1);
  x.core.result = users[0]->name;
  x.core.nodes.insert(users[0]->name);
}

}  // namespace

expected<matmul> find_matmul(const graph_index& index, std::span<const std::string> nodes) {
  const auto* node = only_anchor(index, nodes, names);
  if (!node) return fail(failure_code::bad_input, "there is not one product of matrices");
  auto x = read(index, *node);
  if (x) take_triangle(*x, index, *node, nodes);
  return x;
}

}  // namespace dsl
