#include "dsl/cpp/operator_call.hpp"

#include <algorithm>
#include <array>

#include "dsl/cpp/text.hpp"
#include "dsl/python_text.hpp"

namespace dsl::cpp {

namespace {

using messages::expected;
using messages::fail;
using messages::failure_code;

bool draws(std::string_view op) {
  static constexpr auto parts =
      std::to_array<std::string_view>({"bernoulli", "rand", "dropout", "normal", "uniform", "exponential", "cauchy",
                                       "geometric", "multinomial", "poisson", "rrelu"});
  return std::ranges::any_of(parts, [&](auto part) { return op.find(part) != std::string_view::npos; });
}

bool is_dtype(std::string_view text) {
  static constexpr auto names = enum_names(messages::dtype{});
  return std::ranges::find(names, text) != names.end();
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// "[0.5, 2.0]", as the graph has lists of floats.
bool is_number_list(std::string_view text) {
  return text.starts_with('[') && text.ends_with(']')
         && text.find_first_not_of("0123456789+-.eE, ", 1) == text.size() - 1;
}

/// An enum of the schema is an attribute of torch, another text is itself.
expected<std::string> text_value(const std::string& argument, const std::string& text) {
  if (is_number_list(text)) return text;
  if (argument.ends_with("dtype") && is_dtype(text)) return "torch." + text;
  if (argument == "memory_format" && is_identifier(text)) return "torch." + text;
  if (is_plain(text)) return python_text(text);
  return fail(failure_code::bad_input, "argument " + argument + " holds a text that can't be written");
}

struct value_text {
  const std::string& argument;

  expected<std::string> operator()(const messages::value_argument& x) const { return python_name(x.name); }
  expected<std::string> operator()(const messages::values_argument& x) const {
    std::string text;
    for (const auto& name : x.names) text += (text.empty() ? "" : ", ") + (name.empty() ? "None" : python_name(name));
    return '[' + text + ']';
  }
  expected<std::string> operator()(const messages::real_argument& x) const { return python_number(x.number); }
  expected<std::string> operator()(const messages::integer_argument& x) const { return std::to_string(x.number); }
  expected<std::string> operator()(const messages::integers_argument& x) const {
    std::string text;
    for (auto number : x.numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return '[' + text + ']';
  }
  expected<std::string> operator()(const messages::flag_argument& x) const { return x.on ? "True" : "False"; }
  expected<std::string> operator()(const messages::text_argument& x) const { return text_value(argument, x.text); }
  expected<std::string> operator()(const messages::none_argument&) const { return "None"; }
};

/// By name, since arguments at their default are absent; `self` stands first in almost every schema.
expected<std::vector<std::string>> arguments_of(const messages::graph_node& node) {
  std::vector<std::string> all;
  for (const auto& argument : node.arguments) {
    if (!is_identifier(argument.name)) return fail(failure_code::bad_input, "an argument has no name");
    auto value = std::visit(value_text{argument.name}, argument.content);
    if (!value) return tl::unexpected{value.error()};
    bool by_place = all.empty() && argument.name == "self";
    all.push_back((by_place ? std::string{} : argument.name + '=') + *value);
  }
  return all;
}

}  // namespace

std::string python_call::text() const {
  std::string inner;
  for (const auto& x : arguments) inner += (inner.empty() ? "" : ", ") + x;
  return function + '(' + inner + ')';
}

expected<python_call> operator_call(const messages::graph_node& node) {
  static constexpr std::string_view prefix = "aten.";
  auto name = node.op.starts_with(prefix) ? node.op.substr(prefix.size()) : std::string{};
  if (!is_identifier(name) || !is_identifier(node.overload)) {
    return fail(failure_code::bad_input, harmless(node.op) + " is no operator of torch");
  }
  if (draws(name)) return fail(failure_code::bad_input, node.op + " draws random numbers");
  auto arguments = arguments_of(node);
  if (!arguments) return tl::unexpected{arguments.error()};
  return python_call{node.op + '.' + node.overload, *std::move(arguments)};
}

}  // namespace dsl::cpp
