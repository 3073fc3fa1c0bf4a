#pragma once
// Single values as a config writes them, each with what it is called in a sentence.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/tensor.hpp"

namespace configs {

/// "64MiB"
struct byte_size {
  std::uint64_t bytes = 0;
  friend auto operator<=>(const byte_size&, const byte_size&) = default;
};

/// The whole text or nothing. Numbers are decimal; durations are "250ms", "10m", "1h30m" (units us, ms, s, m, h, d) or
/// "0"; sizes "64MiB" (B, KiB, MiB, GiB, kB, MB, GB) or "0"; booleans true and false.
bool parse_scalar(std::string_view text, bool& x);
bool parse_scalar(std::string_view text, std::int64_t& x);
bool parse_scalar(std::string_view text, std::uint64_t& x);
bool parse_scalar(std::string_view text, std::uint32_t& x);
bool parse_scalar(std::string_view text, double& x);  ///< finite
bool parse_scalar(std::string_view text, std::chrono::microseconds& x);
bool parse_scalar(std::string_view text, std::chrono::milliseconds& x);  ///< no fraction of one
bool parse_scalar(std::string_view text, byte_size& x);
bool parse_scalar(std::string_view text, messages::dtype& x);  ///< floating ones: "fp16", "float16", "half", ...
bool parse_scalar(std::string_view text, std::string& x);      ///< any text

/// As parse_scalar reads it.
std::string show(bool x);
std::string show(std::int64_t x);
std::string show(std::uint64_t x);
std::string show(std::uint32_t x);
std::string show(int x);
std::string show(double x);
std::string show(std::chrono::microseconds x);
std::string show(byte_size x);
std::string show(messages::dtype x);
std::string show(const std::string& x);

/// What a value of the type is called: "a whole number", "a duration such as 10m or 250ms".
template <class T>
std::string noun() {
  if constexpr (std::same_as<T, bool>)
    return "true or false";
  else if constexpr (std::integral<T>)
    return "a whole number";
  else if constexpr (std::floating_point<T>)
    return "a number";
  else if constexpr (std::same_as<T, byte_size>)
    return "a size such as 64MiB";
  else if constexpr (std::same_as<T, messages::dtype>)
    return "one of \"float32\", \"float16\", \"bfloat16\" or \"float64\"";
  else if constexpr (std::same_as<T, std::string>)
    return "a text";
  else
    return "a duration such as 10m or 250ms";
}

/// Texts may stand in quotes, all else must not.
template <class T>
constexpr bool may_be_quoted = std::same_as<T, std::string> || std::same_as<T, messages::dtype>;

/// An enum with names is one of them.
template <class E>
concept named_enum = std::is_enum_v<E> && !std::same_as<E, messages::dtype> && requires(E e) {
  enum_names(e);
};

template <named_enum E>
std::vector<std::string> names_of() {
  std::vector<std::string> out;
  for (auto name : enum_names(E{})) out.emplace_back(name);
  return out;
}

}  // namespace configs
