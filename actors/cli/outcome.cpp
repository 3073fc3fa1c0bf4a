#include "actors/cli/outcome.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>

#include "messages/records/documents.hpp"

namespace actors::cli {

using namespace messages;

namespace {

bool digits(std::string_view x) {
  return !x.empty() && std::ranges::all_of(x, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "--out" of "... with --out;"; empty if the sentence names none.
std::string first_flag(const std::string& sentence) {
  auto part_of_flag = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
  for (auto at = sentence.find("--"); at != std::string::npos; at = sentence.find("--", at + 2)) {
    auto end = std::find_if_not(sentence.begin() + static_cast<std::ptrdiff_t>(at), sentence.end(), part_of_flag);
    std::string flag{sentence.begin() + static_cast<std::ptrdiff_t>(at), end};
    bool whole_word = at == 0 || sentence[at - 1] == ' ' || sentence[at - 1] == '(';
    if (whole_word && flag.size() > 2 && flag != "--help") return flag;
  }
  return {};
}

}  // namespace

exit_code code_of(const failure& x) {
  switch (x.code) {
    case failure_code::bad_input:
    case failure_code::misconfigured:
    case failure_code::not_found: return exit_code::bad_input;
    case failure_code::interrupted: return exit_code::interrupted;
    default: return exit_code::infrastructure;
  }
}

std::string place_in(const std::string& sentence, const std::string& command) {
  auto word = sentence.substr(0, sentence.find_first_of(" \n"));
  auto head = word.substr(0, word.size() - (word.ends_with(':') ? 1 : 0));
  if (auto colon = head.rfind(':'); colon != std::string::npos && digits(std::string_view{head}.substr(colon + 1)))
    return head;
  auto flag = first_flag(sentence);
  return flag.empty() ? command : flag;
}

void warn(const failure& x) { std::cerr << "kernelmesh: " << x.detail << '\n'; }

exit_code complain(const complaint& x, bool json, const std::string& command) {
  warn(x.what);
  if (!json) return x.code;
  error_document document;
  document.error = {x.what.detail, place_in(x.what.detail, command), static_cast<std::uint32_t>(x.code)};
  std::cout << wire::to_json(document, {.indent = 2}) << '\n';
  return x.code;
}

}  // namespace actors::cli
