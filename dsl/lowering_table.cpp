// Every pointwise ATen operator as arithmetic. The formulas are those of PyTorch's own kernels, so that NaN, infinities
// and zeros come out alike; tests/dsl/test_expression_meaning.py compares each line with PyTorch.

#include <cmath>
#include <limits>
#include <numbers>

#include "dsl/lowering.hpp"

namespace dsl {

namespace {

using messages::dtype;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// -- pieces -----------------------------------------------------------------------------------------------------------

term scaled(const term& x, double factor) { return factor == 1 ? x : x * factor; }

term clamp(const term& x, double low, double high) { return min(max(x, low), high); }

term sigmoid(const term& x) { return 1.0 / (1.0 + exp(-x)); }

term elu(const term& x, double alpha, double scale, double input_scale) {
  return where(x > 0, scaled(x, scale), expm1(scaled(x, input_scale)) * (alpha * scale));
}

term gelu(lowering_call& c) {
  auto x = c.number();
  if (c.text("approximate", "none") == "none") return x * 0.5 * (1.0 + erf(x * (1 / std::numbers::sqrt2)));
  auto inner = (x + x * x * x * 0.044715) * (std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  return x * 0.5 * (1.0 + tanh(inner));
}

term softplus(lowering_call& c) {
  auto x = c.number();
  auto beta = c.real("beta", 1);
  auto steep = scaled(x, beta);
  auto soft = log1p(exp(steep));
  return where(steep > c.real("threshold", 20), x, beta == 1 ? soft : soft / beta);
}

term power(const term& x, double exponent) {
  if (exponent == 0.5) return sqrt(x);
  if (exponent == 1) return x;
  if (exponent == 2) return x * x;
  if (exponent == 3) return x * x * x;
  if (exponent == -0.5) return 1.0 / sqrt(x);
  if (exponent == -1) return 1.0 / x;
  if (exponent == -2) return 1.0 / (x * x);
  return pow(x, exponent);
}

term pow_scalar(lowering_call& c) { return power(c.number(), c.real("exponent", nan)); }

term divide(lowering_call& c) {
  auto quotient = c.number() / c.number("other");
  if (!c.has("rounding_mode")) return quotient;
  return c.text("rounding_mode", "") == "trunc" ? trunc(quotient) : c.refuse("rounds its quotient down");
}

/// Bounds are tensors, numbers or left out.
term clamp_call(lowering_call& c) {
  auto x = c.number();
  if (c.has("min")) x = max(x, c.number("min"));
  if (c.has("max")) x = min(x, c.number("max"));
  return x;
}

term xlogy(lowering_call& c) {
  auto x = c.number();
  auto y = c.number("other");
  return where(y != y, nan, where(x == 0, 0, x * log(y)));
}

term lerp(lowering_call& c) {
  auto from = c.number();
  auto to = c.number("end");
  auto weight = c.number("weight");
  auto step = to - from;
  return where(abs(weight) < 0.5, from + weight * step, to - step * (1.0 - weight));
}

// -- types ------------------------------------------------------------------------------------------------------------

bool is_wide_integer(std::optional<dtype> x) { return x == dtype::int64 || x == dtype::int32; }

bool is_exact_in(dtype to, dtype from) {
  if (to == from || from == dtype::boolean) return true;
  bool byte = from == dtype::int8 || from == dtype::uint8;
  if (to == dtype::float16 || to == dtype::bfloat16) return byte && to == dtype::float16;
  if (to == dtype::float32) return from != dtype::float64 && !is_wide_integer(from);
  return true;
}

/// To the node's own type, from that of the argument.
term converted(lowering_call& c, std::string_view argument) {
  auto x = c.number(argument);
  auto to = c.output_type();
  auto from = c.type(argument);
  if (!from || is_exact_in(to, *from)) return x;
  if (to == dtype::boolean) return as_truth(x);
  if (to == dtype::float16) return apply(operation::to_float16, x);
  if (to == dtype::bfloat16) return apply(operation::to_bfloat16, x);
  return to == dtype::float32 ? apply(operation::to_float32, x) : x;
}

/// Numbers are floating; wide integers must not be compared after a conversion that makes two of them equal.
lowering comparison(operation op) {
  return [op](lowering_call& c) {
    auto a = c.number();
    auto b = c.number("other");
    bool integers = is_wide_integer(c.type("self")) && (!c.type("other") || is_wide_integer(c.type("other")));
    bool small = !c.type("other") && std::abs(c.real("other", 0)) <= 0x1p24;
    return integers && !small ? c.refuse("compares integers") : apply(op, a, b);
  };
}

lowering unary(term (*function)(const term&)) {
  return [function](lowering_call& c) { return function(c.number()); };
}

lowering binary(term (*function)(const term&, const term&)) {
  return [function](lowering_call& c) { return function(c.number(), c.number("other")); };
}

lowering logical(term (*function)(const term&, const term&)) {
  return [function](lowering_call& c) { return function(c.truth(), c.truth("other")); };
}

lowering fill(double x) {
  return [x](lowering_call& c) {
    c.ignore("self");
    return c.literal(x);
  };
}

term filled(lowering_call& c, std::string_view argument) {
  c.ignore("self");
  return c.number(argument);
}

/// Bitwise operators are logical ones on truths and arithmetic in integers on anything else.
lowering on_truths(lowering inner) {
  return [inner = std::move(inner)](lowering_call& c) {
    return c.output_type() == dtype::boolean ? inner(c) : c.refuse("works on bits of integers");
  };
}

using call = lowering_call;
using table = std::map<std::string_view, lowering>;

// -- the table --------------------------------------------------------------------------------------------------------

const table arithmetic{
    {"aten.add", [](call& c) { return c.number() + scaled(c.number("other"), c.real("alpha", 1)); }},
    {"aten.sub", [](call& c) { return c.number() - scaled(c.number("other"), c.real("alpha", 1)); }},
    {"aten.rsub", [](call& c) { return c.number("other") - scaled(c.number(), c.real("alpha", 1)); }},
    {"aten.mul", [](call& c) { return c.number() * c.number("other"); }},
    {"aten.div", divide},
    {"aten.neg", unary([](const term& x) { return -x; })},
    {"aten.abs", unary(abs)},
    {"aten.minimum", binary(min)},
    {"aten.maximum", binary(max)},
    {"aten.clamp", clamp_call},
    {"aten.clamp_min", clamp_call},
    {"aten.clamp_max", clamp_call},
    {"aten.square", unary([](const term& x) { return x * x; })},
    {"aten.sqrt", unary(sqrt)},
    {"aten.rsqrt", unary([](const term& x) { return 1.0 / sqrt(x); })},
    {"aten.reciprocal", unary([](const term& x) { return 1.0 / x; })},
    {"aten.sign", unary([](const term& x) { return number_of(x > 0) - number_of(x < 0); })},
    {"aten.sgn", unary([](const term& x) { return number_of(x > 0) - number_of(x < 0); })},
    {"aten.floor", unary(floor)},
    {"aten.ceil", unary(ceil)},
    {"aten.trunc", unary(trunc)},
    {"aten.frac", unary([](const term& x) { return x - trunc(x); })},
    {"aten.round", unary(round)},
    {"aten.addcmul",
     [](call& c) { return c.number() + scaled(c.number("tensor1"), c.real("value", 1)) * c.number("tensor2"); }},
    {"aten.addcdiv",
     [](call& c) { return c.number() + scaled(c.number("tensor1"), c.real("value", 1)) / c.number("tensor2"); }},
    {"aten.lerp", lerp},
};

const table functions{
    {"aten.exp", unary(exp)},
    {"aten.exp2", unary([](const term& x) { return pow(2.0, x); })},
    {"aten.expm1", unary(expm1)},
    {"aten.log", unary(log)},
    {"aten.log2", unary([](const term& x) { return log(x) * std::numbers::log2e; })},
    {"aten.log10", unary([](const term& x) { return log(x) * std::numbers::log10e; })},
    {"aten.log1p", unary(log1p)},
    {"aten.erf", unary(erf)},
    {"aten.sin", unary(sin)},
    {"aten.cos", unary(cos)},
    {"aten.tanh", unary(tanh)},
    {"aten.xlogy", xlogy},
};

const table activations{
    {"aten.relu", unary([](const term& x) { return max(x, 0); })},
    {"aten.leaky_relu",
     [](call& c) {
       auto x = c.number();
       return where(x > 0, x, x * c.real("negative_slope", 0.01));
     }},
    {"aten._prelu_kernel",
     [](call& c) {
       auto x = c.number();
       return where(x > 0, x, x * c.number("weight"));
     }},
    {"aten.elu",
     [](call& c) { return elu(c.number(), c.real("alpha", 1), c.real("scale", 1), c.real("input_scale", 1)); }},
    {"aten.celu",
     [](call& c) {
       auto alpha = c.real("alpha", 1);
       return elu(c.number(), alpha, 1, 1 / alpha);
     }},
    {"aten.selu", unary([](const term& x) { return elu(x, 1.6732632423543772, 1.0507009873554805, 1); })},
    {"aten.sigmoid", unary(sigmoid)},
    {"aten.log_sigmoid_forward", unary([](const term& x) { return min(x, 0) - log1p(exp(-abs(x))); })},
    {"aten.gelu", gelu},
    {"aten.softplus", softplus},
    {"aten.mish", unary([](const term& x) { return x * tanh(log1p(exp(x))); })},
    {"aten.silu", unary([](const term& x) { return x / (1.0 + exp(-x)); })},
    {"aten.hardtanh", [](call& c) { return clamp(c.number(), c.real("min_val", -1), c.real("max_val", 1)); }},
    {"aten.hardswish", unary([](const term& x) { return x * clamp(x + 3.0, 0, 6) / 6.0; })},
    {"aten.hardsigmoid", unary([](const term& x) { return clamp(x + 3.0, 0, 6) / 6.0; })},
    {"aten.threshold",
     [](call& c) {
       auto x = c.number();
       return where(x <= c.real("threshold", nan), c.real("value", nan), x);
     }},
    {"aten.softshrink",
     [](call& c) {
       auto x = c.number();
       auto width = c.real("lambd", 0.5);
       return where(x > width, x - width, where(x < -width, x + width, x * 0));
     }},
    {"aten.hardshrink",
     [](call& c) {
       auto x = c.number();
       auto width = c.real("lambd", 0.5);
       return where(logical_and(x >= -width, x <= width), 0, x);
     }},
};

const table decisions{
    {"aten.where", [](call& c) { return where(c.truth("condition"), c.number("self"), c.number("other")); }},
    {"aten.masked_fill", [](call& c) { return where(c.truth("mask"), c.number("value"), c.number()); }},
    {"aten.gt", comparison(operation::gt)},
    {"aten.lt", comparison(operation::lt)},
    {"aten.ge", comparison(operation::ge)},
    {"aten.le", comparison(operation::le)},
    {"aten.eq", comparison(operation::eq)},
    {"aten.ne", comparison(operation::ne)},
    {"aten.isnan", unary([](const term& x) { return x != x; })},
    {"aten.isinf", unary([](const term& x) { return abs(x) == infinity; })},
    {"aten.isfinite", unary([](const term& x) { return abs(x) < infinity; })},
    {"aten.logical_not", [](call& c) { return logical_not(c.truth()); }},
    {"aten.logical_and", logical(logical_and)},
    {"aten.logical_or", logical(logical_or)},
    {"aten.logical_xor", logical([](const term& a, const term& b) { return number_of(a) != number_of(b); })},
    {"aten.bitwise_not", on_truths([](call& c) { return logical_not(c.truth()); })},
    {"aten.bitwise_and", on_truths(logical(logical_and))},
    {"aten.bitwise_or", on_truths(logical(logical_or))},
};

const table moves{
    {"aten.clone", unary([](const term& x) { return x; })},
    {"aten.alias", unary([](const term& x) { return x; })},
    {"aten.detach", unary([](const term& x) { return x; })},
    {"aten.lift_fresh_copy", unary([](const term& x) { return x; })},
    {"aten.expand", unary([](const term& x) { return x; })},
    {"aten._to_copy", [](call& c) { return converted(c, "self"); }},
    {"aten.copy", [](call& c) { return c.ignore("self"), converted(c, "src"); }},
    {"aten.full", [](call& c) { return filled(c, "fill_value"); }},
    {"aten.full_like", [](call& c) { return filled(c, "fill_value"); }},
    {"aten.fill", [](call& c) { return filled(c, "value"); }},
    {"aten.scalar_tensor", [](call& c) { return filled(c, "s"); }},
    {"aten.new_full", [](call& c) { return filled(c, "fill_value"); }},
    {"aten.zeros", fill(0)},
    {"aten.zeros_like", fill(0)},
    {"aten.new_zeros", fill(0)},
    {"aten.zero", fill(0)},
    {"aten.empty_like", fill(0)},  // as good as anything else that it may hold
    {"aten.new_empty", fill(0)},
    {"aten.empty", fill(0)},
    {"aten.ones", fill(1)},
    {"aten.ones_like", fill(1)},
    {"aten.new_ones", fill(1)},
};

table whole_table() {
  table all{{"aten.pow", [](call& c) {
               if (!c.type("self")) return pow(c.number(), c.number("exponent"));
               return c.type("exponent") ? pow(c.number(), c.number("exponent")) : pow_scalar(c);
             }}};
  for (const auto& part : {arithmetic, functions, activations, decisions, moves}) all.insert(part.begin(), part.end());
  return all;
}

}  // namespace

const lowering* find_lowering(std::string_view op) {
  static const table all = whole_table();
  auto found = all.find(op);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace dsl
