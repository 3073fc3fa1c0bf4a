#include "dsl/reduction_nest.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/dsl/reduction_nests.hpp"

namespace reduction_nest_test {

namespace {

using namespace dsl::testing;
using dsl::graph_index;
using dsl::make_nest;
using dsl::monoid;
using messages::dtype;
using messages::op_graph;
using numbers = std::vector<double>;

std::string refusal(const op_graph& graph) {
  graph_index index{graph};
  auto x = make_nest(index, all_nodes(graph));
  return x ? "" : x.error().detail;
}

/// The one result over those inputs, given in the order of the graph's values.
numbers run(const op_graph& graph, const std::vector<numbers>& inputs) {
  graph_index index{graph};
  auto x = make_nest(index, all_nodes(graph));
  REQUIRE_MESSAGE(x, x.error().detail);
  std::vector<numbers> memory;
  for (const auto& operand : x->operands) {
    memory.emplace_back();
    for (std::size_t i = 0; i < graph.values.size(); ++i)
      if (graph.values[i].name == operand.name) memory.back() = inputs[i];
  }
  return evaluate(*x, memory).front();
}

op_graph one(messages::graph_node only, std::vector<messages::graph_value> values) {
  auto name = only.name;
  return {.task = "one", .values = std::move(values), .nodes = {std::move(only)}, .outputs = {name}};
}

op_graph reduction(std::string op, arguments more, dsl::shape to, dtype type = dtype::float32) {
  more.insert(more.begin(), tensor("self", "x"));
  return one(node("y", std::move(op), std::move(more), std::move(to), type), {input("x", {2, 3})});
}

const numbers six{3, 1, 2, -4, 6, 5};
const double not_a_number = std::nan("");

}  // namespace

TEST_CASE("a reduction means what it says") {
  CHECK(run(reduction("sum", {integers("dim", {1})}, {2}), {six}) == numbers{6, 7});
  CHECK(run(reduction("sum", {}, {}), {six}) == numbers{13});
  CHECK(run(reduction("mean", {integers("dim", {0}), flag("keepdim", true)}, {1, 3}), {six})
        == numbers{-0.5, 3.5, 3.5});
  CHECK(run(reduction("prod", {integer("dim", -1)}, {2}), {six}) == numbers{6, -120});
  CHECK(run(reduction("amin", {integers("dim", {0, 1})}, {}), {six}) == numbers{-4});
  CHECK(run(reduction("argmax", {}, {}, dtype::int64), {six}) == numbers{4});
  CHECK(run(reduction("argmin", {integer("dim", 0)}, {3}, dtype::int64), {six}) == numbers{1, 0, 0});
  CHECK(run(reduction("var", {integers("dim", {1})}, {2}), {{1, 2, 3, 4, 4, 4}}) == numbers{1, 0});
  CHECK(run(reduction("linalg_vector_norm", {real("ord", 1)}, {}), {six}) == numbers{21});
}

TEST_CASE("of equal extremes the first wins, and NaN wins over all") {
  auto place = reduction("argmax", {integer("dim", 1)}, {2}, dtype::int64);
  CHECK(run(place, {{1, 7, 7, 2, not_a_number, not_a_number}}) == numbers{1, 1});
  auto top = run(reduction("amax", {integers("dim", {1})}, {2}), {{1, 2, 3, 4, not_a_number, 6}});
  CHECK(top[0] == 3);
  CHECK(std::isnan(top[1]));
}

TEST_CASE("a reduction over nothing gives its neutral element, an extreme of nothing is refused") {
  auto empty = [](std::string op) {
    auto graph = reduction(std::move(op), {integers("dim", {1})}, {2});
    graph.values[0] = input("x", {2, 0});
    return graph;
  };
  CHECK(run(empty("sum"), {{}}) == numbers{0, 0});
  CHECK(std::isnan(run(empty("mean"), {{}})[0]));
  CHECK(run(empty("logsumexp"), {{}})[0] == -HUGE_VAL);
  CHECK(refusal(empty("amax")) == "node y (aten.amax) is the extreme of nothing");
}

TEST_CASE("a softmax is two stages and a result of the whole size") {
  auto graph = scaled_softmax();
  graph_index index{graph};
  auto x = make_nest(index, all_nodes(graph));
  REQUIRE(x);
  CHECK(x->stages.size() == 2);
  CHECK(x->stages[0].reductions[0].kind == monoid::max);
  CHECK(x->stages[1].reductions[0].kind == monoid::sum);
  CHECK(x->sizes == dsl::shape{2, 3, 4});
  CHECK(x->kept == 2);
  CHECK(x->each_kept.targets.empty());
  CHECK(x->each_element.targets.size() == 1);
  auto y = run(graph, {numbers(24, 1.0), {1, 2, 3}});
  for (auto value : y) CHECK(value == doctest::Approx(0.25));
}

TEST_CASE("a mean over all rows is a last stage of the same nest") {
  auto graph = mean_of_maxima();
  graph_index index{graph};
  auto x = make_nest(index, all_nodes(graph));
  REQUIRE(x);
  REQUIRE(x->last);
  CHECK(x->once.targets.size() == 1);
  numbers values(35);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  CHECK(run(graph, {values}) == numbers{31});
}

TEST_CASE("what depends on reductions alone is computed once a row") {
  auto graph = one(node("y", "native_layer_norm",
                        {tensor("input", "x"), integers("normalized_shape", {4}), real("eps", 1e-5)}, {3, 4}),
                   {input("x", {3, 4})});
  graph_index index{graph};
  auto x = make_nest(index, all_nodes(graph));
  REQUIRE(x);
  REQUIRE(x->stages.size() == 1);
  CHECK(x->stages[0].reductions[0].kind == monoid::moments);
  CHECK(x->stages[0].derived.results.size() == 1);
  auto y = run(graph, {{1, 2, 3, 4, 5, 5, 5, 5, -1, 1, -1, 1}});
  CHECK(y[0] == doctest::Approx(-1.3416).epsilon(1e-4));
  CHECK(y[4] == 0);
  CHECK(y[9] == doctest::Approx(1).epsilon(1e-4));
}

TEST_CASE("views regroup dimensions without a pass over memory") {
  op_graph graph{.task = "grouped",
                 .values = {input("x", {2, 6})},
                 .nodes = {node("v", "view", {tensor("self", "x"), integers("size", {2, 2, 3})}, {2, 2, 3}),
                           node("s", "sum", {tensor("self", "v"), integers("dim", {2})}, {2, 2})},
                 .outputs = {"s"}};
  CHECK(run(graph, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}) == numbers{6, 15, 24, 33});
  graph.nodes[0] = node("v", "view", {tensor("self", "x"), integers("size", {4, 3})}, {4, 3});
  graph.nodes[1] = node("s", "sum", {tensor("self", "v"), integers("dim", {0})}, {3});
  CHECK(run(graph, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}) == numbers{22, 26, 30});
}

