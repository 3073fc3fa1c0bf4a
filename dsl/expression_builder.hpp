#pragma once
// Writing an expression as arithmetic: `x / (1 + exp(-x))`. Equal parts become one node.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "dsl/expression.hpp"

namespace dsl {

class expression_builder;

/// A node of a builder's expression. Borrows the builder.
struct term {
  expression_builder* builder = nullptr;
  std::uint32_t node = 0;
  dsl::kind kind = kind::number;
};

class expression_builder {
public:
  term number(double x);
  term operand(std::uint32_t index);
  /// @param arguments of this builder, of the kinds that the signature says
  term apply(operation op, std::vector<std::uint32_t> arguments);

  /// The expression with those results, which are numbers. Nodes that none of them needs are left out.
  messages::expression take(const std::vector<term>& results) &&;

  /// In the order in which they came; arguments stand before what uses them.
  const std::vector<messages::expression_node>& nodes() const { return nodes_; }

private:
  using key = std::tuple<std::string, std::vector<std::uint32_t>, std::uint32_t, std::uint64_t>;
  term add(key same, messages::expression_node node, kind result);

  std::vector<messages::expression_node> nodes_;
  std::map<key, std::uint32_t> known_;
};

/// A checked expression without what none of its results needs.
messages::expression needed_part(const messages::expression& x);

// -- arithmetic; a plain number may stand on either side
// ----------------------------------------------------------------

term apply(operation op, const term& a);
term apply(operation op, const term& a, const term& b);

inline term operator-(const term& a) { return apply(operation::neg, a); }

#define DSL_BINARY(name, op)                                                                          \
  inline term name(const term& a, const term& b) { return apply(operation::op, a, b); }               \
  inline term name(const term& a, double b) { return apply(operation::op, a, a.builder->number(b)); } \
  inline term name(double a, const term& b) { return apply(operation::op, b.builder->number(a), b); }
DSL_BINARY(operator+, add)
DSL_BINARY(operator-, sub)
DSL_BINARY(operator*, mul)
DSL_BINARY(operator/, div)
DSL_BINARY(operator>, gt)
DSL_BINARY(operator<, lt)
DSL_BINARY(operator>=, ge)
DSL_BINARY(operator<=, le)
DSL_BINARY(operator==, eq)
DSL_BINARY(operator!=, ne)
DSL_BINARY(min, min)
DSL_BINARY(max, max)
DSL_BINARY(pow, pow)
#undef DSL_BINARY

#define DSL_UNARY(name) \
  inline term name(const term& a) { return apply(operation::name, a); }
DSL_UNARY(abs)
DSL_UNARY(sqrt)
DSL_UNARY(exp)
DSL_UNARY(expm1)
DSL_UNARY(log)
DSL_UNARY(log1p)
DSL_UNARY(tanh)
DSL_UNARY(erf)
DSL_UNARY(sin)
DSL_UNARY(cos)
DSL_UNARY(floor)
DSL_UNARY(ceil)
DSL_UNARY(round)
DSL_UNARY(trunc)
DSL_UNARY(logical_not)
DSL_UNARY(number_of)
#undef DSL_UNARY

inline term logical_and(const term& a, const term& b) { return apply(operation::logical_and, a, b); }
inline term logical_or(const term& a, const term& b) { return apply(operation::logical_or, a, b); }
term where(const term& condition, const term& a, const term& b);
term where(const term& condition, double a, const term& b);
term where(const term& condition, double a, double b);

/// The same as a number (1 or 0), or as a truth (not equal to 0, so NaN is true).
term as_number(const term& x);
term as_truth(const term& x);

}  // namespace dsl
