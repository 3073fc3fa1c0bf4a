#include "dsl/scan.hpp"

#include <doctest/doctest.h>

#include "tests/dsl/op_graphs.hpp"

namespace scan_test {

namespace {

using namespace dsl::testing;

messages::graph_argument integer(std::string name, std::int64_t x) {
  return {std::move(name), messages::integer_argument{x}};
}
messages::graph_argument parts(std::vector<std::string> names) {
  return {"tensors", messages::values_argument{std::move(names)}};
}

messages::op_graph one(std::string op) {
  return {.task = "one",
          .values = {input("x", {3, 5})},
          .nodes = {node("scan", std::move(op), {tensor("self", "x"), integer("dim", -1)}, {3, 5})},
          .outputs = {"scan"}};
}

/// cat(zeros, cumsum(x)[:, :-1]).
messages::op_graph shifted() {
  auto graph = one("cumsum");
  graph.nodes.push_back(
      node("slice", "slice", {tensor("self", "scan"), integer("dim", 1), integer("end", -1)}, {3, 4}));
  graph.nodes.back().output.strides = {5, 1};
  graph.nodes.push_back(node("zeros", "zeros", {}, {3, 1}));
  graph.nodes.push_back(node("cat", "cat", {parts({"zeros", "slice"}), integer("dim", 1)}, {3, 5}));
  graph.outputs = {"cat"};
  return graph;
}

messages::expected<dsl::scan> found(const messages::op_graph& graph) {
  std::vector<std::string> all;
  for (const auto& node : graph.nodes) all.push_back(node.name);
  return find_scan(dsl::graph_index{graph}, all);
}

}  // namespace

TEST_CASE("each scan operator is known with its monoid and axis") {
  const std::vector<std::pair<std::string, dsl::scan_monoid>> all{{"cumsum", dsl::scan_monoid::sum},
                                                                  {"cumprod", dsl::scan_monoid::product},
                                                                  {"cummax", dsl::scan_monoid::max},
                                                                  {"cummin", dsl::scan_monoid::min},
                                                                  {"logcumsumexp", dsl::scan_monoid::log_sum_exp}};
  for (const auto& [op, monoid] : all) {
    auto x = found(one(op));
    REQUIRE(x);
    CHECK(x->monoid == monoid);
    CHECK(x->axis == 1);
    CHECK(!x->exclusive);
  }
  CHECK(!found(one("sum")));
}

TEST_CASE("indices of a running maximum and two scans at once are refused") {
  auto graph = one("cummax");
  graph.nodes[0].result = 1;
  CHECK(!found(graph));
  graph = one("cumsum");
  graph.nodes.push_back(node("again", "cumsum", {tensor("self", "scan"), integer("dim", 0)}, {3, 5}));
  CHECK(!found(graph));
}

TEST_CASE("a cat with neutral elements makes a scan exclusive") {
  auto behind = found(shifted());
  REQUIRE(behind);
  CHECK(behind->exclusive);
  CHECK(behind->core.result == "cat");
  CHECK(behind->core.nodes == std::set<std::string>{"scan", "slice", "zeros", "cat"});

  auto graph = one("cumsum");
  graph.nodes.insert(graph.nodes.begin(), node("zeros", "zeros", {}, {3, 1}));
  graph.nodes.insert(graph.nodes.begin() + 1, node("cat", "cat", {parts({"zeros", "x"}), integer("dim", 1)}, {3, 6}));
  graph.nodes[2] = node("scan", "cumsum", {tensor("self", "cat"), integer("dim", 1)}, {3, 6});
  auto before = found(graph);
  REQUIRE(before);
  CHECK(before->exclusive);
  CHECK(before->core.inputs == std::vector<std::string>{"x"});
}

TEST_CASE("other cats leave a scan as it is") {
  auto graph = shifted();
  graph.nodes[2].op = "aten.ones";
  CHECK(!found(graph)->exclusive);
  graph = shifted();
  graph.nodes[3].arguments[1] = integer("dim", 0);
  CHECK(!found(graph)->exclusive);
  graph = shifted();
  graph.nodes[1].arguments.back() = integer("start", 1);
  CHECK(!found(graph)->exclusive);
  graph = shifted();
  graph.outputs = {"cat", "scan"};
  CHECK(!found(graph)->exclusive);
}

}  // namespace scan_test
