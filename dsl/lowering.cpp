#include "dsl/lowering.hpp"

#include <algorithm>

namespace dsl {

using messages::expected;
using messages::fail;
using messages::failure_code;

// -- one node ---------------------------------------------------------------------------------------------------------

namespace {

/// Arguments that the node's output spec says already, or that change no value.
constexpr std::array<std::string_view, 5> said_by_output{"dtype", "memory_format", "size", "implicit", "copy"};

bool is_none(const messages::graph_argument& argument) {
  return std::holds_alternative<messages::none_argument>(argument.content);
}

std::optional<double> plain_number(const messages::graph_argument& argument) {
  if (const auto* real = std::get_if<messages::real_argument>(&argument.content)) return real->number;
  if (const auto* flag = std::get_if<messages::flag_argument>(&argument.content)) return flag->on;
  if (const auto* integer = std::get_if<messages::integer_argument>(&argument.content)) {
    return static_cast<double>(integer->number);
  }
  return std::nullopt;
}

}  // namespace

lowering_call::lowering_call(const graph_index& index, const messages::graph_node& node, expression_builder& builder,
                             lookup find)
    : index_(&index), node_(&node), builder_(&builder), find_(std::move(find)) {}

const messages::graph_argument* lowering_call::ask(std::string_view name) {
  asked_.insert(name);
  return find_argument(*node_, name);
}

term lowering_call::number(std::string_view name) {
  const auto* argument = ask(name);
  if (!argument) return refuse("has no argument " + std::string{name});
  if (const auto* tensor = value_name(*argument)) return as_number(find_(*tensor));
  auto plain = plain_number(*argument);
  return plain ? literal(*plain) : refuse("has no number or tensor as " + std::string{name});
}

term lowering_call::truth(std::string_view name) {
  const auto* argument = ask(name);
  const auto* tensor = argument ? value_name(*argument) : nullptr;
  return as_truth(tensor ? find_(*tensor) : number(name));
}

double lowering_call::real(std::string_view name, double otherwise) {
  const auto* argument = ask(name);
  if (!argument) return otherwise;
  auto plain = plain_number(*argument);
  if (!plain) refuse("has no number as " + std::string{name});
  return plain.value_or(otherwise);
}

std::string lowering_call::text(std::string_view name, std::string_view otherwise) {
  const auto* argument = ask(name);
  if (!argument) return std::string{otherwise};
  const auto* text = std::get_if<messages::text_argument>(&argument->content);
  if (!text) refuse("has no text as " + std::string{name});
  return text ? text->text : std::string{otherwise};
}

bool lowering_call::has(std::string_view name) {
  const auto* argument = ask(name);
  return argument && !is_none(*argument);
}

std::optional<messages::dtype> lowering_call::type(std::string_view name) const {
  const auto* argument = find_argument(*node_, name);
  const auto* tensor = argument ? value_name(*argument) : nullptr;
  const auto* spec = tensor ? index_->spec(*tensor) : nullptr;
  return spec ? std::optional{spec->dtype} : std::nullopt;
}

term lowering_call::refuse(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return literal(0);
}

std::string lowering_call::problem() const {
  if (!problem_.empty()) return problem_;
  for (const auto& argument : node_->arguments) {
    bool known = asked_.contains(argument.name) || is_none(argument)
                 || std::ranges::find(said_by_output, argument.name) != said_by_output.end();
    if (!known) return "has the argument " + argument.name + ", which is not understood";
  }
  return {};
}

}  // namespace dsl
