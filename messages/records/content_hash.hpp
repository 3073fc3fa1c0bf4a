#ifndef KERNELMESH_MESSAGES_RECORDS_CONTENT_HASH_HPP
#define KERNELMESH_MESSAGES_RECORDS_CONTENT_HASH_HPP
// The one home of hashing: 128 bits of XXH3, written as 32 lower-case hex digits.

#include <string>

#include "messages/wire/wire.hpp"

namespace messages {

std::string content_hash(wire::bytes_view x);
std::string content_hash(std::string_view x);

/// Of a record's MessagePack form: equal records have equal hashes; a new field with its default changes it.
template <wire::record T>
std::string content_hash(const T& x) {
  return content_hash(wire::bytes_view{wire::pack(x)});
}

}  // namespace messages

#endif
