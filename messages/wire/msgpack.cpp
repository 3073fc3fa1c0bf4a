#include <algorithm>
#include <cstdlib>

#include <msgpack.hpp>

#include "messages/wire/builder.hpp"
#include "messages/wire/writer.hpp"

namespace wire {

namespace {

/// What msgpack::packer writes to.
struct appender {
  bytes& buffer;
  void write(const char* data, std::size_t size) {
    if (buffer.capacity() - buffer.size() < size)  // insert would leave no room behind a large blob
      buffer.reserve(2 * buffer.capacity() + size);
    auto first = reinterpret_cast<const std::byte*>(data);
    buffer.insert(buffer.end(), first, first + size);
  }
};

std::uint32_t length(std::size_t size) {
  if (size > UINT32_MAX) std::abort();
  return static_cast<std::uint32_t>(size);
}

/// What msgpack::parse reports to.
struct parse_events : msgpack::null_visitor {
  parse_events(document& doc, const limits& limit) : build(doc, limit) {}
  bool visit_nil() { return build.value(kind::nil); }
  bool visit_boolean(bool x) { return build.value(kind::boolean, x); }
  bool visit_positive_integer(std::uint64_t x) { return build.value(kind::positive, x); }
  bool visit_negative_integer(std::int64_t x) { return build.integer(x); }
  bool visit_float32(float x) { return build.real(x); }
  bool visit_float64(double x) { return build.real(x); }
  bool visit_str(const char* x, std::uint32_t size) { return build.text(kind::text, x, size); }
  bool visit_bin(const char* x, std::uint32_t size) { return build.text(kind::blob, x, size); }
  bool visit_ext(const char* x, std::uint32_t size) { return build.text(kind::extension, x, size); }
  bool start_array(std::uint32_t) { return build.open(kind::array); }
  bool end_array() { return build.close(); }
  bool start_map(std::uint32_t) { return build.open(kind::map); }
  bool end_map() { return build.close(); }
  void parse_error(std::size_t, std::size_t at) { build.fail("not MessagePack at byte " + std::to_string(at)); }
  void insufficient_bytes(std::size_t, std::size_t at) { build.fail("cut off at byte " + std::to_string(at)); }

  builder build;
};

}  // namespace

void writer::nil() {
  appender to{buffer_};
  msgpack::packer{to}.pack_nil();
}
void writer::boolean(bool x) {
  appender to{buffer_};
  msgpack::packer{to}.pack(x);
}
void writer::positive(std::uint64_t x) {
  appender to{buffer_};
  msgpack::packer{to}.pack_uint64(x);
}
void writer::integer(std::int64_t x) {
  appender to{buffer_};
  msgpack::packer{to}.pack_int64(x);
}
void writer::array(std::size_t n) {
  appender to{buffer_};
  msgpack::packer{to}.pack_array(length(n));
}
void writer::map(std::size_t n) {
  appender to{buffer_};
  msgpack::packer{to}.pack_map(length(n));
}

/// Not pack_double: that writes 3.0 as the integer 3 and -0.0 as 0.
void writer::real(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  char buffer[9]{'\xcb'};
  for (int i = 8; i > 0; --i, bits >>= 8) buffer[i] = static_cast<char>(bits & 255);
  appender{buffer_}.write(buffer, sizeof buffer);
}

void writer::text(std::string_view x) {
  appender to{buffer_};
  msgpack::packer{to}.pack_str(length(x.size())).pack_str_body(x.data(), length(x.size()));
}

void writer::blob(bytes_view x) {
  appender to{buffer_};
  auto data = reinterpret_cast<const char*>(x.data());
  msgpack::packer{to}.pack_bin(length(x.size())).pack_bin_body(data, length(x.size()));
}

expected<document> parse_msgpack(bytes_view input, const limits& limit) {
  auto failed = [](std::string problem) { return tl::unexpected{error{{}, std::move(problem)}}; };
  if (input.size() > limit.message_bytes)
    return failed("longer than " + std::to_string(limit.message_bytes) + " bytes");
  document doc;
  doc.nodes.reserve(std::min<std::size_t>(input.size() / 4 + 1, 256));
  parse_events events{doc, limit};
  std::size_t end = 0;
  if (!msgpack::parse(reinterpret_cast<const char*>(input.data()), input.size(), end, events))
    return tl::unexpected{events.build.failure()};
  if (end != input.size()) return failed(std::to_string(input.size() - end) + " bytes after the message");
  return doc;
}

}  // namespace wire
