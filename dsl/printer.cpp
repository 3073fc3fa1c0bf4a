#include "dsl/printer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace dsl {

namespace {

std::vector<bool> needed(const messages::expression& x) {
  std::vector<bool> need(x.nodes.size(), false);
  for (auto i : x.results) need[i] = true;
  for (auto i = x.nodes.size(); i-- > 0;) {
    if (!need[i]) continue;
    for (auto argument : x.nodes[i].arguments) need[argument] = true;
  }
  return need;
}

std::string print_node(const messages::expression_node& node, const std::vector<std::string>& before,
                       const printer& language) {
  if (node.operand) return language.operand(*node.operand);
  std::vector<std::string> arguments;
  for (auto i : node.arguments) arguments.push_back(before[i]);
  return language.apply(operation_of(node), arguments);
}

void append_lines(std::string& text, std::string_view indent, std::string_view lines) {
  while (!lines.empty()) {
    auto end = std::min(lines.find('\n'), lines.size());
    text.append(indent).append(lines.substr(0, end)) += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace

printed print(const messages::expression& x, const printer& language, const print_options& options) {
  auto need = needed(x);
  auto kinds = kinds_of(x);
  printed out;
  std::vector<std::string> texts(x.nodes.size());
  std::size_t temporaries = 0;
  for (std::size_t i = 0; i < x.nodes.size(); ++i) {
    if (!need[i]) continue;
    if (x.nodes[i].number) {
      texts[i] = language.number(*x.nodes[i].number);
      continue;
    }
    auto text = print_node(x.nodes[i], texts, language);
    texts[i] = options.prefix + std::to_string(temporaries++);
    append_lines(out.lines, options.indent, language.define(kinds[i], texts[i], text));
  }
  for (auto i : x.results) out.results.push_back(texts[i]);
  return out;
}

std::string exact_decimal(double x) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string text{buffer.data(), end};
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string exact_hexadecimal(double x) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(x), std::chars_format::hex).ptr;
  return (std::signbit(x) ? "-0x" : "0x") + std::string{buffer.data(), end};
}

}  // namespace dsl
