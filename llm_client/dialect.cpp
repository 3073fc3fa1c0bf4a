#include "llm_client/dialect.hpp"

namespace llm_client {

using configs::cache_form;
using configs::llm_dialect;
using configs::llm_protocol;
using configs::reasoning_form;
using configs::structured_form;

namespace {

constexpr std::string_view bearer = "Authorization: Bearer ";
constexpr std::string_view newer = "max_completion_tokens", older = "max_tokens";

constexpr dialect openai_dialect{newer, older, bearer};
constexpr dialect azure_dialect{newer, older, "api-key: "};
constexpr dialect local_dialect{older, newer, bearer};
constexpr dialect ollama_dialect{.limit = older, .other_limit = newer, .key_header = bearer, .cache = cache_form::none};
constexpr dialect deepseek_dialect{.limit = older,
                                   .other_limit = newer,
                                   .key_header = bearer,
                                   .reasoning = reasoning_form::none,
                                   .structured = structured_form::object};
constexpr dialect anthropic_dialect{.limit = older,
                                    .other_limit = {},
                                    .key_header = "x-api-key: ",
                                    .reasoning = reasoning_form::budget,
                                    .cache = cache_form::marked};
constexpr dialect messages_elsewhere{.limit = older,
                                     .other_limit = {},
                                     .key_header = bearer,
                                     .reasoning = reasoning_form::budget,
                                     .structured = structured_form::none,
                                     .cache = cache_form::automatic};

}  // namespace

const dialect& dialect_of(const configs::llm_provider_options& server) {
  if (server.protocol == llm_protocol::messages)
    return server.dialect == llm_dialect::standard ? anthropic_dialect : messages_elsewhere;
  switch (server.dialect) {
    case llm_dialect::standard:
    case llm_dialect::openai: return openai_dialect;
    case llm_dialect::azure: return azure_dialect;
    case llm_dialect::ollama: return ollama_dialect;
    case llm_dialect::deepseek: return deepseek_dialect;
    case llm_dialect::vllm:
    case llm_dialect::sglang:
    case llm_dialect::llama_cpp:
    case llm_dialect::openrouter: return local_dialect;
  }
  return openai_dialect;
}

}  // namespace llm_client
