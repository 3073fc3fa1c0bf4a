#include "dsl/op_graph.hpp"

#include <doctest/doctest.h>

#include "tests/dsl/op_graphs.hpp"

namespace op_graph_test {

namespace {

using namespace dsl::testing;
using dsl::shape;
using messages::failure_code;

/// Why the graph is refused; empty if it is not.
std::string refused(const messages::op_graph& graph) {
  auto ok = dsl::check(graph);
  if (ok) return {};
  CHECK(ok.error().code == failure_code::bad_input);
  return ok.error().detail;
}

/// The chain after a change.
std::string refused_after(auto&& change) {
  auto graph = chain();
  change(graph);
  return refused(graph);
}

bool says(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("A graph whose nodes come after what they use is accepted") { CHECK(refused(chain()).empty()); }

TEST_CASE("A graph of another version is unreadable") {
  auto graph = chain();
  graph.version = 2;
  auto ok = dsl::check(graph);
  REQUIRE(!ok);
  CHECK(ok.error().code == failure_code::unreadable);
}

TEST_CASE("Names must be unique identifiers") {
  CHECK(says(refused_after([](auto& g) { g.nodes[1].name = "x"; }), "have the name \"x\""));
  CHECK(says(refused_after([](auto& g) { g.values[0].name = "a b"; }), "\"a b\" is not an identifier"));
  CHECK(says(refused_after([](auto& g) { g.nodes[2].name = "1st"; }), "not an identifier"));
  CHECK(says(refused_after([](auto& g) { g.nodes[2].name = ""; }), "not an identifier"));
  CHECK(says(refused_after([](auto& g) { g.nodes[2].name = std::string(129, 'a'); }), "not an identifier"));
}

TEST_CASE("An argument must name a value or an earlier node") {
  CHECK(says(refused_after([](auto& g) { g.nodes[0].arguments[1] = tensor("other", "nobody"); }), "uses \"nobody\""));
  CHECK(says(refused_after([](auto& g) { g.nodes[0].arguments[1] = tensor("other", "relu"); }), "uses \"relu\""));
  CHECK(says(refused_after([](auto& g) { g.nodes[0].arguments[1] = tensor("other", "mul"); }), "uses \"mul\""));
  CHECK(says(refused_after([](auto& g) {
               g.nodes[0].arguments[1] = {"tensors", messages::values_argument{{"x", "", "nobody"}}};
             }),
             "uses \"nobody\""));
  CHECK(says(refused_after([](auto& g) { std::swap(g.nodes[0], g.nodes[1]); }), "uses \"mul\""));
}

TEST_CASE("An empty name in a list of tensors stands for none") {
  CHECK(refused_after([](auto& g) {
          g.nodes[0].arguments[1] = {"tensors", messages::values_argument{{"x", ""}}};
        }).empty());
}

TEST_CASE("What is returned must be there") {
  CHECK(says(refused_after([](auto& g) { g.outputs = {"nobody"}; }), "output \"nobody\""));
  CHECK(says(refused_after([](auto& g) { g.outputs.clear(); }), "nothing is returned"));
  CHECK(refused_after([](auto& g) { g.outputs = {"x", "relu", "relu"}; }).empty());
}

TEST_CASE("Two arguments of one name and a node without operator are refused") {
  CHECK(says(refused_after([](auto& g) { g.nodes[1].arguments[1].name = "self"; }), "two arguments \"self\""));
  CHECK(says(refused_after([](auto& g) { g.nodes[1].op = ""; }), "no operator"));
}

TEST_CASE("Only a constant of rank 0 may have a number") {
  auto constant = [](auto& g) {
    g.values[1] = {.name = "scale", .origin = messages::value_origin::constant, .number = 2.0};
  };
  CHECK(refused_after(constant).empty());
  CHECK(says(refused_after([](auto& g) { g.values[1].number = 2.0; }), "no constant of rank 0"));
}

TEST_CASE("Sizes and strides that can't be are refused") {
  auto with = [](messages::tensor_spec x) { return refused_after([&](auto& g) { g.nodes[2].output = x; }); };
  constexpr auto float32 = messages::dtype::float32;
  CHECK(says(with({float32, {2, 3}, {1}}), "node relu has not one stride"));
  CHECK(says(with({float32, {2, -3}, {3, 1}}), "negative size"));
  CHECK(says(with({float32, {2, 3}, {3, -1}}), "negative stride"));
  CHECK(says(with({float32, shape(65, 1), shape(65, 1)}), "more than 64 dimensions"));
}

TEST_CASE("A tensor that does not fit in 63 bits is refused") {
  auto with = [](messages::tensor_spec x) { return refused_after([&](auto& g) { g.values[0].spec = x; }); };
  constexpr auto float32 = messages::dtype::float32;
  constexpr std::int64_t huge = std::int64_t{1} << 61;
  CHECK(says(with({float32, {huge}, {1}}), "larger than 2^63 bytes"));
  CHECK(with({messages::dtype::uint8, {huge}, {1}}).empty());
  CHECK(says(with({float32, {1L << 40, 1L << 40}, {0, 0}}), "larger than"));
  CHECK(says(with({float32, {0, 1L << 40, 1L << 40}, {0, 0, 0}}), "larger than"));
  CHECK(says(with({float32, {3, 2}, {huge, 1}}), "larger than"));
  CHECK(says(with({float32, {2}, {INT64_MAX}}), "larger than"));
  CHECK(with({float32, {0}, {1}}).empty());
}

TEST_CASE("Shapes broadcast from the right, as torch does it") {
  CHECK(dsl::broadcast(shape{2, 3, 4}, shape{3, 1}) == shape{2, 3, 4});
  CHECK(dsl::broadcast(shape{3, 1}, shape{2, 3, 4}) == shape{2, 3, 4});
  CHECK(dsl::broadcast(shape{2, 1}, shape{1, 5}) == shape{2, 5});
  CHECK(dsl::broadcast(shape{}, shape{7}) == shape{7});
  CHECK(dsl::broadcast(shape{}, shape{}) == shape{});
  CHECK(dsl::broadcast(shape{0}, shape{1}) == shape{0});
  CHECK(dsl::broadcast(shape{1}, shape{0}) == shape{0});
  CHECK(!dsl::broadcast(shape{2}, shape{3}));
  CHECK(!dsl::broadcast(shape{0}, shape{2}));
}

TEST_CASE("A repeated dimension has stride 0") {
  using strides = std::vector<std::int64_t>;
  CHECK(dsl::broadcast_strides(spec({3, 1}), {2, 3, 4}) == strides{0, 1, 0});
  CHECK(dsl::broadcast_strides(spec({2, 3, 4}), {2, 3, 4}) == strides{12, 4, 1});
  CHECK(dsl::broadcast_strides(spec({}), {2, 3}) == strides{0, 0});
  CHECK(dsl::broadcast_strides({messages::dtype::float32, {2, 3}, {1, 2}}, {5, 2, 3}) == strides{0, 1, 2});
  CHECK(!dsl::broadcast_strides(spec({2, 3}), {3}));
  CHECK(!dsl::broadcast_strides(spec({3}), {2}));
}

TEST_CASE("Contiguous strides count the elements to the right") {
  CHECK(dsl::contiguous_strides({2, 3, 4}) == shape{12, 4, 1});
  CHECK(dsl::contiguous_strides({2, 0, 4}) == shape{4, 4, 1});
  CHECK(dsl::contiguous_strides({}).empty());
  CHECK(dsl::elements({2, 3, 4}) == 24);
  CHECK(dsl::elements({}) == 1);
}

TEST_CASE("The index knows who makes and who uses a tensor") {
  auto graph = chain();
  graph.nodes[2].arguments.push_back(tensor("again", "add"));
  dsl::graph_index index{graph};
  CHECK(index.value("scale")->path == "scale");
  CHECK(index.value("mul") == nullptr);
  CHECK(index.node("mul") == &graph.nodes[0]);
  CHECK(index.node("x") == nullptr);
  CHECK(index.position(*index.node("relu")) == 2);
  CHECK(index.spec("scale")->shape == shape{3, 1});
  CHECK(index.spec("add")->shape == shape{2, 3, 4});
  CHECK(index.spec("nobody") == nullptr);
  REQUIRE(index.users("add").size() == 1);
  CHECK(index.users("add").front() == &graph.nodes[2]);
  CHECK(index.users("relu").empty());
  CHECK(index.is_output("relu"));
  CHECK(!index.is_output("add"));
}

}  // namespace op_graph_test
