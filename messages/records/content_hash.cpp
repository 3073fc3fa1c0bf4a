#include "messages/records/content_hash.hpp"

#include <cstdio>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace messages {

std::string content_hash(wire::bytes_view x) {
  auto hash = XXH3_128bits(x.data(), x.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string content_hash(std::string_view x) { return content_hash(std::as_bytes(std::span{x.data(), x.size()})); }

}  // namespace messages
