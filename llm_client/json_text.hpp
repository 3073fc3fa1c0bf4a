#pragma once
// JSON out, for bodies of requests: members in the order in which they are added, so that equal beginnings of prompts
// are equal bytes, which is what servers cache by.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace llm_client {

/// In quotes and escaped; what is no UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

class json_object {
public:
  json_object& text(std::string_view key, std::string_view value);
  json_object& number(std::string_view key, double value);  ///< finite
  json_object& boolean(std::string_view key, bool value) { return json(key, value ? "true" : "false"); }
  template <std::integral T>
  requires(!std::same_as<T, bool>) json_object& integer(std::string_view key, T value) {
    return json(key, std::to_string(value));
  }
  /// @param value a JSON document
  json_object& json(std::string_view key, std::string_view value);
  std::string take() { return std::move(out_) + '}'; }

private:
  std::string out_ = "{";
};

class json_array {
public:
  /// @param value a JSON document
  json_array& json(std::string_view value);
  json_array& text(std::string_view value) { return json(json_string(value)); }
  std::string take() { return std::move(out_) + ']'; }

private:
  std::string out_ = "[";
};

}  // namespace llm_client
