#include "dsl/algebra/rewriting.hpp"

#include <algorithm>
#include <array>

#include "dsl/node_arguments.hpp"

namespace dsl::algebra {

using messages::graph_argument;
using messages::graph_node;

namespace {

template <class T>
const T* content(const graph_node& node, std::string_view argument) {
  const auto* found = find_argument(node, argument);
  return found == nullptr ? nullptr : std::get_if<T>(&found->content);
}

}  // namespace

// -- reading ----------------------------------------------------------------------------------------------------------

std::string_view operator_of(const graph_node& node) {
  std::string_view op = node.op;
  return op.starts_with("aten.") ? op.substr(5) : op;
}

const graph_node* made_by(const graph_index& graph, std::string_view tensor, std::string_view op) {
  const auto* node = graph.node(tensor);
  return node != nullptr && operator_of(*node) == op ? node : nullptr;
}

std::string_view tensor_in(const graph_node& node, std::string_view argument) {
  const auto* found = content<messages::value_argument>(node, argument);
  return found == nullptr ? std::string_view{} : std::string_view{found->name};
}

std::optional<double> number_in(const graph_node& node, std::string_view argument) {
  if (const auto* real = content<messages::real_argument>(node, argument)) return real->number;
  if (const auto* whole = content<messages::integer_argument>(node, argument))
    return static_cast<double>(whole->number);
  return std::nullopt;
}

std::vector<std::int64_t> integers_in(const graph_node& node, std::string_view argument,
                                      std::vector<std::int64_t> otherwise) {
  if (const auto* list = content<messages::integers_argument>(node, argument)) return list->numbers;
  if (const auto* one = content<messages::integer_argument>(node, argument)) return {one->number};
  return otherwise;
}

bool flag_in(const graph_node& node, std::string_view argument, bool otherwise) {
  return flag_argument(node, argument, otherwise).value_or(otherwise);
}

bool has_only(const graph_node& node, const std::set<std::string_view>& arguments) {
  return std::ranges::all_of(node.arguments, [&](const auto& x) { return arguments.contains(x.name); });
}

bool has_one_user(const graph_index& graph, std::string_view tensor) {
  return graph.users(tensor).size() == 1 && !graph.is_output(tensor);
}

bool is_real(const messages::tensor_spec& spec) {
  return spec.dtype == messages::dtype::float32 || spec.dtype == messages::dtype::float64;
}

std::string_view root_of(const graph_index& graph, std::string_view tensor) {
  const auto* node = graph.node(tensor);
  while (node != nullptr && is_view(*node)) {
    tensor = tensor_in(*node);
    node = graph.node(tensor);
  }
  return tensor;
}

bool is_random(const graph_node& node) {
  static constexpr std::array parts{"rand",     "bernoulli",   "normal",    "dropout", "multinomial",
                                    "uniform",  "exponential", "geometric", "poisson", "cauchy",
                                    "binomial", "gamma",       "dirichlet", "empty"};
  return std::ranges::any_of(parts, [&](std::string_view x) { return node.op.find(x) != std::string::npos; });
}

bool has_effect(const graph_node& node) {
  bool statistics = node.op.find("batch_norm") != std::string::npos && flag_in(node, "training")
                    && !tensor_in(node, "running_mean").empty();
  return node.op.ends_with('_') || statistics || is_random(node);
}

bool same_layout(const messages::tensor_spec& a, const messages::tensor_spec& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  for (std::size_t i = 0; i < a.shape.size(); ++i)
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

bool is_contiguous(const messages::tensor_spec& spec) {
  return same_layout(spec, {spec.dtype, spec.shape, contiguous_strides(spec.shape)});
}

std::int64_t dimension(std::int64_t dim, std::size_t rank) {
  return dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim;
}

// -- building ---------------------------------------------------------------------------------------------------------

graph_argument value(std::string name, std::string_view of) {
  return {std::move(name), messages::value_argument{std::string{of}}};
}
graph_argument real(std::string name, double x) { return {std::move(name), messages::real_argument{x}}; }
graph_argument integer(std::string name, std::int64_t x) { return {std::move(name), messages::integer_argument{x}}; }
graph_argument integers(std::string name, std::vector<std::int64_t> xs) {
  return {std::move(name), messages::integers_argument{std::move(xs)}};
}
graph_argument flag(std::string name, bool on) { return {std::move(name), messages::flag_argument{on}}; }

graph_node without(graph_node node, std::string_view argument) {
  std::erase_if(node.arguments, [&](const auto& x) { return x.name == argument; });
  return node;
}

messages::tensor_spec contiguous(messages::dtype type, shape size) {
  auto strides = contiguous_strides(size);
  return {type, std::move(size), std::move(strides)};
}

const messages::tensor_spec& builder::spec(std::string_view tensor) const {
  static const messages::tensor_spec nothing;
  auto found = std::ranges::find(nodes_, tensor, &graph_node::name);
  if (found != nodes_.end()) return found->output;
  const auto* known = graph_->spec(tensor);
  return known ? *known : nothing;
}

bool builder::knows(std::string_view tensor) const {
  return graph_->spec(tensor) != nullptr || std::ranges::find(nodes_, tensor, &graph_node::name) != nodes_.end();
}

std::string builder::fresh(std::string_view op) const {
  for (std::size_t i = 1;; ++i) {
    auto name = "s_" + std::string{op} + '_' + std::to_string(i);
    if (!knows(name)) return name;
  }
}

std::string builder::add(std::string_view op, std::vector<graph_argument> arguments, messages::tensor_spec output) {
  auto dot = op.find('.');
  graph_node node{
      .op = "aten." + std::string{op.substr(0, dot)}, .arguments = std::move(arguments), .output = std::move(output)};
  if (dot != std::string_view::npos) node.overload = op.substr(dot + 1);
  return add(std::move(node));
}

std::string builder::add(graph_node node) {
  node.name = fresh(operator_of(node));
  node.flops = count_flops(
      node, [this](std::string_view name) -> const auto& { return spec(name); });
  nodes_.push_back(std::move(node));
  return nodes_.back().name;
}

}  // namespace dsl::algebra
