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

}  // namespace dsl::cpp
