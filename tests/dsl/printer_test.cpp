#include "dsl/printer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "dsl/expression_builder.hpp"

namespace printer_test {

namespace {

/// A toy language: every temporary has a type, every operator is a call.
class toy_printer : public dsl::printer {
public:
  std::string number(double x) const override { return dsl::exact_decimal(x); }
  std::string operand(std::uint32_t index) const override { return "in" + std::to_string(index) + "[i]"; }
  std::string apply(dsl::operation op, std::span<const std::string> arguments) const override {
    std::string text{enum_names(op)[static_cast<std::size_t>(op)]};
    for (std::size_t i = 0; i < arguments.size(); ++i) text += (i ? ", " : "(") + arguments[i];
    return text + ')';
  }
  std::string define(dsl::kind type, std::string_view name, std::string_view text) const override {
    return (type == dsl::kind::truth ? "truth " : "real ") + std::string{name} + " = " + std::string{text} + ';';
  }
};

}  // namespace

TEST_CASE("Each operator gets a name, each literal stands where it is used") {
  dsl::expression_builder builder;
  auto x = builder.operand(0);
  auto made = std::move(builder).take({where(x > 0, x * 2, x), x});
  auto text = dsl::print(made, toy_printer{}, {.prefix = "v", .indent = "  "});
  CHECK(text.lines
        == "  real v0 = in0[i];\n"
           "  truth v1 = gt(v0, 0.0);\n"
           "  real v2 = mul(v0, 2.0);\n"
           "  real v3 = where(v1, v2, v0);\n");
  CHECK(text.results == std::vector<std::string>{"v3", "v0"});
}

TEST_CASE("What no result needs is not printed") {
  messages::expression x{.nodes = {{.operand = 0}, {.operand = 1}, {.op = "neg", .arguments = {1}}}, .results = {0}};
  auto text = dsl::print(x, toy_printer{});
  CHECK(text.lines == "real t0 = in0[i];\n");
}

TEST_CASE("A result that is a literal is its text") {
  messages::expression x{.nodes = {{.number = 0.5}}, .results = {0, 0}};
  auto text = dsl::print(x, toy_printer{});
  CHECK(text.lines.empty());
  CHECK(text.results == std::vector<std::string>{"0.5", "0.5"});
}

TEST_CASE("Literals read back as the same number") {
  for (double x : {0.0, -0.0, 1.0, -3.0, 0.1, 1e22, 1e-7, 5e-324, 1.7976931348623157e308, 1.6732632423543772}) {
    CHECK(std::strtod(dsl::exact_decimal(x).c_str(), nullptr) == x);
    CHECK(std::strtod(dsl::exact_hexadecimal(x).c_str(), nullptr) == x);
    CHECK(std::signbit(std::strtod(dsl::exact_hexadecimal(x).c_str(), nullptr)) == std::signbit(x));
    CHECK(dsl::exact_decimal(x).find_first_of(".e") != std::string::npos);
  }
  CHECK(dsl::exact_decimal(3) == "3.0");
  CHECK(dsl::exact_decimal(1e22) == "1e+22");
  CHECK(dsl::exact_hexadecimal(3) == "0x1.8p+1");
  CHECK(dsl::exact_hexadecimal(-0.0) == "-0x0p+0");
}

}  // namespace printer_test
