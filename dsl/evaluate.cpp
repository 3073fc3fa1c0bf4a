// The meaning of an expression, in double.

#include <cmath>
#include <limits>

#include "dsl/expression.hpp"

namespace dsl {

namespace {

/// A binary format below double: bits behind the point, exponent of the smallest normal number, largest number.
struct format {
  int fraction;
  int exponent;
  double largest;
};
constexpr format half{10, -14, 65504.0};
constexpr format brain{7, -126, 0x1.fep127};

/// To the nearest, ties to even, as the default rounding mode of nearbyint is.
double round_to(const format& to, double x) {
  if (!std::isfinite(x) || x == 0) return x;
  double step = std::ldexp(1.0, std::max(std::ilogb(x), to.exponent) - to.fraction);
  double rounded = std::nearbyint(x / step) * step;
  return std::abs(rounded) > to.largest ? std::copysign(std::numeric_limits<double>::infinity(), x) : rounded;
}

double least(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : b < a ? b : a; }
double greatest(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : b > a ? b : a; }

double apply(operation op, double a) {
  switch (op) {
    case operation::neg: return -a;
    case operation::abs: return std::abs(a);
    case operation::sqrt: return std::sqrt(a);
    case operation::exp: return std::exp(a);
    case operation::expm1: return std::expm1(a);
    case operation::log: return std::log(a);
    case operation::log1p: return std::log1p(a);
    case operation::tanh: return std::tanh(a);
    case operation::erf: return std::erf(a);
    case operation::sin: return std::sin(a);
    case operation::cos: return std::cos(a);
    case operation::floor: return std::floor(a);
    case operation::ceil: return std::ceil(a);
    case operation::round: return std::nearbyint(a);
    case operation::trunc: return std::trunc(a);
    case operation::logical_not: return a == 0;
    case operation::number_of: return a;
    case operation::to_float16: return round_to(half, a);
    case operation::to_bfloat16: return round_to(brain, a);
    case operation::to_float32: return static_cast<float>(a);
    default: return std::numeric_limits<double>::quiet_NaN();  // no unary one; a checked expression does not come here
  }
}

double apply(operation op, double a, double b) {
  switch (op) {
    case operation::add: return a + b;
    case operation::sub: return a - b;
    case operation::mul: return a * b;
    case operation::div: return a / b;
    case operation::min: return least(a, b);
    case operation::max: return greatest(a, b);
    case operation::pow: return std::pow(a, b);
    case operation::gt: return a > b;
    case operation::lt: return a < b;
    case operation::ge: return a >= b;
    case operation::le: return a <= b;
    case operation::eq: return a == b;
    case operation::ne: return a != b;
    case operation::logical_and: return a != 0 && b != 0;
    case operation::logical_or: return a != 0 || b != 0;
    default: return std::numeric_limits<double>::quiet_NaN();  // no binary one; as above
  }
}

double value_of(const messages::expression_node& node, const std::vector<double>& before,
                std::span<const double> operands) {
  if (node.number) return *node.number;
  if (node.operand) return operands[*node.operand];
  auto argument = [&](std::size_t i) { return before[node.arguments[i]]; };
  auto op = operation_of(node);
  switch (node.arguments.size()) {
    case 1: return apply(op, argument(0));
    case 2: return apply(op, argument(0), argument(1));
    default: return argument(0) != 0 ? argument(1) : argument(2);  // where is the only one of three
  }
}

/// The next index row by row; false after the last.
bool advance(shape& index, const shape& size) {
  for (auto i = size.size(); i-- > 0;) {
    if (++index[i] < size[i]) return true;
    index[i] = 0;
  }
  return false;
}

std::size_t offset(const shape& index, const std::vector<std::int64_t>& strides) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * strides[i];
  return static_cast<std::size_t>(at);
}

}  // namespace

std::vector<double> evaluate(const messages::expression& x, std::span<const double> operands) {
  std::vector<double> values;
  values.reserve(x.nodes.size());
  for (const auto& node : x.nodes) values.push_back(value_of(node, values, operands));
  std::vector<double> results;
  for (auto i : x.results) results.push_back(values[i]);
  return results;
}

std::vector<std::vector<double>> evaluate(const pointwise& x, std::span<const std::vector<double>> memory) {
  std::vector<std::vector<double>> results(x.results.size());
  if (elements(x.shape) == 0) return results;
  shape index(x.shape.size(), 0);
  std::vector<double> operands(x.operands.size());
  do {
    for (std::size_t i = 0; i < operands.size(); ++i) operands[i] = memory[i][offset(index, x.operands[i].strides)];
    auto values = evaluate(x.expression, operands);
    for (std::size_t i = 0; i < values.size(); ++i) results[i].push_back(values[i]);
  } while (advance(index, x.shape));
  return results;
}

}  // namespace dsl
