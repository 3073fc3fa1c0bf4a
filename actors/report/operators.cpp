#include <fmt/format.h>
#include <fmt/ranges.h>

#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/page_parts.hpp"

namespace actors::report {

using namespace messages;

namespace {

std::string text_of(const tensor_spec& x) { return fmt::format("{}[{}]", word_of(x.dtype), fmt::join(x.shape, ", ")); }

struct argument_text {
  std::string operator()(const value_argument& x) const { return x.name; }
  std::string operator()(const values_argument& x) const { return fmt::format("[{}]", fmt::join(x.names, ", ")); }
  std::string operator()(const real_argument& x) const { return fmt::format("{}", x.number); }
  std::string operator()(const integer_argument& x) const { return fmt::format("{}", x.number); }
  std::string operator()(const integers_argument& x) const { return fmt::format("[{}]", fmt::join(x.numbers, ", ")); }
  std::string operator()(const flag_argument& x) const { return x.on ? "true" : "false"; }
  std::string operator()(const text_argument& x) const { return x.text; }
  std::string operator()(const none_argument&) const { return "none"; }
};

bool is_tensor(const graph_argument& x) {
  return std::holds_alternative<value_argument>(x.content) || std::holds_alternative<values_argument>(x.content);
}

operator_line line_of(const graph_value& x) {
  auto from = word_of(x.origin);
  if (x.origin == value_origin::input) from += fmt::format(" {}", x.index);
  if (!x.path.empty()) from += " " + x.path;
  if (x.number) from += fmt::format(" {}", *x.number);
  return {clean_line(x.name, 80), clean_line(from + ", " + text_of(x.spec), 240)};
}

operator_line line_of(const graph_node& x) {
  std::string arguments;
  for (const auto& argument : x.arguments) {
    if (arguments.size() > 400) break;
    if (!arguments.empty()) arguments += ", ";
    if (!is_tensor(argument)) arguments += argument.name + "=";
    arguments += std::visit(argument_text{}, argument.content);
  }
  auto flops = x.flops > 0 ? fmt::format(", {:.4g} FLOP", static_cast<double>(x.flops)) : "";
  return {clean_line(x.name, 80), clean_line(fmt::format("{}({}) -> {}{}", x.op, arguments, text_of(x.output), flops))};
}

}  // namespace

operator_list operators_of(const op_graph& graph, std::size_t most) {
  operator_list out;
  auto add = [&](const auto& all) {
    for (const auto& x : all)
      if (out.lines.size() < most) out.lines.push_back(line_of(x));
  };
  add(graph.values);
  add(graph.nodes);
  if (out.lines.size() < most)
    out.lines.push_back({"returns", clean_line(fmt::format("{}", fmt::join(graph.outputs, ", ")))});
  auto count = graph.values.size() + graph.nodes.size();
  if (count > most) out.left_out = fmt::format("{} more operators and values are left out. ", count - most);
  return out;
}

}  // namespace actors::report
