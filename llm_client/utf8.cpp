#include "llm_client/utf8.hpp"

#include <cstdint>

namespace llm_client {

namespace {

struct utf8_piece {
  std::size_t bytes;
  bool whole;
};

struct second_byte {
  std::uint8_t low, high;
};

second_byte allowed_second(std::uint8_t first) {
  if (first == 0xe0) return {0xa0, 0xbf};
  if (first == 0xed) return {0x80, 0x9f};
  if (first == 0xf0) return {0x90, 0xbf};
  if (first == 0xf4) return {0x80, 0x8f};
  return {0x80, 0xbf};
}

std::size_t wanted_bytes(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if ((first & 0xf0) == 0xe0) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

utf8_piece first_piece(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  auto wanted = wanted_bytes(byte(0));
  if (wanted == 0) return {1, false};
  auto range = allowed_second(byte(0));
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i == text.size() || byte(i) < range.low || byte(i) > range.high) return {i, false};
    range = {0x80, 0xbf};
  }
  return {wanted, true};
}

}  // namespace

void append_utf8(std::string& out, std::string_view text) {
  while (!text.empty()) {
    auto piece = first_piece(text);
    if (piece.whole)
      out.append(text.substr(0, piece.bytes));
    else
      out.append("\xef\xbf\xbd");
    text.remove_prefix(piece.bytes);
  }
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_utf8(out, text);
  return out;
}

}  // namespace llm_client
