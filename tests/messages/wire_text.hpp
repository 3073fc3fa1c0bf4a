#pragma once
// Short forms that several tests of the wire use.

#include <string>
#include <string_view>

#include "messages/wire/document.hpp"

namespace tests {

inline wire::bytes raw(std::string_view x) {
  auto data = reinterpret_cast<const std::byte*>(x.data());
  return {data, data + x.size()};
}

/// Why it could not be read, or "none".
template <class T>
std::string problem_of(const wire::expected<T>& x) {
  return x ? "none" : to_string(x.error());
}

}  // namespace tests
