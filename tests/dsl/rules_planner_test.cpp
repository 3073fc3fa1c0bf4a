#include "dsl/rules_planner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "dsl/plan_checker.hpp"
#include "dsl/plan_cost.hpp"
#include "tests/dsl/fake_language.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace rules_planner_test {

namespace {

using namespace dsl::testing;
using groups = std::vector<std::vector<std::string>>;

groups groups_of(const messages::plan& plan) {
  groups x;
  for (const auto& group : plan.groups) x.push_back(group.nodes);
  return x;
}

messages::graph_node unary(std::string name, std::string of, std::string op = "relu", dsl::shape size = {64, 64}) {
  return node(std::move(name), std::move(op), {tensor("self", std::move(of))}, std::move(size));
}

messages::op_graph graph_of_nodes(std::vector<messages::graph_node> nodes, std::vector<std::string> outputs) {
  return {.task = "t",
          .values = {input("x", {64, 64}), input("y", {64, 64})},
          .nodes = std::move(nodes),
          .outputs = std::move(outputs)};
}

/// relu, sum, tanh: prologue, anchor, epilogue.
messages::op_graph reduction() {
  return graph_of_nodes(
      {unary("before", "x"), unary("sum", "before", "sum", {64, 1}), unary("behind", "sum", "tanh", {64, 1})},
      {"behind"});
}

messages::plan_reply planned(const messages::op_graph& graph, const dsl::language& language,
                             messages::plan_request request = {.wanted = 10}) {
  auto reply = dsl::rules_plan(request, graph, language);
  dsl::graph_index index{graph};
  for (const auto& x : reply.plans) CHECK(to_string(dsl::check_plan(x, index, language, {})) == "");
  return reply;
}

std::vector<groups> all_groups(const messages::plan_reply& reply) {
  std::vector<groups> all;
  for (const auto& x : reply.plans) all.push_back(groups_of(x));
  return all;
}

}  // namespace

TEST_CASE("in a task with several shapes nothing is left to a library, and the remark says so") {
  auto graph = graph_of_nodes({unary("behind", "x"), unary("sorted", "behind", "sort")}, {"sorted"});
  std::vector graphs{graph, graph};
  auto language = small_language(true);
  for (bool allow : {false, true}) {
    auto reply = dsl::rules_plan({.wanted = 4, .allow_library_calls = allow}, graphs, language);
    CHECK(reply.plans.empty());
    CHECK_MESSAGE(reply.remark.ends_with("aten.sort; in a task with several shapes nothing is left to a library"),
                  reply.remark);
  }
  CHECK_FALSE(planned(graph, language, {.wanted = 4, .allow_library_calls = true}).plans.empty());
}

TEST_CASE("a reduction takes prologue and epilogue; the other plans split before it, behind it and on both sides") {
  auto reply = planned(reduction(), small_language());
  auto all = all_groups(reply);
  REQUIRE(all.size() == 4);
  CHECK(all[0] == groups{{"before", "sum", "behind"}});
  CHECK(all[1] == groups{{"before", "sum"}, {"behind"}});
  CHECK(all[2] == groups{{"before"}, {"sum", "behind"}});
  CHECK(all[3] == groups{{"before"}, {"sum"}, {"behind"}});
  CHECK(reply.plans[2].remark == "kernels begin at reductions, pools, scans and products");
}

TEST_CASE("plans are in the order of their roofline cost") {
  auto graph = reduction();
  dsl::graph_index index{graph};
  auto reply = planned(graph, small_language());
  for (std::size_t i = 1; i < reply.plans.size(); ++i)
    CHECK(dsl::cost_of(reply.plans[i - 1], index).seconds <= dsl::cost_of(reply.plans[i], index).seconds);
}

TEST_CASE("no more plans are given than wanted, the cheapest ones") {
  auto reply = planned(reduction(), small_language(), {.wanted = 2});
  CHECK(all_groups(reply).size() == 2);
  CHECK(all_groups(reply)[0].size() == 1);
}

