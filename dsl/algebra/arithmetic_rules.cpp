// Identities, scales, shifts and clamps.

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/algebra/ranges.hpp"
#include "dsl/algebra/rules.hpp"
#include "dsl/algebra/scales.hpp"

namespace dsl::algebra {

using messages::graph_node;
using found = std::optional<std::string>;

namespace {

found one(const site& at, builder&) {
  auto x = scale_of(at.node);
  return x && x->factor == 1 ? found{x->of} : std::nullopt;
}

/// x - 0 and x + -0 are x; x + 0 is not, of -0.
found nothing_added(const site& at, builder&) {
  auto x = shift_of(at.node);
  return x && x->by == 0 && std::signbit(x->by) ? found{x->of} : std::nullopt;
}

found first_power(const site& at, builder&) {
  bool fits = operator_of(at.node) == "pow" && number_in(at.node, "exponent") == 1.0;
  return fits ? found{tensor_in(at.node)} : std::nullopt;
}

found negated_twice(const site& at, builder&) {
  if (operator_of(at.node) != "neg") return std::nullopt;
  const auto* inner = made_by(at.graph, tensor_in(at.node), "neg");
  return inner ? found{tensor_in(*inner)} : std::nullopt;
}

/// -(a - b) is b - a.
found negated_difference(const site& at, builder& make) {
  if (operator_of(at.node) != "neg") return std::nullopt;
  const auto* inner = made_by(at.graph, tensor_in(at.node), "sub");
  if (!inner || !has_only(*inner, {"self", "other"}) || !has_one_user(at.graph, inner->name)) return std::nullopt;
  auto first = tensor_in(*inner), second = tensor_in(*inner, "other");
  if (first.empty() || second.empty() || !same_layout(inner->output, at.node.output)) return std::nullopt;
  return make.add("sub.Tensor", {value("self", second), value("other", first)}, at.node.output);
}

/// |-x| and ||x|| are |x|.
found sign_of_absolute(const site& at, builder& make) {
  if (operator_of(at.node) != "abs") return std::nullopt;
  if (const auto* inner = made_by(at.graph, tensor_in(at.node), "abs")) return inner->name;
  const auto* inner = made_by(at.graph, tensor_in(at.node), "neg");
  if (!inner) return std::nullopt;
  return make.add("abs", {value("self", tensor_in(*inner))}, at.node.output);
}

found doubled(const site& at, builder& make) {
  bool fits = operator_of(at.node) == "add" && has_only(at.node, {"self", "other"}) && is_real(at.node.output)
              && !tensor_in(at.node).empty() && tensor_in(at.node) == tensor_in(at.node, "other");
  if (!fits) return std::nullopt;
  return make.add("mul.Tensor", {value("self", tensor_in(at.node)), real("other", 2)}, at.node.output);
}

found scales_in_a_row(const site& at, builder& make) {
  auto outer = scale_of(at.node);
  auto inner = outer ? scale_of(at.graph, outer->of) : std::nullopt;
  if (!inner || !has_one_user(at.graph, outer->of)) return std::nullopt;
  auto product = scale{std::string{inner->of}, inner->factor * outer->factor};
  if (!is_ordinary(inner->factor) || !is_ordinary(outer->factor)) return std::nullopt;
  return add_scale(make, product, at.node.output);
}

/// Not where the shifts nearly cancel: their sum then has fewer digits than eager's result.
found shifts_in_a_row(const site& at, builder& make) {
  auto outer = shift_of(at.node);
  auto inner = outer ? shift_of(at.graph, outer->of) : std::nullopt;
  if (!inner || !has_one_user(at.graph, outer->of)) return std::nullopt;
  auto sum = inner->by + outer->by;
  auto largest = std::max(std::abs(inner->by), std::abs(outer->by));
  if (!std::isfinite(sum) || std::abs(sum) < largest / 8) return std::nullopt;
  return make.add("add.Tensor", {value("self", inner->of), real("other", sum)}, at.node.output);
}

// -- clamps -----------------------------------------------------------------------------------------------------------

std::string add_clamp(builder& make, std::string_view of, range to, const messages::tensor_spec& output) {
  std::vector<messages::graph_argument> arguments{value("self", of)};
  if (to.low > -infinity) arguments.push_back(real("min", to.low));
  if (to.high < infinity) arguments.push_back(real("max", to.high));
  return make.add("clamp", std::move(arguments), output);
}

found clamps_in_a_row(const site& at, builder& make) {
  auto outer = clamp_of(at.node);
  auto inner = outer ? clamp_of(at.graph, outer->of) : std::nullopt;
  if (!inner || !has_one_user(at.graph, outer->of)) return std::nullopt;
  range both{std::clamp(inner->to.low, outer->to.low, outer->to.high),
             std::clamp(inner->to.high, outer->to.low, outer->to.high)};
  return add_clamp(make, inner->of, both, at.node.output);
}

found needless_clamp(const site& at, builder&) {
  auto x = clamp_of(at.node);
  if (!x) return std::nullopt;
  auto from = range_of(at.graph, x->of);
  return from.low >= x->to.low && from.high <= x->to.high ? found{x->of} : std::nullopt;
}

/// clamp(c * clamp(x)) is c * clamp(clamp(x)), with c > 0.
found clamp_of_scaled_clamp(const site& at, builder& make) {
  auto outer = clamp_of(at.node);
  auto middle = outer ? scale_of(at.graph, outer->of) : std::nullopt;
  auto inner = middle ? clamp_of(at.graph, middle->of) : std::nullopt;
  if (!inner || !(middle->factor > 0) || !is_ordinary(middle->factor)) return std::nullopt;
  if (!has_one_user(at.graph, outer->of) || !has_one_user(at.graph, middle->of)) return std::nullopt;
  range before{outer->to.low / middle->factor, outer->to.high / middle->factor};
  auto clamped = add_clamp(make, middle->of, before, at.node.output);
  return add_scale(make, {clamped, middle->factor}, at.node.output);
}

/// relu, leaky_relu and elu leave what is not negative as it is.
found leaky_of_positive(const site& at, builder&) {
  bool fits = operator_of(at.node) == "leaky_relu"
              || (operator_of(at.node) == "elu" && number_in(at.node, "scale").value_or(1) == 1);
  return fits && range_of(at.graph, tensor_in(at.node)).low >= 0 ? found{tensor_in(at.node)} : std::nullopt;
}

constexpr rule arithmetic_table[] = {
    {"multiplication or division by one", one},
    {"subtraction of zero", nothing_added},
    {"first power", first_power},
    {"negation of a negation", negated_twice},
    {"negation of a difference", negated_difference},
    {"absolute value of a changed sign", sign_of_absolute},
    {"sum of a tensor with itself", doubled},
    {"scales in a row", scales_in_a_row},
    {"shifts in a row", shifts_in_a_row},
    {"clamp to what the argument can be anyhow", needless_clamp},
    {"leaky ReLU of what is never negative", leaky_of_positive},
    {"clamps in a row", clamps_in_a_row},
    {"clamp of a scaled clamp", clamp_of_scaled_clamp},
};

}  // namespace

std::span<const rule> arithmetic_rules() { return arithmetic_table; }

}  // namespace dsl::algebra
