#ifndef KERNELMESH_MESSAGES_WIRE_WIRE_HPP
#define KERNELMESH_MESSAGES_WIRE_WIRE_HPP
// Structs to MessagePack and JSON and back. A type says once what its fields are (README.md). Nothing but
// std::bad_alloc is thrown. Bulk data does not belong in a message: send it as a ZeroMQ frame of its own.

#include "messages/wire/codec.hpp"

namespace wire {

template <record T>
bytes pack(const T& x) {
  writer out;
  write(out, x);
  return std::move(out).take();
}

template <record T>
expected<T> from_document(const expected<document>& doc, const limits& limit) {
  if (!doc) return tl::unexpected{doc.error()};
  reading state{doc->from_json, limit.memory_bytes, {}};
  expected<T> x{tl::in_place};
  if (!read(reader{doc->nodes.front(), state}, *x)) return tl::unexpected{std::move(*state.failure)};
  return x;
}

/// @param input exactly one message; bytes after it are an error
template <record T>
expected<T> unpack(bytes_view input, const limits& limit = {}) {
  return from_document<T>(parse_msgpack(input, limit), limit);
}

/// Blobs become base64 texts; NaN and infinities become "NaN", "Infinity", "-Infinity"; what is not UTF-8 is replaced.
template <record T>
std::string to_json(const T& x, const json_style& style = {}) {
  auto packed = pack(x);
  return format_json(*parse_msgpack(packed, {SIZE_MAX, SIZE_MAX, SIZE_MAX}), style);
}

template <record T>
expected<T> from_json(std::string_view input, const limits& limit = {}) {
  return from_document<T>(parse_json(input, limit), limit);
}

}  // namespace wire

#endif