TEST_CASE("chains that alternate in the trace are fused each by itself") {
  auto graph = graph_of_nodes(
      {unary("a1", "x"), unary("b1", "y"), unary("a2", "a1", "sum", {64, 1}), unary("b2", "b1", "sum", {64, 1}),
       unary("a3", "a2", "tanh", {64, 1}), unary("b3", "b2", "tanh", {64, 1})},
      {"a3", "b3"});
  auto all = all_groups(planned(graph, small_language()));
  REQUIRE(!all.empty());
  CHECK(all[0] == groups{{"a1", "a2", "a3"}, {"b1", "b2", "b3"}});
}

TEST_CASE("groups are never joined around something that must run between them") {
  auto two = node("two", "add", {tensor("self", "one"), tensor("other", "sum")}, {64, 64});
  auto graph = graph_of_nodes({unary("one", "x"), unary("sum", "one", "mm", {64, 1}), two}, {"two"});
  auto language = small_language();
  language.add("sums", {"aten.mm"}, 1, 1);
  for (const auto& x : all_groups(planned(graph, language)))
    for (const auto& group : x) CHECK(group != std::vector<std::string>{"one", "two"});
}

TEST_CASE("a plan that computes shared work first is among the choices") {
  auto graph = graph_of_nodes(
      {unary("shared", "x"), unary("left", "shared", "sum", {64, 1}), unary("right", "shared", "sum", {64, 1})},
      {"left", "right"});
  auto all = all_groups(planned(graph, small_language()));
  CHECK(std::ranges::find(all, groups{{"shared"}, {"left"}, {"right"}}) != all.end());
  CHECK(std::ranges::find(all, groups{{"shared", "left"}, {"right"}}) != all.end());
}

TEST_CASE("views join what can read through them") {
  auto graph =
      graph_of_nodes({unary("turned", "y", "t"), unary("again", "turned", "t"),
                      node("mm", "mm", {tensor("self", "x"), tensor("mat2", "again")}, {64, 64}), unary("relu", "mm")},
                     {"relu"});
  auto all = all_groups(planned(graph, small_language()));
  REQUIRE(!all.empty());
  CHECK(all[0] == groups{{"turned", "again", "mm", "relu"}});
}

TEST_CASE("what reads a buffer runs before what changes it, whatever the bytes say") {
  auto count = node("add", "add", {tensor("self", "x"), real("other", 1)}, {64, 64});
  auto copy = node("copy_", "copy_", {tensor("self", "y"), tensor("src", "add")}, {64, 64});
  auto graph = graph_of_nodes({count, unary("reader", "y"), copy, unary("out", "reader", "sum", {64, 1})}, {"out"});
  auto language = small_language();
  language.add("writer", {"aten.copy_"}, 1, 1);
  for (const auto& x : planned(graph, language).plans) {
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < x.groups.size(); ++i)
      for (const auto& name : x.groups[i].nodes) place[name] = i;
    CHECK(place["reader"] <= place["copy_"]);
  }
}

TEST_CASE("what no recipe covers is named, views only where there is nothing else") {
  auto graph = graph_of_nodes(
      {unary("turned", "y", "view"), unary("sorted", "turned", "sort"), unary("relu", "sorted")}, {"relu"});
  CHECK(planned(graph, small_language()).remark == "not covered: aten.sort");
  CHECK(planned(graph, small_language(true)).remark
        == "not covered: aten.sort; --allow-library-calls would leave this to the library");
  graph = graph_of_nodes({unary("turned", "y", "view")}, {"turned"});
  CHECK(planned(graph, small_language()).remark == "not covered: aten.view");
}

TEST_CASE("all that no recipe covers is named once, in order, also what reads part of a tensor") {
  auto graph = graph_of_nodes({unary("b", "y", "sort"), unary("part", "b", "slice"), unary("a", "part", "cat"),
                               unary("c", "a", "sort"), unary("turned", "c", "t")},
                              {"turned"});
  CHECK(planned(graph, small_language()).remark == "not covered: aten.cat, aten.slice, aten.sort");
}

TEST_CASE("dropout in training mode comes with what was likely meant") {
  auto graph = graph_of_nodes({unary("kept", "y", "bernoulli"), unary("relu", "kept")}, {"relu"});
  CHECK(planned(graph, small_language()).remark
        == "not covered: aten.bernoulli; if this is dropout in training mode, call self.eval() at the end of Model's "
           "__init__ or set p=0");
}

