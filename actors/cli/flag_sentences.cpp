#include "actors/cli/flag_sentences.hpp"

#include <algorithm>
#include <charconv>

#include "configs/wording.hpp"

namespace actors::cli {

std::string not_a_whole_number(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t x = 0;
  auto end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, x);
  if (read.ec == std::errc{} && read.ptr == end && x >= least && x <= most) return {};
  return configs::in_quotes(text) + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string not_one_of(const std::string& text, std::span<const std::string> names) {
  if (std::ranges::find(names, text) != names.end()) return {};
  auto near = configs::nearest(text, names);
  return configs::in_quotes(text) + " is not known; write " + configs::listed(names)
         + (near.empty() ? "" : "; did you mean " + configs::in_quotes(near) + "?");
}

std::string sentence_of(const stray_word& x) {
  bool flag = x.word.starts_with('-');
  auto word = flag ? x.word.substr(0, x.word.find('=')) : x.word;
  auto to = x.command.empty() ? "kernelmesh" : "kernelmesh " + x.command;
  auto near = configs::nearest(word, flag ? x.flags : x.commands);
  auto meant = near.empty() ? "" : "; did you mean " + (flag ? near : configs::in_quotes(near)) + '?';
  if (flag) return to + " has no flag " + word + meant;
  if (x.commands.empty()) return to + " takes no further argument " + configs::in_quotes(word);
  auto command = x.command.empty() ? word : x.command + ' ' + word;
  return "there is no command " + configs::in_quotes(command) + meant;
}

}  // namespace actors::cli
