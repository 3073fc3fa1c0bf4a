#include "dsl/cpp/text.hpp"

namespace dsl::cpp {

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
