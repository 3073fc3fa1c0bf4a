#include "configs/scalars.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace configs {

namespace {

struct unit {
  std::string_view name;
  std::uint64_t size;
};

/// Larger units first: "1h30m" is written in this order, and shown in the fewest parts.
constexpr std::array<unit, 6> time_units{
    {{"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};
constexpr std::array<unit, 7> size_units{{{"GiB", 1u << 30},
                                          {"MiB", 1u << 20},
                                          {"KiB", 1u << 10},
                                          {"GB", 1'000'000'000},
                                          {"MB", 1'000'000},
                                          {"kB", 1'000},
                                          {"B", 1}}};
constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();

template <class T>
bool parse_number(std::string_view text, T& x) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  x = value;
  return true;
}

/// Takes "30m" from the front of the text and says which unit it was; the number of units if none.
template <std::size_t N>
std::size_t take_part(std::string_view& text, const std::array<unit, N>& units, std::uint64_t& count) {
  auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (!parse_number(text.substr(0, digits), count)) return N;
  text.remove_prefix(digits);
  auto letters = std::min(text.find_first_of("0123456789"), text.size());
  for (std::size_t i = 0; i < N; ++i) {
    if (units[i].name != text.substr(0, letters)) continue;
    text.remove_prefix(letters);
    return i;
  }
  return N;
}

template <std::size_t N>
bool parse_parts(std::string_view text, const std::array<unit, N>& units, std::uint64_t& total) {
  if (text == "0") return total = 0, true;
  std::uint64_t sum = 0;
  std::size_t next = 0;
  while (!text.empty()) {
    std::uint64_t count = 0;
    auto i = take_part(text, units, count);
    if (i == N || i < next || count > (largest - sum) / units[i].size) return false;
    sum += count * units[i].size;
    next = i + 1;
  }
  if (next == 0) return false;
  total = sum;
  return true;
}

}  // namespace

bool parse_scalar(std::string_view text, bool& x) {
  if (text != "true" && text != "false") return false;
  x = text == "true";
  return true;
}

bool parse_scalar(std::string_view text, std::int64_t& x) { return parse_number(text, x); }
bool parse_scalar(std::string_view text, std::uint64_t& x) { return parse_number(text, x); }
bool parse_scalar(std::string_view text, std::uint32_t& x) { return parse_number(text, x); }

bool parse_scalar(std::string_view text, double& x) {
  double value = 0;
  if (!parse_number(text, value) || !std::isfinite(value)) return false;
  x = value;
  return true;
}

bool parse_scalar(std::string_view text, std::chrono::microseconds& x) {
  std::uint64_t total = 0;
  if (!parse_parts(text, time_units, total)) return false;
  x = std::chrono::microseconds{total};
  return true;
}

bool parse_scalar(std::string_view text, std::chrono::milliseconds& x) {
  std::chrono::microseconds exact{};
  if (!parse_scalar(text, exact) || exact.count() % 1000 != 0) return false;
  x = std::chrono::duration_cast<std::chrono::milliseconds>(exact);
  return true;
}

bool parse_scalar(std::string_view text, byte_size& x) { return parse_parts(text, size_units, x.bytes); }

bool parse_scalar(std::string_view text, messages::dtype& x) {
  using messages::dtype;
  constexpr std::array<std::pair<std::string_view, dtype>, 12> names{{{"float32", dtype::float32},
                                                                      {"fp32", dtype::float32},
                                                                      {"float", dtype::float32},
                                                                      {"float16", dtype::float16},
                                                                      {"fp16", dtype::float16},
                                                                      {"half", dtype::float16},
                                                                      {"bfloat16", dtype::bfloat16},
                                                                      {"bf16", dtype::bfloat16},
                                                                      {"f32", dtype::float32},
                                                                      {"float64", dtype::float64},
                                                                      {"fp64", dtype::float64},
                                                                      {"double", dtype::float64}}};
  for (auto& [name, value] : names)
    if (name == text) return x = value, true;
  return false;
}

bool parse_scalar(std::string_view text, std::string& x) {
  x = text;
  return true;
}

std::string show(bool x) { return x ? "true" : "false"; }
std::string show(std::int64_t x) { return std::to_string(x); }
std::string show(std::uint64_t x) { return std::to_string(x); }
std::string show(std::uint32_t x) { return std::to_string(x); }
std::string show(int x) { return std::to_string(x); }

std::string show(double x) {
  std::array<char, 40> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

std::string show(std::chrono::microseconds x) {
  auto left = static_cast<std::uint64_t>(x.count());
  std::string out;
  for (auto& unit : time_units) {
    if (left < unit.size) continue;
    out += std::to_string(left / unit.size) + std::string{unit.name};
    left %= unit.size;
  }
  return out.empty() ? "0" : out;
}

std::string show(byte_size x) {
  if (x.bytes == 0) return "0";
  for (auto& unit : size_units)
    if (x.bytes % unit.size == 0) return std::to_string(x.bytes / unit.size) + std::string{unit.name};
  return {};
}

std::string show(messages::dtype x) { return std::string{enum_names(x)[static_cast<std::size_t>(x)]}; }
std::string show(const std::string& x) { return x; }

}  // namespace configs