TEST_CASE("a statistic is written in place, from what it was before") {
  auto buffer = [](std::string name) {
    return messages::graph_value{
        .name = name, .origin = messages::value_origin::buffer, .path = name, .spec = spec({2})};
  };
  auto graph = one(node("y", "native_batch_norm",
                        {tensor("input", "x"), tensor("running_mean", "m"), tensor("running_var", "v"),
                         flag("training", true), real("momentum", 0.5), real("eps", 0)},
                        {2, 2}),
                   {input("x", {2, 2}), buffer("m"), buffer("v")});
  graph_index index{graph};
  auto x = make_nest(index, all_nodes(graph));
  REQUIRE_MESSAGE(x, x.error().detail);
  REQUIRE(x->each_kept.targets.size() == 2);
  CHECK(x->each_kept.targets[0].name == "m");
  std::vector<numbers> memory;
  for (const auto& operand : x->operands) memory.push_back(operand.name == "x" ? numbers{1, 2, 3, 8} : numbers{10, 20});
  auto written = evaluate(*x, memory);
  CHECK(written[0] == numbers{6, 12.5});
  CHECK(written[1] == numbers{6, 19});
  CHECK(written[2] == numbers{-1, -1, 1, 1});
}

TEST_CASE("what one nest can't compute is refused with its reason") {
  auto graph = mean_of_maxima();
  graph.nodes.push_back(node("other", "sum", {tensor("self", "x"), integers("dim", {1})}, {5}));
  graph.outputs.push_back("other");
  CHECK(refusal(graph) == "the group reduces over different dimensions");
  graph = one(node("y", "add", {tensor("self", "x"), tensor("other", "t")}, {3, 3}), {input("x", {3, 3})});
  graph.nodes.insert(graph.nodes.begin(), node("t", "t", {tensor("self", "x")}, {3, 3}));
  CHECK(refusal(graph) == "the group uses a tensor along two orders of its dimensions");
  graph = one(node("y", "mm", {tensor("self", "x"), tensor("mat2", "w")}, {2, 5}),
              {input("x", {2, 3}), input("w", {3, 5})});
  CHECK(refusal(graph) == "node y (aten.mm) is a product of two matrices");
  graph = one(node("y", "conv2d", {tensor("self", "x")}, {2, 3}), {input("x", {2, 3})});
  CHECK(refusal(graph) == "node y (aten.conv2d) is neither pointwise nor a reduction that is known");
  CHECK(refusal(reduction("sum", {integers("dim", {2})}, {2}))
        == "node y (aten.sum) names a dimension that is not there");
  CHECK(refusal(reduction("sum", {integers("dim", {1})}, {3}))
        == "node y (aten.sum) has another shape than its arguments give");
}

TEST_CASE("integers stay exact or are refused") {
  auto graph = reduction("sum", {}, {}, dtype::int64);
  graph.values[0] = input("x", {2, 3}, dtype::int64);
  graph_index index{graph};
  CHECK(make_nest(index, all_nodes(graph))->compute == dtype::int64);
  op_graph mixed{.task = "mixed",
                 .values = {input("n", {3}, dtype::int64), input("x", {3})},
                 .nodes = {node("m", "add", {tensor("self", "n"), integer("other", 1)}, {3}, dtype::int64),
                           node("y", "mul", {tensor("self", "m"), tensor("other", "x")}, {3})},
                 .outputs = {"y"}};
  CHECK(refusal(mixed) == "the group mixes arithmetic in integers with numbers");
}

}  // namespace reduction_nest_test
