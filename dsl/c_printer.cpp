#include "dsl/c_printer.hpp"

#include <array>
#include <cmath>

namespace dsl {

namespace {

/// Of the texts that `number` gives; NaN and infinities do not count.
bool is_finite_literal(std::string_view text) {
  if (text.starts_with("(-")) text.remove_prefix(2);
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

std::string_view exact_function(operation op) {
  switch (op) {
    case operation::abs: return "abs";
    case operation::min: return "minimum";
    case operation::max: return "maximum";
    case operation::sqrt: return "sqrt";
    case operation::floor: return "floor";
    case operation::ceil: return "ceil";
    case operation::round: return "round";
    case operation::trunc: return "trunc";
    default: return {};
  }
}

}  // namespace

c_printer::c_printer(messages::dtype compute, math functions, std::vector<std::string> operands)
    : wide_(compute == messages::dtype::float64),
      integer_(compute == messages::dtype::int64),
      functions_(functions),
      operands_(std::move(operands)) {}

std::string c_printer::type() const { return integer_ ? "int64_t" : wide_ ? "double" : "float"; }

std::string c_printer::number(double x) const {
  if (integer_) return cast(std::to_string(static_cast<std::int64_t>(x)));
  double rounded = wide_ ? x : static_cast<double>(static_cast<float>(x));
  std::string type = wide_ ? "<double>" : "<float>";
  if (std::isnan(rounded)) return "km::not_a_number" + type;
  if (std::isinf(rounded)) return rounded > 0 ? "km::infinity" + type : "(-km::infinity" + type + ')';
  auto text = wide_ ? exact_decimal(rounded) : short_decimal(static_cast<float>(rounded)) + 'f';
  return text.front() == '-' ? '(' + text + ')' : text;
}

std::string c_printer::operand(std::uint32_t index) const { return cast(operands_[index]); }

std::string c_printer::cast(std::string_view text) const {
  return "static_cast<" + type() + ">(" + std::string{text} + ')';
}

std::string c_printer::call(std::string_view function, std::span<const std::string> arguments) const {
  auto text = "km::" + std::string{function} + '(';
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "" : ", ") + arguments[i];
  return text + ')';
}

/// Whole exponents that a product or quotient gives within an ulp.
std::string c_printer::power(std::span<const std::string> arguments) const {
  const auto& x = arguments[0];
  if (arguments[1] == number(2)) return infix(x, "*", x);
  if (arguments[1] == number(3)) return infix(infix(x, "*", x), "*", x);
  if (arguments[1] == number(-1)) return infix(number(1), "/", x);
  return {};
}

std::string c_printer::apply(operation op, std::span<const std::string> arguments) const {
  if (op == operation::div) return infix(arguments[0], "/", arguments[1]);
  if (auto sign = sign_of(op); !sign.empty()) return infix(arguments[0], sign, arguments[1]);
  if (op == operation::max && is_finite_literal(arguments[1])) return call("at_least", arguments);
  if (op == operation::min && is_finite_literal(arguments[1])) return call("at_most", arguments);
  if (auto function = exact_function(op); !function.empty()) return call(function, arguments);
  if (op == operation::pow) {
    if (auto product = power(arguments); !product.empty()) return product;
  }
  if (auto function = function_of(op); !function.empty()) {
    return call(functions_ == math::vector ? std::string{function} : "plain::" + std::string{function}, arguments);
  }
  const auto& x = arguments[0];
  switch (op) {
    case operation::neg: return "(-" + x + ')';
    case operation::logical_not: return "(!" + x + ')';
    case operation::where: return '(' + x + " ? " + arguments[1] + " : " + arguments[2] + ')';
    case operation::number_of: return '(' + x + " ? " + number(1) + " : " + number(0) + ')';
    case operation::to_float16: return cast("km::load(km::storing<km::float16>::of(" + x + "))");
    case operation::to_bfloat16: return cast("km::load(km::storing<km::bfloat16>::of(" + x + "))");
    default: return cast("static_cast<float>(" + x + ')');  // to_float32
  }
}

std::string c_printer::define(kind type, std::string_view name, std::string_view text) const {
  std::string what = type == kind::truth ? "bool" : this->type();
  return "const " + what + ' ' + std::string{name} + " = " + std::string{bare(text)} + ';';
}

std::string_view type_of(messages::dtype x) {
  static constexpr std::array<std::string_view, 12> types{"float",
                                                          "km::float16",
                                                          "km::bfloat16",
                                                          "double",
                                                          "int64_t",
                                                          "int32_t",
                                                          "int16_t",
                                                          "int8_t",
                                                          "uint8_t",
                                                          "uint8_t",
                                                          "std::complex<float>",
                                                          "std::complex<double>"};
  return types[static_cast<std::size_t>(x)];
}

}  // namespace dsl
