#include "messages/wire/base64.hpp"

#include <array>

namespace wire {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto digit_values = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(64);
  for (std::size_t i = 0; i < 64; ++i) table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

}  // namespace

std::string base64_encode(bytes_view x) {
  std::string result;
  result.reserve((x.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < x.size(); i += 3) {
    auto left = x.size() - i;
    auto at = [&](std::size_t k) { return k < left ? std::to_integer<std::uint32_t>(x[i + k]) : 0; };
    auto group = at(0) << 16 | at(1) << 8 | at(2);
    for (std::size_t k = 0; k < 4; ++k) result += k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

bool base64_decode(std::string_view text, bytes& out) {
  out.clear();
  if (text.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  out.reserve(text.size() * 3 / 4);
  std::uint32_t group = 0, bits = 0;
  for (unsigned char c : text) {
    if (digit_values[c] == 64) return false;
    group = group << 6 | digit_values[c];
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<std::byte>(group >> (bits -= 8) & 255));
  }
  return true;
}

}  // namespace wire
