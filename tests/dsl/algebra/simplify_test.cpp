// The frame of the rules; what each of them means is tested by test_simplify.py.

#include "dsl/algebra/simplify.hpp"

#include <doctest/doctest.h>

#include <set>

#include "dsl/algebra/rules.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace simplify_test {

namespace {

using namespace dsl::testing;
using dsl::algebra::simplify;

std::vector<std::string> names_of(const messages::op_graph& graph) {
  std::vector<std::string> names;
  for (const auto& x : graph.nodes) names.push_back(x.name);
  return names;
}

/// tanh, twice the same scale, and what is returned.
messages::op_graph scaled() {
  return {.task = "scaled",
          .values = {input("x", {4})},
          .nodes = {node("mul", "mul", {tensor("self", "x"), real("other", 2)}, {4}),
                    node("s_mul_1", "mul", {tensor("self", "mul"), real("other", 3)}, {4}),
                    node("tanh", "tanh", {tensor("self", "s_mul_1")}, {4})},
          .outputs = {"tanh"},
          .floor_bytes = 7,
          .flops = 7};
}

messages::graph_node convolution(dsl::shape output, bool transposed) {
  using namespace messages;
  return node("conv", "convolution",
              {tensor("input", "x"), tensor("weight", "w"), {"transposed", flag_argument{transposed}}},
              std::move(output));
}

std::uint64_t flops_of(const messages::graph_node& node, const std::map<std::string, dsl::shape>& shapes) {
  std::map<std::string, messages::tensor_spec, std::less<>> specs;
  for (const auto& [name, size] : shapes) specs[name] = spec(size);
  return dsl::count_flops(
      node, [&](std::string_view name) -> const auto& { return specs.find(name)->second; });
}

}  // namespace

TEST_CASE("a graph in which nothing can be simplified comes back as it was, with its own figures") {
  auto graph = chain();
  graph.floor_bytes = 7;
  auto x = simplify(graph);
  CHECK(x->rules.empty());
  CHECK(x->graph == graph);
}

TEST_CASE("a graph that can't be relied on is refused") {
  auto graph = chain();
  graph.nodes[0].arguments[0] = tensor("self", "nobody");
  CHECK(simplify(graph).error().code == messages::failure_code::bad_input);
  graph = chain();
  graph.version = 2;
  CHECK(simplify(graph).error().code == messages::failure_code::unreadable);
}

TEST_CASE("a rule that fired is named once, new nodes have names of their own, and the figures are the new graph's") {
  auto x = simplify(scaled());
  CHECK(x->rules == std::vector<std::string>{"scales in a row"});
  CHECK(names_of(x->graph) == std::vector<std::string>{"s_mul_2", "tanh"});
  CHECK(x->graph.nodes[1].arguments[0] == tensor("self", "s_mul_2"));
  CHECK(x->graph.floor_bytes == 2 * 4 * 4);
  CHECK(x->graph.flops == 4);  // of the new node: the others of this sample say none
  CHECK(dsl::check(x->graph).has_value());
}

TEST_CASE("the same graph gives the same result") { CHECK(simplify(scaled())->graph == simplify(scaled())->graph); }

TEST_CASE("a simplified graph can't be simplified further") {
  CHECK(simplify(simplify(scaled())->graph)->rules.empty());
}

TEST_CASE("rules have names of their own that a report can print") {
  std::set<std::string_view> names;
  for (const auto& rule : dsl::algebra::all_rules()) {
    CHECK(names.insert(rule.name).second);
    CHECK(rule.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzRLU '") == std::string_view::npos);
  }
  CHECK(names.size() >= 20);
}

TEST_CASE("operators whose arguments are not what their schema says are left alone") {
  for (const char* op : {"mm", "addmm", "convolution", "sum", "avg_pool2d", "permute", "transpose", "flip", "view", "t",
                         "mul", "clamp", "native_batch_norm", "squeeze", "clone", "elu", "pow", "cumsum"}) {
    auto graph = graph_of(node("y", op, {}, {4}));
    CHECK(simplify(graph)->rules.empty());
    graph = graph_of(node("y", op, {tensor("self", "a")}, {4}));
    graph.nodes.push_back(node("z", op, {tensor("self", "y"), real("dim", 7), real("other", 7)}, {5}));
    graph.outputs = {"z"};
    CHECK(simplify(graph).has_value());
  }
}

TEST_CASE("FLOPs are counted as for the traced graph") {
  CHECK(flops_of(node("mm", "mm", {tensor("self", "a"), tensor("mat2", "b")}, {2, 5}), {{"a", {2, 3}}, {"b", {3, 5}}})
        == 2 * 2 * 3 * 5);
  CHECK(flops_of(convolution({1, 4, 5, 5}, false), {{"x", {1, 3, 7, 7}}, {"w", {4, 3, 3, 3}}}) == 2 * 100 * 27);
  CHECK(flops_of(convolution({1, 4, 9, 9}, true), {{"x", {1, 3, 7, 7}}, {"w", {3, 4, 3, 3}}}) == 2 * 147 * 36);
  CHECK(flops_of(node("sum", "sum", {tensor("self", "a")}, {}), {{"a", {2, 3}}}) == 6);
  CHECK(flops_of(node("t", "t", {tensor("self", "a")}, {3, 2}), {{"a", {2, 3}}}) == 0);
}

TEST_CASE("the bytes that are read of each input are in their order, unread ones too") {
  auto graph = graph_of(node("y", "neg", {tensor("self", "c")}, {4}));
  for (std::uint32_t i = 0; i < 3; ++i) graph.values[i].index = i;
  std::swap(graph.values[0], graph.values[2]);
  CHECK(dsl::input_bytes(dsl::graph_index{graph}) == std::vector<std::uint64_t>{0, 0, 16});
}

}  // namespace simplify_test
