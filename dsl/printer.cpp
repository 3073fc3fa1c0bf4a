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

template <class T>
std::string decimal(T x) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string text{buffer.data(), end};
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
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

std::string exact_decimal(double x) { return decimal(x); }

std::string short_decimal(float x) { return decimal(x); }

std::string_view sign_of(operation op) {
  switch (op) {
    case operation::add: return "+";
    case operation::sub: return "-";
    case operation::mul: return "*";
    case operation::gt: return ">";
    case operation::lt: return "<";
    case operation::ge: return ">=";
    case operation::le: return "<=";
    case operation::eq: return "==";
    case operation::ne: return "!=";
    case operation::logical_and: return "&";  // no branch, and both sides are there already
    case operation::logical_or: return "|";
    default: return {};
  }
}

std::string_view function_of(operation op) {
  switch (op) {
    case operation::exp: return "exp";
    case operation::expm1: return "expm1";
    case operation::log: return "log";
    case operation::log1p: return "log1p";
    case operation::tanh: return "tanh";
    case operation::erf: return "erf";
    case operation::sin: return "sin";
    case operation::cos: return "cos";
    case operation::pow: return "pow";
    default: return {};
  }
}

std::string infix(const std::string& a, std::string_view sign, const std::string& b) {
  return '(' + a + ' ' + std::string{sign} + ' ' + b + ')';
}

std::string_view bare(std::string_view text) {
  if (text.size() < 2 || text.front() != '(') return text;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size() ? text.substr(1, i - 1) : text;
  }
  return text;
}

std::string exact_hexadecimal(double x) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(x), std::chars_format::hex).ptr;
  return (std::signbit(x) ? "-0x" : "0x") + std::string{buffer.data(), end};
}

}  // namespace dsl
