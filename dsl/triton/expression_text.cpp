#include "dsl/triton/expression_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dsl/triton/index_text.hpp"

namespace dsl::triton {

namespace {

using messages::dtype;

/// Functions of CUDA's library: within 2 ulp, and right at every edge.
std::string_view library_function(operation op) {
  if (op == operation::round) return "rint";
  if (op == operation::trunc) return "trunc";
  return function_of(op);
}

}  // namespace

std::string compute_type(dtype compute) {
  return compute == dtype::int64 ? "tl.int64" : compute == dtype::float64 ? "tl.float64" : "tl.float32";
}

bool is_literal(const std::string& text) {
  return !text.empty()
         && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9') || text.starts_with("float("));
}

std::string as_block(const std::string& text, dtype compute) {
  return is_literal(text) ? "tl.full([], " + text + ", " + compute_type(compute) + ')' : text;
}

std::string stored(const std::string& value, dtype compute, dtype memory) {
  bool same = type_of(memory) == compute_type(compute);
  return same ? value : as_block(value, compute) + ".to(" + type_of(memory) + ')';
}

std::string loaded(const std::string& value, dtype memory, dtype compute) {
  bool same = type_of(memory) == compute_type(compute);
  return same ? value : value + ".to(" + compute_type(compute) + ')';
}

triton_printer::triton_printer(dtype compute, std::vector<std::string> operands)
    : compute_(compute), operands_(std::move(operands)) {}

/// As Python writes it; shorter where that reads back as the same float.
std::string triton_printer::bare_number(double x) const {
  if (compute_ == dtype::int64) return std::to_string(static_cast<std::int64_t>(x));
  double rounded = compute_ == dtype::float64 ? x : static_cast<double>(static_cast<float>(x));
  if (std::isnan(rounded)) return "float(\"nan\")";
  if (std::isinf(rounded)) return rounded > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  auto shorter = compute_ == dtype::float32 ? short_decimal(static_cast<float>(rounded)) : std::string{};
  bool same = !shorter.empty() && static_cast<float>(std::strtod(shorter.c_str(), nullptr)) == static_cast<float>(x);
  return same ? shorter : exact_decimal(rounded);
}

std::string triton_printer::number(double x) const { return bare_number(x); }

/// Python computes with plain numbers in its own way, and Triton takes them for float32.
std::vector<std::string> triton_printer::in_blocks(operation op, std::span<const std::string> arguments) const {
  std::vector<std::string> all{arguments.begin(), arguments.end()};
  auto first_number = all.begin() + (op == operation::where ? 1 : 0);
  bool exact = compute_ == dtype::float32 || (compute_ == dtype::int64 && !sign_of(op).empty());
  if (exact && !std::all_of(first_number, all.end(), is_literal)) return all;
  for (auto& x : all) x = as_block(x, compute_);
  return all;
}

std::string triton_printer::operand(std::uint32_t index) const { return operands_[index]; }

std::string triton_printer::define(kind, std::string_view name, std::string_view text) const {
  return std::string{name} + " = " + std::string{bare(text)};
}

std::string triton_printer::call(std::string_view function, std::span<const std::string> arguments) const {
  auto text = std::string{function} + '(';
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "" : ", ") + std::string{bare(arguments[i])};
  return text + ')';
}

std::string triton_printer::cast(const std::string& x, std::string_view type) const {
  return x + ".to(" + std::string{type} + ')';
}

/// Whole exponents that a product or quotient gives within an ulp.
std::string triton_printer::power(std::span<const std::string> arguments) const {
  const auto& x = arguments[0];
  auto is = [&](double y) { return arguments[1] == number(y) || arguments[1] == as_block(number(y), compute_); };
  if (is(2)) return infix(x, "*", x);
  if (is(3)) return infix(infix(x, "*", x), "*", x);
  if (is(-1)) return apply(operation::div, std::vector{number(1), x});
  return call("libdevice.pow", arguments);
}

std::string triton_printer::apply(operation op, std::span<const std::string> given) const {
  auto arguments = in_blocks(op, given);
  if (auto sign = sign_of(op); !sign.empty()) return infix(arguments[0], sign, arguments[1]);
  if (op == operation::pow) return power(arguments);
  if (auto function = library_function(op); !function.empty())
    return call("libdevice." + std::string{function}, arguments);
  const auto& x = arguments[0];
  bool single = compute_ == dtype::float32;
  auto type = compute_type(compute_);
  switch (op) {
    case operation::div: return single ? call("tl.div_rn", arguments) : infix(x, "/", arguments[1]);
    case operation::neg:  // 0 - x would lose the sign of a zero
      return compute_ == dtype::int64 ? "(-" + x + ')' : infix(x, "*", number(-1));
    case operation::abs: return call("tl.abs", arguments);
    case operation::min: return call("km_minimum", arguments);
    case operation::max: return call("km_maximum", arguments);
    case operation::sqrt: return call(single ? "tl.sqrt_rn" : "tl.sqrt", arguments);
    case operation::floor: return call("tl.floor", arguments);
    case operation::ceil: return call("tl.ceil", arguments);
    case operation::logical_not: return infix(x, "==", "0");
    case operation::where: return call("tl.where", arguments);
    case operation::number_of: return cast(x, type);
    case operation::to_float16: return cast(cast(x, "tl.float16"), type);
    case operation::to_bfloat16: return cast(cast(x, "tl.bfloat16"), type);
    default: return single ? x : cast(cast(x, "tl.float32"), type);  // to_float32
  }
}

}  // namespace dsl::triton
