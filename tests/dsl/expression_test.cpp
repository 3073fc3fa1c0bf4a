#include "dsl/expression.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "dsl/expression_builder.hpp"

namespace expression_test {

namespace {

using dsl::operation;
using messages::expression;
using messages::expression_node;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

expression_node op(std::string name, std::vector<std::uint32_t> arguments) {
  return {.op = std::move(name), .arguments = std::move(arguments)};
}
expression_node operand(std::uint32_t i) { return {.operand = i}; }
expression_node number(double x) { return {.number = x}; }

std::string refused(const expression& x, std::size_t operands = 2) {
  auto ok = dsl::check(x, operands);
  return ok ? std::string{} : ok.error().detail;
}

double unary(operation what, double a) {
  dsl::expression_builder builder;
  auto x = dsl::apply(what, builder.operand(0));
  return dsl::evaluate(std::move(builder).take({x}), std::array{a}).front();
}

double binary(operation what, double a, double b) {
  dsl::expression_builder builder;
  auto x = dsl::as_number(dsl::apply(what, builder.operand(0), builder.operand(1)));
  return dsl::evaluate(std::move(builder).take({x}), std::array{a, b}).front();
}

bool is_negative_zero(double x) { return x == 0 && std::signbit(x); }

}  // namespace

TEST_CASE("An expression whose nodes fit together is accepted") {
  CHECK(refused({.nodes = {operand(0), operand(1), op("add", {0, 1})}, .results = {2}}).empty());
  CHECK(refused({.nodes = {operand(0), op("gt", {0, 0}), op("where", {1, 0, 0})}, .results = {2, 0}}).empty());
}

TEST_CASE("An expression of another version is unreadable") {
  auto ok = dsl::check(expression{.version = 2}, 0);
  REQUIRE(!ok);
  CHECK(ok.error().code == messages::failure_code::unreadable);
}

TEST_CASE("What does not fit together is refused with the node's place") {
  auto contains = [](const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; };
  CHECK(contains(refused({.nodes = {operand(0), op("neg", {1})}, .results = {1}}), "node 1 uses node 1"));
  CHECK(contains(refused({.nodes = {op("fly", {})}, .results = {0}}), "unknown operator \"fly\""));
  CHECK(contains(refused({.nodes = {operand(0), op("add", {0})}, .results = {1}}), "takes 2 arguments, not 1"));
  CHECK(contains(refused({.nodes = {operand(2)}, .results = {0}}), "reads operand 2 of 2"));
  CHECK(contains(refused({.nodes = {expression_node{}}, .results = {0}}), "exactly one"));
  CHECK(contains(refused({.nodes = {{.operand = 0, .number = 1.0}}, .results = {0}}), "exactly one"));
  CHECK(contains(refused({.nodes = {operand(0), {.arguments = {0}, .number = 1.0}}, .results = {1}}), "a leaf"));
  CHECK(contains(refused({.nodes = {operand(0)}, .results = {1}}), "no such node"));
  CHECK(contains(refused({.nodes = {operand(0)}}), "no result"));
}

TEST_CASE("Truths and numbers are told apart") {
  expression choice{.nodes = {operand(0), op("where", {0, 0, 0})}, .results = {1}};
  CHECK(refused(choice).find("needs a truth as argument 0") != std::string::npos);
  expression sum{.nodes = {operand(0), op("gt", {0, 0}), op("add", {0, 1})}, .results = {2}};
  CHECK(refused(sum).find("needs a number as argument 1") != std::string::npos);
  expression truth{.nodes = {operand(0), op("gt", {0, 0})}, .results = {1}};
  CHECK(refused(truth).find("a truth and no number") != std::string::npos);
  CHECK(dsl::kinds_of(sum) == std::vector{dsl::kind::number, dsl::kind::truth, dsl::kind::number});
}

TEST_CASE("Each operator has as many arguments as evaluate takes") {
  constexpr auto names = enum_names(operation{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto count = dsl::signature_of(static_cast<operation>(i)).arguments.size();
    CHECK_MESSAGE((count == 3) == (names[i] == "where"), names[i]);
    CHECK(count > 0);
  }
}

TEST_CASE("Minimum and maximum hand a NaN on from either side") {
  for (auto what : {operation::min, operation::max}) {
    CHECK(std::isnan(binary(what, not_a_number, 1)));
    CHECK(std::isnan(binary(what, 1, not_a_number)));
    CHECK(std::isnan(binary(what, infinity, not_a_number)));
  }
  CHECK(binary(operation::min, -infinity, 1) == -infinity);
  CHECK(binary(operation::max, 2, 1) == 2);
}

TEST_CASE("Comparisons with NaN are false, but for ne") {
  for (auto what : {operation::gt, operation::lt, operation::ge, operation::le, operation::eq}) {
    CHECK(binary(what, not_a_number, not_a_number) == 0);
  }
  CHECK(binary(operation::ne, not_a_number, not_a_number) == 1);
  CHECK(binary(operation::eq, 0.0, -0.0) == 1);
}

TEST_CASE("The sign of zero is kept") {
  CHECK(is_negative_zero(unary(operation::neg, 0.0)));
  CHECK(is_negative_zero(unary(operation::sqrt, -0.0)));
  CHECK(is_negative_zero(unary(operation::round, -0.4)));
  CHECK(!std::signbit(unary(operation::abs, -0.0)));
  CHECK(is_negative_zero(unary(operation::expm1, -0.0)));
}

TEST_CASE("Halves are rounded to even") {
  CHECK(unary(operation::round, 0.5) == 0);
  CHECK(unary(operation::round, 1.5) == 2);
  CHECK(unary(operation::round, -2.5) == -2);
}

TEST_CASE("A conversion to a narrower type rounds to nearest, ties to even") {
  CHECK(unary(operation::to_float16, 2049) == 2048);
  CHECK(unary(operation::to_float16, 2051) == 2052);
  CHECK(unary(operation::to_float16, 65519) == 65504);
  CHECK(unary(operation::to_float16, 65520) == infinity);
  CHECK(unary(operation::to_float16, -1e9) == -infinity);
  CHECK(unary(operation::to_float16, 0x1p-24) == 0x1p-24);
  CHECK(unary(operation::to_float16, 0x1p-25) == 0);
  CHECK(unary(operation::to_float16, 0x1.8p-25) == 0x1p-24);
  CHECK(unary(operation::to_bfloat16, 257) == 256);
  CHECK(unary(operation::to_bfloat16, 259) == 260);
  CHECK(unary(operation::to_float32, 16777217) == 16777216);
  CHECK(std::isnan(unary(operation::to_float16, not_a_number)));
  CHECK(unary(operation::to_bfloat16, infinity) == infinity);
}

TEST_CASE("Equal parts are one node and what no result needs is left out") {
  dsl::expression_builder builder;
  auto x = builder.operand(0);
  auto unused = exp(builder.operand(1));
  auto y = (x + 1.0) * (x + 1.0);
  auto made = std::move(builder).take({y});
  CHECK(unused.node != y.node);
  CHECK(made.nodes == std::vector{operand(0), number(1), op("add", {0, 1}), op("mul", {2, 2})});
  CHECK(made.results == std::vector<std::uint32_t>{3});
}

TEST_CASE("Zero and minus zero are two numbers, NaN is one") {
  dsl::expression_builder builder;
  CHECK(builder.number(0.0).node != builder.number(-0.0).node);
  CHECK(builder.number(not_a_number).node == builder.number(not_a_number).node);
}

TEST_CASE("A long chain is evaluated without recursion") {
  dsl::expression_builder builder;
  auto x = builder.operand(0);
  for (int i = 0; i < 200000; ++i) x = x + 1.0;
  auto made = std::move(builder).take({x});
  CHECK(made.nodes.size() == 200002);
  CHECK(!!dsl::check(made, 1));
  CHECK(dsl::evaluate(made, std::array{0.5}).front() == 200000.5);
}

}  // namespace expression_test
