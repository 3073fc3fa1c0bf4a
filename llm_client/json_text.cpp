#include "llm_client/json_text.hpp"

#include <array>
#include <charconv>

#include "llm_client/utf8.hpp"

namespace llm_client {

namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (static_cast<unsigned char>(c) >= 0x20) {
    out += c;
    return;
  }
  out += "\\u00";
  out += digits[static_cast<unsigned char>(c) >> 4];
  out += digits[static_cast<unsigned char>(c) & 15];
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + text.size() / 16 + 2);
  for (char c : valid_utf8(text)) append_escaped(out, c);
  return out += '"';
}

json_object& json_object::json(std::string_view key, std::string_view value) {
  if (out_.size() > 1) out_ += ',';
  out_ += json_string(key);
  out_ += ':';
  out_ += value;
  return *this;
}

json_object& json_object::text(std::string_view key, std::string_view value) { return json(key, json_string(value)); }

json_object& json_object::number(std::string_view key, double value) {
  std::array<char, 32> digits{};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return json(key, {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

json_array& json_array::json(std::string_view value) {
  if (out_.size() > 1) out_ += ',';
  out_ += value;
  return *this;
}

}  // namespace llm_client
