#include "actors/report/clean_text.hpp"

#include <algorithm>
#include <cstdint>

namespace actors::report {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the character that this byte begins; 0 where it begins none.
std::size_t length_by(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

std::uint32_t code_point(std::string_view bytes) {
  constexpr unsigned char first_bits[]{0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t x = static_cast<unsigned char>(bytes[0]) & first_bits[bytes.size()];
  for (char c : bytes.substr(1)) x = x << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return x;
}

/// The whole character at the front; empty where it is not UTF-8.
std::string_view character(std::string_view text) {
  auto length = length_by(static_cast<unsigned char>(text[0]));
  if (length == 0 || length > text.size()) return {};
  auto bytes = text.substr(0, length);
  if (!std::all_of(bytes.begin() + 1, bytes.end(), continues)) return {};
  constexpr std::uint32_t least[]{0, 0, 0x80, 0x800, 0x10000};
  auto x = code_point(bytes);
  bool surrogate = x >= 0xD800 && x < 0xE000;
  return x < least[length] || x > 0x10FFFF || surrogate ? std::string_view{} : bytes;
}

/// C0 and C1 controls, marks that reorder, join or hide text.
bool unwanted(std::uint32_t x) {
  if (x < 0x20) return x != '\n' && x != '\t';
  return (x >= 0x7F && x < 0xA0) || (x >= 0x200B && x <= 0x200F) || (x >= 0x2028 && x <= 0x202E)
         || (x >= 0x2060 && x <= 0x206F) || x == 0xFEFF || (x >= 0xFFF9 && x <= 0xFFFB);
}

/// Bytes of the terminal sequence at the front, which begins with ESC.
std::size_t sequence_length(std::string_view text) {
  if (text.size() < 2) return 1;
  std::size_t end = 2;
  if (text[1] == '[') {
    while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
    return std::min(end + 1, text.size());
  }
  if (text[1] != ']') return 2;
  while (end < text.size() && text[end] != '\a' && text[end] != '\x1B' && text[end] != '\n') ++end;
  return end < text.size() && text[end] == '\a' ? end + 1 : end;
}

std::size_t cut_place(std::string_view text, std::size_t limit) {
  while (limit > 0 && continues(text[limit])) --limit;
  return limit;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto one = character(text);
    std::size_t used = one.empty() ? 1 : one.size();
    if (one.empty()) out += replacement;
    if (one == "\x1B")
      used = sequence_length(text);
    else if (!one.empty() && !unwanted(code_point(one)))
      out += one;
    text.remove_prefix(used);
  }
  return out;
}

std::string clean_line(std::string_view text, std::size_t limit) {
  bool much = text.size() > limit * 8;  // so that a huge text is not cleaned for its first line
  auto line = clean(text.substr(0, much ? limit * 8 : text.size()));
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\t', ' ');
  if (line.size() <= limit && !much) return line;
  if (line.size() > limit) line.resize(cut_place(line, limit));
  return line + "...";
}

std::string clean_path(std::string_view text) { return clean_line(text, text.size() + 1); }

std::string clean_block(std::string_view text, std::size_t limit) {
  auto block = clean(text);
  if (block.size() > limit) block.resize(cut_place(block, limit));
  return block;
}

std::string html_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out, line;
  while (!text.empty()) {
    auto end = std::min(text.find(' '), text.size());
    auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && width_of(line) + 1 + width_of(word) + indent.size() > width) {
      out += line + '\n' + std::string{indent};
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  return out + line;
}

}  // namespace actors::report