TEST_CASE("no kernel is planned for complex numbers") {
  auto graph = graph_of_nodes({unary("turned", "y", "_fft_r2c"), unary("size", "turned", "relu")}, {"size"});
  graph.nodes[0].output.dtype = messages::dtype::complex64;
  CHECK(planned(graph, small_language()).remark == "not covered: aten._fft_r2c, aten.relu");
  graph.nodes[1].op = "aten.sort";
  CHECK(planned(graph, small_language(true)).remark == "not covered: aten._fft_r2c, aten.sort");
}

TEST_CASE("where library calls are allowed, only what no kernel covers is left to the library") {
  auto graph = graph_of_nodes(
      {unary("turned", "y", "view"), unary("sorted", "turned", "sort"), unary("relu", "sorted")}, {"relu"});
  auto reply = planned(graph, small_language(true), {.wanted = 1, .allow_library_calls = true});
  REQUIRE(reply.plans.size() == 1);
  CHECK(groups_of(reply.plans[0]) == groups{{"turned", "sorted"}, {"relu"}});
  CHECK(reply.plans[0].groups[0].recipe == "library");
  CHECK(reply.plans[0].groups[1].recipe == "map");
  for (const auto& x : planned(reduction(), small_language(true), {.wanted = 9, .allow_library_calls = true}).plans)
    for (const auto& group : x.groups) CHECK(group.recipe != "library");
}

TEST_CASE("a task of which no kernel would be left has no plan") {
  auto graph = graph_of_nodes({unary("sorted", "y", "sort")}, {"sorted"});
  auto reply = planned(graph, small_language(true), {.wanted = 1, .allow_library_calls = true});
  CHECK(reply.plans.empty());
  CHECK(reply.remark == "not covered: aten.sort");
}

TEST_CASE("a graph of hundreds of nodes is planned in a moment") {
  std::vector<messages::graph_node> nodes{unary("n0", "x")};
  for (int i = 1; i < 300; ++i)
    nodes.push_back(unary("n" + std::to_string(i), "n" + std::to_string(i - 1), i % 7 == 0 ? "sum" : "tanh"));
  auto reply = planned(graph_of_nodes(nodes, {"n299"}), small_language(), {.wanted = 1});
  REQUIRE(reply.plans.size() == 1);
  CHECK(reply.plans[0].groups.size() == 42);
}

TEST_CASE("the cost of a plan is what goes through memory between its groups, and its launches") {
  auto graph = reduction();
  dsl::graph_index index{graph};
  dsl::cost_options options{.bytes_per_second = 1e6, .launch_seconds = 0.5};
  messages::plan one{1, "", {{"g0", "reduce", {"before", "sum", "behind"}, {}}}};
  auto cost = dsl::cost_of(one, index, options);
  CHECK(cost.bytes == 4 * (64 * 64 + 64));
  CHECK(cost.launches == 1);
  CHECK(cost.seconds == doctest::Approx(0.5 + 4 * (64 * 64 + 64) / 1e6));
  messages::plan two{1, "", {{"g0", "map", {"before"}, {}}, {"g1", "reduce", {"sum", "behind"}, {}}}};
  CHECK(dsl::cost_of(two, index, options).bytes == 4 * (3 * 64 * 64 + 64));
}

TEST_CASE("views move nothing, and what a stride of 0 repeats is read once") {
  auto wide = unary("wide", "x", "expand");
  wide.output.strides = {0, 1};
  auto graph = graph_of_nodes({wide, unary("relu", "wide")}, {"relu"});
  dsl::graph_index index{graph};
  messages::plan plan{1, "", {{"g0", "library", {"wide"}, {}}, {"g1", "map", {"relu"}, {}}}};
  auto cost = dsl::cost_of(plan, index);
  CHECK(cost.launches == 1);
  CHECK(cost.bytes == 4 * (64 + 64 * 64));
}

TEST_CASE("a device's measured bandwidth is the one that counts") {
  CHECK(dsl::cost_options::of({.copy_bytes_per_second = 3e12}).bytes_per_second == 3e12);
  CHECK(dsl::cost_options::of({}).bytes_per_second == dsl::cost_options{}.bytes_per_second);
}

}  // namespace rules_planner_test
