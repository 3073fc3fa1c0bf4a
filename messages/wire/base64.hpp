#ifndef KERNELMESH_MESSAGES_WIRE_BASE64_HPP
#define KERNELMESH_MESSAGES_WIRE_BASE64_HPP

#include "messages/wire/document.hpp"

namespace wire {

/// RFC 4648 section 4, with padding.
std::string base64_encode(bytes_view x);
bool base64_decode(std::string_view text, bytes& out);

}  // namespace wire

#endif
