#pragma once
// In what servers differ that speak the same protocol. The table is in dialect.cpp; a new server is one more line.

#include <string_view>

#include "configs/llm_options.hpp"

namespace llm_client {

struct dialect {
  std::string_view limit;        ///< of Chat Completions: the parameter that bounds the answer
  std::string_view other_limit;  ///< what takes its place where a model refuses it
  std::string_view key_header;   ///< what the key follows: "Authorization: Bearer "
  bool usage_on_request = true;  ///< a stream tells its usage only if asked
  configs::reasoning_form reasoning = configs::reasoning_form::effort;
  configs::structured_form structured = configs::structured_form::schema;
  configs::cache_form cache = configs::cache_form::automatic;
};

const dialect& dialect_of(const configs::llm_provider_options& server);

}  // namespace llm_client
