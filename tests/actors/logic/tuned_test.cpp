#include "actors/logic/tuned.hpp"

#include <doctest/doctest.h>

namespace tuned_test {

using namespace messages;
using namespace actors::logic;

namespace {

op_graph relu_of(std::vector<std::int64_t> shape, const std::string& input = "x", const std::string& node = "y") {
  tensor_spec spec{dtype::float32, shape, {}};
  op_graph graph{.task = "task of " + input, .values = {{.name = input, .spec = spec}}};
  graph.nodes = {{.name = node, .op = "aten.relu", .arguments = {{"self", value_argument{input}}}, .output = spec}};
  graph.outputs = {node};
  graph.floor_bytes = 8;
  for (auto x : shape) graph.floor_bytes *= static_cast<std::uint64_t>(x);
  return graph;
}

const device_info cpu{.name = {"cpu:0"}, .kind = "cpu", .model = "a CPU, 2 cores"};

tuned_plan found_for(const op_graph& graph, const std::string& run, std::int64_t block) {
  tuned_plan x{.run = {run}, .task_name = "relu", .graph = graph_key(graph)};
  x.bytes = static_cast<double>(graph.floor_bytes);
  x.nodes = {graph.nodes[0].name};
  x.plan = {.groups = {{"g0", "map", x.nodes, {{"block", block}}}}};
  return x;
}

}  // namespace

TEST_CASE("names do not matter to what is alike, operators, ranks, dtypes, devices and languages do") {
  auto key = tuned_key(relu_of({4, 8}), "cpp", cpu);
  CHECK(tuned_key(relu_of({4, 8}, "input", "relu"), "cpp", cpu) == key);
  CHECK(tuned_key(relu_of({64, 2}), "cpp", cpu) == key);
  CHECK(tuned_key(relu_of({4, 8, 1}), "cpp", cpu) != key);
  CHECK(tuned_key(relu_of({4, 8}), "triton", cpu) != key);
  auto other = cpu;
  other.model = "a CPU, 64 cores";
  CHECK(tuned_key(relu_of({4, 8}), "cpp", other) != key);
  auto tanh = relu_of({4, 8});
  tanh.nodes[0].op = "aten.tanh";
  CHECK(tuned_key(tanh, "cpp", cpu) != key);
  auto half = relu_of({4, 8});
  half.values[0].spec.dtype = dtype::float16;
  CHECK(tuned_key(half, "cpp", cpu) != key);
  CHECK(graph_key(relu_of({4, 8})) != graph_key(relu_of({64, 2})));
}

TEST_CASE("the same shapes come first, the last run of them first of all") {
  tuned_plans_file known;
  keep(known, found_for(relu_of({4, 8}), "a", 1), 9);
  keep(known, found_for(relu_of({4, 8}), "b", 2), 9);
  keep(known, found_for(relu_of({4, 9}), "c", 3), 9);
  auto found = choose_earlier(known, relu_of({4, 8}, "input", "relu"), {"own"});
  REQUIRE(found);
  CHECK(found->from.run.value == "b");
  CHECK(found->from.same_shapes);
  CHECK(found->plan.groups[0].nodes == std::vector<std::string>{"relu"});
  CHECK(std::get<std::int64_t>(found->plan.groups[0].knobs.at("block")) == 2);
}

TEST_CASE("for shapes that are new the most similar amount of data decides") {
  tuned_plans_file known;
  keep(known, found_for(relu_of({4, 8}), "small", 1), 9);
  keep(known, found_for(relu_of({4096, 4096}), "large", 2), 9);
  auto found = choose_earlier(known, relu_of({2048, 4096}), {"own"});
  REQUIRE(found);
  CHECK(found->from.run.value == "large");
  CHECK(!found->from.same_shapes);
}

TEST_CASE("what the run itself found does not count, nor do plans for other nodes") {
  tuned_plans_file known;
  keep(known, found_for(relu_of({4, 8}), "own", 1), 9);
  auto foreign = found_for(relu_of({4, 8}), "a", 1);
  foreign.plan.groups[0].nodes = {"elsewhere"};
  keep(known, foreign, 9);
  CHECK(!choose_earlier(known, relu_of({4, 8}), {"own"}));
}

TEST_CASE("a run keeps one plan a graph, and the oldest plans go") {
  tuned_plans_file known;
  keep(known, found_for(relu_of({4, 8}), "a", 1), 2);
  keep(known, found_for(relu_of({4, 8}), "a", 2), 2);
  REQUIRE(known.plans.size() == 1);
  keep(known, found_for(relu_of({4, 8}), "b", 3), 2);
  keep(known, found_for(relu_of({4, 8}), "c", 4), 2);
  REQUIRE(known.plans.size() == 2);
  CHECK(known.plans[0].run.value == "b");
}

}  // namespace tuned_test
