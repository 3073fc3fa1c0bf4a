#include "dsl/node_arguments.hpp"

#include <cmath>

namespace dsl {

namespace {

/// The argument where it is there and not none.
const messages::graph_argument* present(const messages::graph_node& node, std::string_view name) {
  const auto* argument = find_argument(node, name);
  return argument && !std::holds_alternative<messages::none_argument>(argument->content) ? argument : nullptr;
}

}  // namespace

bool has_argument(const messages::graph_node& node, std::string_view name) { return present(node, name) != nullptr; }

std::optional<std::int64_t> integer_argument(const messages::graph_node& node, std::string_view name,
                                             std::int64_t otherwise) {
  const auto* argument = present(node, name);
  if (!argument) return otherwise;
  const auto* integer = std::get_if<messages::integer_argument>(&argument->content);
  return integer ? std::optional{integer->number} : std::nullopt;
}

std::optional<bool> flag_argument(const messages::graph_node& node, std::string_view name, bool otherwise) {
  const auto* argument = present(node, name);
  if (!argument) return otherwise;
  const auto* flag = std::get_if<messages::flag_argument>(&argument->content);
  return flag ? std::optional{flag->on} : std::nullopt;
}

std::optional<double> number_argument(const messages::graph_node& node, std::string_view name, double otherwise) {
  const auto* argument = present(node, name);
  if (!argument) return otherwise;
  if (const auto* real = std::get_if<messages::real_argument>(&argument->content)) return real->number;
  if (const auto* integer = std::get_if<messages::integer_argument>(&argument->content)) {
    return static_cast<double>(integer->number);
  }
  const auto* flag = std::get_if<messages::flag_argument>(&argument->content);
  return flag ? std::optional{flag->on ? 1.0 : 0.0} : std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers_argument(const messages::graph_node& node, std::string_view name,
                                                           std::vector<std::int64_t> otherwise) {
  const auto* argument = present(node, name);
  if (!argument) return otherwise;
  if (const auto* one = std::get_if<messages::integer_argument>(&argument->content)) return std::vector{one->number};
  const auto* list = std::get_if<messages::integers_argument>(&argument->content);
  if (!list) return std::nullopt;
  return list->numbers.empty() ? otherwise : list->numbers;
}

std::optional<std::size_t> dimension(std::int64_t index, std::size_t rank) {
  auto count = static_cast<std::int64_t>(rank);
  if (index < -count || index >= count) return std::nullopt;
  return static_cast<std::size_t>(index < 0 ? index + count : index);
}

}  // namespace dsl
