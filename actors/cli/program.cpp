#include "actors/cli/program.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace actors::cli {

namespace {

std::string& name_of_program() {
  static std::string name = "kernelmesh";
  return name;
}

bool needs_no_quotes(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0
         || std::string_view{"/._-+:,@%="}.find(c) != std::string::npos;
}

}  // namespace

void called_as(const std::string& argv0) {
  if (!argv0.empty()) name_of_program() = in_shell_words(argv0);
}

const std::string& program() { return name_of_program(); }

std::string hint(const std::string& command) { return '`' + program() + ' ' + command + '`'; }

std::string in_shell_words(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, needs_no_quotes)) return word;
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

}  // namespace actors::cli
