#include "dsl/lowering.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "dsl/expression.hpp"
#include "dsl/printer.hpp"
#include "tests/dsl/op_graphs.hpp"

namespace lowering_test {

namespace {

using namespace dsl::testing;
using messages::dtype;

/// Prints calls: short enough to compare a whole expression as one text.
class call_printer : public dsl::printer {
public:
  std::string number(double x) const override { return std::isfinite(x) ? dsl::exact_decimal(x) : std::to_string(x); }
  std::string operand(std::uint32_t index) const override { return std::string(1, static_cast<char>('a' + index)); }
  std::string apply(dsl::operation op, std::span<const std::string> arguments) const override {
    std::string text{enum_names(op)[static_cast<std::size_t>(op)]};
    text += '(';
    for (const auto& argument : arguments) text += argument + ',';
    text.back() = ')';
    return text;
  }
  std::string define(dsl::kind, std::string_view, std::string_view) const override { return {}; }
};

std::string nested(const messages::expression& x, std::uint32_t i) {
  const auto& node = x.nodes[i];
  call_printer language;
  if (node.number) return language.number(*node.number);
  if (node.operand) return language.operand(*node.operand);
  std::vector<std::string> arguments;
  for (auto argument : node.arguments) arguments.push_back(nested(x, argument));
  return language.apply(dsl::operation_of(node), arguments);
}

messages::expected<dsl::pointwise> made_of(const messages::op_graph& graph) {
  auto ok = dsl::check(graph);
  REQUIRE_MESSAGE(ok, ok.error().detail);
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.push_back(node.name);
  return dsl::make_expression(dsl::graph_index{graph}, names);
}

/// One operator of rank 1 as nested calls, or why it is refused.
std::string lowered(std::string op, arguments list, dtype result = dtype::float32) {
  auto made = made_of(graph_of(node("y", std::move(op), std::move(list), {4}, result)));
  if (!made) return made.error().detail;
  CHECK(!!dsl::check(made->expression, made->operands.size()));
  return nested(made->expression, made->expression.results.front());
}

bool says(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

const auto self = tensor("self", "a");

}  // namespace

TEST_CASE("Arithmetic takes tensors and plain numbers and scales the second by alpha") {
  CHECK(lowered("add", {self, tensor("other", "b")}) == "add(a,b)");
  CHECK(lowered("add", {self, real("other", 2)}) == "add(a,2.0)");
  CHECK(lowered("add", {self, tensor("other", "b"), {"alpha", messages::integer_argument{3}}}) == "add(a,mul(b,3.0))");
  CHECK(lowered("add", {self, tensor("other", "b"), real("alpha", 1)}) == "add(a,b)");
  CHECK(lowered("rsub", {self, real("other", 2)}) == "sub(2.0,a)");
  CHECK(lowered("div", {self, tensor("other", "a")}) == "div(a,a)");
  CHECK(lowered("div", {self, tensor("other", "b"), text("rounding_mode", "trunc")}) == "trunc(div(a,b))");
}

TEST_CASE("Powers that are simpler are written so") {
  auto power = [](double x) { return lowered("pow", {self, real("exponent", x)}); };
  CHECK(power(2) == "mul(a,a)");
  CHECK(power(0.5) == "sqrt(a)");
  CHECK(power(-1) == "div(1.0,a)");
  CHECK(power(1.5) == "pow(a,1.5)");
  CHECK(lowered("pow", {real("self", 2), tensor("exponent", "a")}) == "pow(2.0,a)");
  CHECK(lowered("pow", {self, tensor("exponent", "b")}) == "pow(a,b)");
}

TEST_CASE("Clamp takes either bound or both") {
  CHECK(lowered("clamp", {self, real("min", 0)}) == "max(a,0.0)");
  CHECK(lowered("clamp", {self, {"min", messages::none_argument{}}, real("max", 1)}) == "min(a,1.0)");
  CHECK(lowered("clamp", {self, real("min", 0), tensor("max", "b")}) == "min(max(a,0.0),b)");
  CHECK(lowered("hardtanh", {self}) == "min(max(a,-1.0),1.0)");
}

TEST_CASE("Activations are composed of few operators") {
  CHECK(lowered("relu", {self}) == "max(a,0.0)");
  CHECK(lowered("leaky_relu", {self}) == "where(gt(a,0.0),a,mul(a,0.01))");
  CHECK(lowered("silu", {self}) == "div(a,add(1.0,exp(neg(a))))");
  CHECK(lowered("elu", {self}) == "where(gt(a,0.0),a,mul(expm1(a),1.0))");
  CHECK(lowered("softplus", {self}) == "where(gt(a,20.0),a,log1p(exp(a)))");
  CHECK(lowered("softplus", {self, real("beta", 2)}) == "where(gt(mul(a,2.0),20.0),a,div(log1p(exp(mul(a,2.0))),2.0))");
  CHECK(says(lowered("gelu", {self}), "erf("));
  CHECK(says(lowered("gelu", {self, text("approximate", "tanh")}), "tanh("));
}

TEST_CASE("Truths are written as numbers and numbers are read as truths") {
  CHECK(lowered("gt", {self, tensor("other", "b")}, dtype::boolean) == "number_of(gt(a,b))");
  CHECK(lowered("logical_not", {self}, dtype::boolean) == "number_of(logical_not(ne(a,0.0)))");
  CHECK(lowered("where", {tensor("condition", "c"), self, tensor("other", "b")}) == "where(ne(a,0.0),b,c)");
}

TEST_CASE("What the table does not know is refused with the node's name") {
  CHECK(says(lowered("cumsum", {self}), "node y (aten.cumsum) is not pointwise"));
  CHECK(says(lowered("relu", {self, real("leak", 1)}), "has the argument leak, which is not understood"));
  CHECK(says(lowered("div", {self, tensor("other", "b"), text("rounding_mode", "floor")}), "rounds its quotient down"));
  CHECK(says(lowered("add", {self}), "has no argument other"));
  CHECK(says(lowered("add", {self, text("other", "b")}), "has no number or tensor as other"));
  CHECK(says(lowered("softplus", {self, tensor("beta", "b")}), "has no number as beta"));
  CHECK(says(lowered("round", {self, {"decimals", messages::integer_argument{2}}}), "decimals"));
}

TEST_CASE("Arithmetic in integers is refused, as are comparisons of large ones") {
  CHECK(says(lowered("add", {self, tensor("other", "b")}, dtype::int64), "is arithmetic in integers"));
  auto graph = graph_of(node("y", "eq", {self, tensor("other", "b")}, {4}, dtype::boolean));
  graph.values[0].spec.dtype = graph.values[1].spec.dtype = dtype::int64;
  CHECK(says(made_of(graph).error().detail, "compares integers"));
  graph.nodes[0].arguments[1] = {"other", messages::integer_argument{0}};
  CHECK(!!made_of(graph));
  graph.nodes[0].arguments[1] = {"other", messages::integer_argument{(1 << 24) + 1}};
  CHECK(!made_of(graph));
}

TEST_CASE("A conversion rounds only where the type is narrower") {
  auto cast = [](dtype from, dtype to) {
    auto graph = graph_of(node("y", "_to_copy", {self, text("dtype", "any")}, {4}, to));
    graph.values[0].spec.dtype = from;
    auto made = made_of(graph);
    REQUIRE(made);
    return nested(made->expression, made->expression.results.front());
  };
  CHECK(cast(dtype::float32, dtype::float16) == "to_float16(a)");
  CHECK(cast(dtype::float16, dtype::bfloat16) == "to_bfloat16(a)");
  CHECK(cast(dtype::float16, dtype::float32) == "a");
  CHECK(cast(dtype::float64, dtype::float32) == "to_float32(a)");
  CHECK(cast(dtype::float32, dtype::float64) == "a");
  CHECK(cast(dtype::float32, dtype::boolean) == "number_of(ne(a,0.0))");
}

TEST_CASE("A chain becomes one expression whose operands know how they repeat") {
  auto graph = chain();
  auto made = made_of(graph);
  REQUIRE(made);
  CHECK(nested(made->expression, made->expression.results.front()) == "max(add(mul(a,b),1.0),0.0)");
  CHECK(made->shape == dsl::shape{2, 3, 4});
  REQUIRE(made->operands.size() == 2);
  CHECK(made->operands[0].value == "x");
  CHECK(made->operands[0].strides == dsl::shape{12, 4, 1});
  CHECK(made->operands[1].value == "scale");
  CHECK(made->operands[1].strides == dsl::shape{0, 1, 0});
  REQUIRE(made->results.size() == 1);
  CHECK(made->results[0].node == "relu");
  CHECK(made->compute == dtype::float32);
}

TEST_CASE("All elements are evaluated with their own operands") {
  auto graph = chain();
  auto made = made_of(graph);
  std::vector<std::vector<double>> memory{std::vector<double>(24), {1, -1, 2}};
  for (std::size_t i = 0; i < 24; ++i) memory[0][i] = static_cast<double>(i) - 6;
  auto values = dsl::evaluate(*made, memory).front();
  for (std::size_t i = 0; i < 24; ++i) CHECK(values[i] == std::max(memory[0][i] * memory[1][i / 4 % 3] + 1, 0.0));
}

TEST_CASE("A part of a chain reads what is made before and writes what is used after") {
  auto graph = chain();
  graph.nodes.push_back(node("square", "square", {tensor("self", "add")}, {2, 3, 4}));
  graph.outputs.push_back("square");
  dsl::graph_index index{graph};
  auto made = dsl::make_expression(index, std::vector<std::string>{"square", "add"});
  REQUIRE(made);
  CHECK(made->operands.size() == 1);
  CHECK(made->operands[0].value == "mul");
  REQUIRE(made->results.size() == 2);
  CHECK(made->results[0].node == "add");
  CHECK(made->results[1].node == "square");
}

TEST_CASE("A group that reads what depends on itself is refused") {
  auto graph = chain();
  dsl::graph_index index{graph};
  auto made = dsl::make_expression(index, std::vector<std::string>{"mul", "relu"});
  REQUIRE(!made);
  CHECK(says(made.error().detail, "reads add, which depends on the group itself"));
}

TEST_CASE("Results of different shapes can't come of one expression") {
  auto graph = chain();
  graph.nodes.insert(graph.nodes.begin(), node("twice", "mul", {tensor("self", "scale"), real("other", 2)}, {3, 1}));
  graph.nodes[1].arguments[1] = tensor("other", "twice");
  auto made = made_of(graph);
  REQUIRE(made);
  CHECK(made->operands[1].strides == dsl::shape{0, 1, 0});
  graph.outputs.push_back("twice");
  auto refused = made_of(graph);
  REQUIRE(!refused);
  CHECK(says(refused.error().detail, "has another shape than twice"));
}

TEST_CASE("An operand that does not fit the node's shape is refused") {
  auto graph = chain();
  graph.values[1].spec = spec({2, 1});
  CHECK(says(made_of(graph).error().detail, "scale does not broadcast"));
}

TEST_CASE("A name that is no node or comes twice is refused") {
  auto graph = chain();
  dsl::graph_index index{graph};
  CHECK(says(dsl::make_expression(index, std::vector<std::string>{"x"}).error().detail, "there is no node \"x\""));
  CHECK(says(dsl::make_expression(index, std::vector<std::string>{"mul", "mul"}).error().detail, "is named twice"));
  CHECK(!dsl::make_expression(index, {}));
}

TEST_CASE("A constant of rank 0 is a literal and a tensor whose values do not count is no operand") {
  auto graph = chain();
  graph.values[1] = {.name = "scale", .origin = messages::value_origin::constant, .number = 0.5};
  auto made = made_of(graph);
  REQUIRE(made);
  CHECK(nested(made->expression, made->expression.results.front()) == "max(add(mul(a,0.5),1.0),0.0)");
  CHECK(lowered("zeros_like", {self}) == "0.0");
  auto none = made_of(graph_of(node("y", "zeros_like", {self}, {4})));
  CHECK(none->operands.empty());
}

TEST_CASE("One double among the tensors makes the computation double") {
  auto graph = chain();
  graph.values[1].spec.dtype = dtype::float64;
  for (auto& node : graph.nodes) node.output.dtype = dtype::float64;
  CHECK(made_of(graph)->compute == dtype::float64);
}

TEST_CASE("Pointwise is what can be written as an expression alone") {
  auto graph = chain();
  graph.nodes.push_back(node("sum", "sum", {tensor("self", "relu")}, {}));
  graph.nodes.push_back(node("unknown", "relu", {tensor("self", "relu"), real("leak", 1)}, {2, 3, 4}));
  dsl::graph_index index{graph};
  CHECK(dsl::is_pointwise(index, graph.nodes[0]));
  CHECK(!dsl::is_pointwise(index, graph.nodes[3]));
  CHECK(!dsl::is_pointwise(index, graph.nodes[4]));
}

}  // namespace lowering_test
