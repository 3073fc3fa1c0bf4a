#include "dsl/cpp/text.hpp"

#include <array>

namespace dsl::cpp {

std::string_view type_of(messages::dtype x) {
  static constexpr std::array<std::string_view, 12> types{"float",
                                                          "km::float16",
                                                          "km::bfloat16",
                                                          "double",
                                                          "int64_t",
                                                          "int32_t",
                                                          "int16_t",
                                                          "int8_t",
                                                          "uint8_t",
                                                          "uint8_t",
                                                          "std::complex<float>",
                                                          "std::complex<double>"};
  return types[static_cast<std::size_t>(x)];
}

std::string dtype_of(messages::dtype x) {
  static constexpr auto names = enum_names(messages::dtype{});
  return "kernelmesh_" + std::string{names[static_cast<std::size_t>(x)]};
}

std::string list_of(const std::vector<std::int64_t>& xs) {
  std::string text;
  for (auto x : xs) text += (text.empty() ? "" : ", ") + std::to_string(x);
  return text.empty() ? "{0}" : '{' + text + '}';
}

std::string shape_of(const messages::tensor_spec& x) {
  std::string text;
  for (auto size : x.shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return '[' + text + ']';
}

std::string harmless(std::string_view x) {
  std::string text{x.substr(0, 128)};
  for (auto& c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

}  // namespace dsl::cpp
