#include "dsl/matmul.hpp"

#include <doctest/doctest.h>

#include "tests/dsl/op_graphs.hpp"

namespace matmul_test {

namespace {

using namespace dsl::testing;

messages::op_graph product() {
  return {.task = "product",
          .values = {input("a", {3, 4}), input("b", {4, 5}), input("c", {5})},
          .nodes = {node("mm", "mm", {tensor("self", "a"), tensor("mat2", "b")}, {3, 5}),
                    node("triu", "triu", {tensor("self", "mm")}, {3, 5})},
          .outputs = {"triu"}};
}

messages::expected<dsl::matmul> found(const messages::op_graph& graph) {
  std::vector<std::string> all;
  for (const auto& node : graph.nodes) all.push_back(node.name);
  return dsl::find_matmul(dsl::graph_index{graph}, all);
}

}  // namespace

TEST_CASE("a product has the sizes of its operands, and its triangle belongs to it") {
  auto x = found(product());
  REQUIRE(x);
  CHECK(x->m == 3);
  CHECK(x->n == 5);
  CHECK(x->k == 4);
  CHECK(x->triangle == dsl::triangle::upper);
  CHECK(x->core.result == "triu");
}

TEST_CASE("a product that is needed whole keeps its triangle out") {
  auto graph = product();
  graph.outputs = {"triu", "mm"};
  auto x = found(graph);
  REQUIRE(x);
  CHECK(x->triangle == dsl::triangle::none);
  CHECK(x->core.result == "mm");
}

TEST_CASE("what is added broadcasts to the product, and counts only if beta is not 0") {
  auto graph = product();
  graph.nodes[0] =
      node("mm", "addmm", {tensor("self", "c"), tensor("mat1", "a"), tensor("mat2", "b"), real("beta", 2)}, {3, 5});
  auto x = found(graph);
  REQUIRE(x);
  CHECK(x->adds);
  CHECK(x->beta == 2);
  CHECK(x->core.inputs == std::vector<std::string>{"a", "b", "c"});
  graph.nodes[0].arguments.back() = real("beta", 0);
  CHECK(!found(graph)->adds);
  graph.values[2].spec = spec({4});
  CHECK(!found(graph)->adds);
}

TEST_CASE("sizes that do not fit and integers are refused") {
  auto graph = product();
  graph.values[1].spec = spec({3, 5});
  CHECK(!found(graph));
  graph = product();
  graph.nodes[0].output.dtype = messages::dtype::int64;
  CHECK(!found(graph));
}

}  // namespace matmul_test
