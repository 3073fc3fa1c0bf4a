#include "dsl/python_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace dsl {

namespace {

bool is_taken(std::string_view name) {
  static const std::set<std::string_view> taken{
      "False", "None",  "True",   "and",    "as",   "assert", "async", "await",    "break",   "class", "continue",
      "def",   "del",   "elif",   "else",   "for",  "except", "from",  "finally",  "global",  "if",    "import",
      "in",    "is",    "lambda", "or",     "not",  "pass",   "raise", "nonlocal", "return",  "try",   "while",
      "with",  "yield", "self",   "inputs", "held", "aten",   "torch", "first",    "several", "key",   "check"};
  return taken.contains(name);
}

}  // namespace

std::string python_text(std::string_view x) {
  bool lines = x.ends_with('\n') && x.find('\r') == std::string_view::npos;
  for (std::string quotes : {"\"\"\"", "'''"})
    if (lines && x.find(quotes) == std::string_view::npos) return 'r' + quotes + std::string{x} + quotes;
  std::string text = "\"";
  for (char c : x) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string{c};
  }
  return text + '"';
}

std::string python_tuple(const std::vector<std::int64_t>& xs) {
  std::string text;
  for (auto x : xs) text += std::to_string(x) + ", ";
  if (xs.size() > 1) text.resize(text.size() - 2);
  if (xs.size() == 1) text.resize(text.size() - 1);
  return '(' + text + ')';
}

std::string python_number(double x) {
  if (std::isnan(x)) return "float(\"nan\")";
  if (std::isinf(x)) return x < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string text{buffer.data(), end};
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string python_dtype(messages::dtype x) {
  static constexpr auto names = enum_names(messages::dtype{});
  return "torch." + std::string{names[static_cast<std::size_t>(x)]};
}

std::string python_name(std::string_view name) {
  return std::string{name} + (is_taken(name) || name.ends_with('_') ? "_" : "");
}

std::string python_names(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + python_name(name);
  return text;
}

std::string python_module_body(std::string_view module) {
  constexpr std::string_view head = "from __future__ import annotations\n";
  auto at = module.find(head);
  if (at != std::string_view::npos) module.remove_prefix(at + head.size());
  bool in_list = false;
  while (!module.empty()) {
    auto line = module.substr(0, module.find('\n') + 1);
    bool is_import = line.starts_with("import ") || line.starts_with("from ");
    if (line.empty() || !(in_list || is_import || line == "\n")) break;
    in_list = is_import ? line.find('(') != std::string_view::npos : in_list && line != ")\n";
    module.remove_prefix(line.size());
  }
  while (module.ends_with('\n')) module.remove_suffix(1);
  return std::string{module};
}

}  // namespace dsl
