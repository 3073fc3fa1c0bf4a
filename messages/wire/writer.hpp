#ifndef KERNELMESH_MESSAGES_WIRE_WRITER_HPP
#define KERNELMESH_MESSAGES_WIRE_WRITER_HPP

#include "messages/wire/document.hpp"

namespace wire {

/// Appends MessagePack to a buffer. An array or map is its head followed by that many values or key-value pairs.
/// Texts, blobs and counts of 4 GiB or more do not exist on the wire: they terminate the process.
class writer {
public:
  writer() { buffer_.reserve(256); }
  void nil();
  void boolean(bool x);
  void positive(std::uint64_t x);
  void integer(std::int64_t x);
  void real(double x);
  void text(std::string_view x);
  void blob(bytes_view x);
  void array(std::size_t elements);
  void map(std::size_t pairs);
  bytes take() && { return std::move(buffer_); }

private:
  bytes buffer_;
};

}  // namespace wire

#endif
