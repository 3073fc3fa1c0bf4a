#pragma once
// Models emit bytes, servers cut them at tokens: what is no UTF-8 becomes U+FFFD before anything reads it.

#include <string>
#include <string_view>

namespace llm_client {

/// Each longest piece that begins no character is one U+FFFD, as browsers do it; overlong forms, surrogates and what
/// is above U+10FFFF are none. Appends to `out`.
void append_utf8(std::string& out, std::string_view text);

std::string valid_utf8(std::string_view text);

}  // namespace llm_client
