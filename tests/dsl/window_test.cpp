#include "dsl/window.hpp"

#include <doctest/doctest.h>

#include "tests/dsl/op_graphs.hpp"

namespace window_test {

namespace {

using namespace dsl::testing;

messages::graph_argument integers(std::string name, std::vector<std::int64_t> xs) {
  return {std::move(name), messages::integers_argument{std::move(xs)}};
}

messages::graph_argument flag(std::string name) { return {std::move(name), messages::flag_argument{true}}; }

messages::op_graph pooled(std::string op, arguments list, dsl::shape from, dsl::shape to) {
  arguments all{tensor("self", "x")};
  for (auto& x : list) all.push_back(std::move(x));
  return {.task = "pool",
          .values = {input("x", std::move(from))},
          .nodes = {node("y", std::move(op), std::move(all), std::move(to))},
          .outputs = {"y"}};
}

messages::expected<dsl::pool> parsed(const messages::op_graph& graph) {
  return parse_pool(dsl::graph_index{graph}, graph.nodes[0]);
}

messages::op_graph convolved(dsl::shape from, dsl::shape weight, dsl::shape to, std::int64_t groups) {
  return {.task = "conv",
          .values = {input("x", std::move(from)), input("w", std::move(weight))},
          .nodes = {node("y", "convolution",
                         {tensor("input", "x"),
                          tensor("weight", "w"),
                          integers("stride", {1, 2}),
                          integers("padding", {1, 0}),
                          integers("dilation", {1, 1}),
                          {"groups", messages::integer_argument{groups}}},
                         std::move(to))},
          .outputs = {"y"}};
}

messages::expected<dsl::depthwise> depthwise(const messages::op_graph& graph) {
  return parse_depthwise(dsl::graph_index{graph}, graph.nodes[0]);
}

}  // namespace

TEST_CASE("a pool's stride is its window unless said") {
  auto x = parsed(pooled("max_pool2d_with_indices", {integers("kernel_size", {2, 3})}, {1, 2, 8, 9}, {1, 2, 4, 3}));
  REQUIRE(x);
  CHECK(x->kind == dsl::pool_kind::max);
  CHECK(x->axes[0] == dsl::window_axis{});
  CHECK(x->axes[1] == dsl::window_axis{2, 2, 0, 1, 8, 4});
  CHECK(x->axes[2] == dsl::window_axis{3, 3, 0, 1, 9, 3});
}

TEST_CASE("sizes that torch would not give are refused") {
  arguments list{integers("kernel_size", {3}), integers("stride", {2})};
  CHECK(parsed(pooled("avg_pool2d", list, {1, 8, 8}, {1, 3, 3})));
  CHECK(!parsed(pooled("avg_pool2d", list, {1, 8, 8}, {1, 4, 4})));
  list.push_back(flag("ceil_mode"));
  CHECK(parsed(pooled("avg_pool2d", list, {1, 8, 8}, {1, 4, 4})));
  CHECK(!parsed(pooled("avg_pool2d", {}, {1, 8, 8}, {1, 4, 4})));
  CHECK(!parsed(pooled("avg_pool2d", list, {1, 8, 8}, {2, 4, 4})));
}

TEST_CASE("indices, other operators and integers are no pool") {
  arguments list{integers("kernel_size", {2, 2})};
  auto graph = pooled("max_pool2d_with_indices", list, {1, 4, 4}, {1, 2, 2});
  CHECK(parsed(graph));
  graph.nodes[0].result = 1;
  CHECK(!parsed(graph));
  CHECK(!parsed(pooled("relu", {}, {1, 4, 4}, {1, 2, 2})));
  graph = pooled("max_pool2d_with_indices", list, {1, 4, 4}, {1, 2, 2});
  graph.nodes[0].output.dtype = messages::dtype::int32;
  CHECK(!parsed(graph));
}

TEST_CASE("an adaptive average is a pool where its windows are equal") {
  auto x = parsed(pooled("_adaptive_avg_pool2d", {}, {2, 3, 8, 9}, {2, 3, 4, 3}));
  REQUIRE(x);
  CHECK(x->axes[1] == dsl::window_axis{2, 2, 0, 1, 8, 4});
  CHECK(x->axes[2] == dsl::window_axis{3, 3, 0, 1, 9, 3});
  CHECK(!parsed(pooled("_adaptive_avg_pool2d", {}, {2, 3, 8, 9}, {2, 3, 4, 4})));
}

TEST_CASE("an average divides by what lies in the window, padding or not") {
  dsl::window_axis x{3, 2, 1, 1, 6, 4};  // windows from -1, 1, 3 and 5 on
  const std::vector<std::int64_t> with{3, 3, 3, 2}, without{2, 3, 3, 1};
  for (std::int64_t o = 0; o < 4; ++o) {
    CHECK(divisor_along(x, o, true) == with[static_cast<std::size_t>(o)]);
    CHECK(divisor_along(x, o, false) == without[static_cast<std::size_t>(o)]);
  }
}

TEST_CASE("a convolution is depthwise if each input channel is a group") {
  auto x = depthwise(convolved({2, 3, 8, 9}, {6, 1, 3, 3}, {2, 6, 8, 4}, 3));
  REQUIRE(x);
  CHECK(x->multiplier == 2);
  CHECK(!x->has_bias);
  CHECK(x->axes[1] == dsl::window_axis{3, 1, 1, 1, 8, 8});
  CHECK(x->axes[2] == dsl::window_axis{3, 2, 0, 1, 9, 4});
  CHECK(!depthwise(convolved({2, 4, 8, 9}, {6, 2, 3, 3}, {2, 6, 8, 4}, 2)));
  CHECK(!depthwise(convolved({2, 3, 8, 9}, {6, 3, 3, 3}, {2, 6, 8, 4}, 1)));
  CHECK(!depthwise(convolved({2, 3, 8, 9}, {6, 1, 3, 3}, {2, 6, 8, 5}, 3)));
  auto graph = convolved({2, 3, 8, 9}, {6, 1, 3, 3}, {2, 6, 8, 4}, 3);
  graph.nodes[0].arguments.push_back(flag("transposed"));
  CHECK(!depthwise(graph));
}

}  // namespace window_test
