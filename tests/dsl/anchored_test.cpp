#include "dsl/anchored.hpp"

#include <doctest/doctest.h>

#include "tests/dsl/op_graphs.hpp"

namespace anchored_test {

namespace {

using namespace dsl::testing;

messages::graph_argument dims(std::vector<std::int64_t> xs) {
  return {"dims", messages::integers_argument{std::move(xs)}};
}

/// y = relu(flip(scan(flip(x * w))) + w), with w of shape (4) and all else (3, 4).
messages::op_graph surrounded() {
  return {.task = "surrounded",
          .values = {input("x", {3, 4}), input("w", {4})},
          .nodes = {node("mul", "mul", {tensor("self", "x"), tensor("other", "w")}, {3, 4}),
                    node("turned", "flip", {tensor("self", "mul"), dims({1})}, {3, 4}),
                    node("anchor", "cumsum", {tensor("self", "turned")}, {3, 4}),
                    node("back", "flip", {tensor("self", "anchor"), dims({1})}, {3, 4}),
                    node("add", "add", {tensor("self", "back"), tensor("other", "w")}, {3, 4}),
                    node("relu", "relu", {tensor("self", "add")}, {3, 4})},
          .outputs = {"relu"}};
}

std::vector<std::string> names(const messages::op_graph& graph) {
  std::vector<std::string> all;
  for (const auto& node : graph.nodes) all.push_back(node.name);
  return all;
}

messages::expected<dsl::anchored> around(const messages::op_graph& graph, std::vector<std::string> nodes) {
  return surround(dsl::graph_index{graph}, nodes, {{"anchor"}, {"turned"}, "anchor"});
}

std::string refusal(const messages::op_graph& graph, std::vector<std::string> nodes) {
  auto x = around(graph, std::move(nodes));
  return x ? "" : x.error().detail;
}

}  // namespace

TEST_CASE("prologue and epilogue are seen from the anchor's index space, through views") {
  auto graph = surrounded();
  auto x = around(graph, names(graph));
  REQUIRE_MESSAGE(x, x.error().detail);
  REQUIRE(x->inputs.size() == 1);
  const auto& before = x->inputs[0];
  REQUIRE(before.operands.size() == 2);
  CHECK(before.operands[0].name == "x");
  CHECK(before.operands[0].place.offset == 3);
  CHECK(before.operands[0].place.strides == std::vector<std::int64_t>{4, -1});
  CHECK(before.operands[1].place.strides == std::vector<std::int64_t>{0, -1});
  CHECK(dsl::evaluate(before.expression, std::vector{2.0, 5.0}) == std::vector{10.0});
  const auto& behind = x->output;
  REQUIRE(behind.operands.size() == 1);
  CHECK(behind.operands[0].place.offset == 3);
  CHECK(behind.operands[0].place.strides == std::vector<std::int64_t>{0, -1});
  REQUIRE(behind.results.size() == 1);
  CHECK(behind.results[0].name == "relu");
  CHECK(behind.results[0].place.strides == std::vector<std::int64_t>{4, -1});
  CHECK(dsl::evaluate(behind.expression, std::vector{2.0, -3.0}) == std::vector{0.0});
  CHECK(dsl::evaluate(behind.expression, std::vector{2.0, 3.0}) == std::vector{5.0});
}

TEST_CASE("an anchor alone hands elements on") {
  auto graph = surrounded();
  auto x = around(graph, {"anchor"});
  REQUIRE(x);
  CHECK(dsl::hands_on(x->inputs[0].expression));
  CHECK(dsl::hands_on(x->output.expression));
  CHECK(x->inputs[0].operands[0].name == "turned");
}

TEST_CASE("results that are needed on the way are written as well") {
  auto graph = surrounded();
  graph.outputs = {"relu", "anchor"};
  auto x = around(graph, names(graph));
  REQUIRE(x);
  REQUIRE(x->output.results.size() == 2);
  CHECK(x->output.results[0].name == "anchor");
  CHECK(x->output.results[0].place.strides == std::vector<std::int64_t>{4, 1});
}

TEST_CASE("what does not belong around an anchor is refused by name") {
  auto graph = surrounded();
  graph.outputs = {"relu", "mul"};
  CHECK(refusal(graph, names(graph)) == "node mul (aten.mul) is needed outside of the group");
  graph = surrounded();
  graph.nodes[5].op = "aten.softmax";
  CHECK(refusal(graph, names(graph)) == "node relu (aten.softmax) is not pointwise");
  graph = surrounded();
  graph.nodes[4].arguments[1] = tensor("other", "anchor");
  CHECK(refusal(graph, names(graph))
        == "node anchor (aten.cumsum) has a result that is read at another place than where it was made");
  CHECK(refusal(surrounded(), {"anchor", "add"}) == "node add (aten.add) has no part in the group's results");
  graph = surrounded();
  graph.nodes[3] = node("back", "expand", {tensor("self", "anchor")}, {2, 3, 4});
  graph.outputs = {"back"};
  CHECK(refusal(graph, {"anchor", "back"})
        == "node back (aten.expand) repeats or leaves out elements of the group's main result");
  graph = surrounded();
  graph.values.push_back(input("z", {3, 4}));
  graph.nodes.insert(graph.nodes.begin() + 4, node("sin", "sin", {tensor("self", "back")}, {3, 4}));
  graph.nodes[5].arguments[1] = tensor("other", "sin");
  CHECK(refusal(graph, {"anchor", "back", "add"}) == "the group reads sin, which depends on the group itself");
}

TEST_CASE("an expanded tensor is planned as one without repetition") {
  auto graph = surrounded();
  graph.values[0].spec.strides = {0, 1};
  auto x = around(graph, names(graph));
  REQUIRE(x);
  CHECK(x->inputs[0].operands[0].spec.strides == std::vector<std::int64_t>{4, 1});
}

}  // namespace anchored_test
