#pragma once
// Which language models there are and how they are asked: the part `llm` of the system config. Keys of providers are
// named here by the variable or the file that holds them, never by their value.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "configs/model_facts.hpp"

namespace configs {

/// How a server is spoken to.
enum class llm_protocol : std::uint8_t { chat_completions, responses, messages };
constexpr auto enum_names(llm_protocol) {
  return std::to_array<std::string_view>({"chat_completions", "responses", "messages"});
}

/// Whose way of speaking it; `standard` is that of the protocol's author.
enum class llm_dialect : std::uint8_t {
  standard,
  openai,
  azure,
  vllm,
  sglang,
  ollama,
  llama_cpp,
  deepseek,
  openrouter
};
constexpr auto enum_names(llm_dialect) {
  return std::to_array<std::string_view>(
      {"standard", "openai", "azure", "vllm", "sglang", "ollama", "llama.cpp", "deepseek", "openrouter"});
}

/// One server with one key.
struct llm_provider_options {
  llm_protocol protocol = llm_protocol::chat_completions;
  llm_dialect dialect = llm_dialect::standard;
  std::string base_url;      ///< what "/chat/completions" is appended to: "https://api.openai.com/v1"
  std::string key_variable;  ///< environment variable with the key
  std::string key_file;      ///< or a file that holds nothing else; neither: the server wants none
  std::string proxy;         ///< "": as the environment says (HTTPS_PROXY, NO_PROXY); "none"; or a URL
  std::string ca_file;       ///< PEM; "": the system's authorities
  std::string api_version;   ///< Azure's query, Anthropic's header; "": the protocol's default
  void keys(auto& k);
};

struct llm_model_options {
  std::string provider;  ///< one of the providers
  std::string model;     ///< as the server calls it; "": as it is called here
  model_facts facts;     ///< before those of the tables
  void keys(auto& k);
};

/// Of one attempt, each counted from its start but for `idle`.
struct llm_deadlines {
  std::chrono::milliseconds connect{10'000};       ///< name, TCP and TLS
  std::chrono::milliseconds first_token{300'000};  ///< until the answer begins; comments and pings are no answer
  std::chrono::milliseconds idle{120'000};         ///< between two packets
  std::chrono::milliseconds total{1'200'000};
  void keys(auto& k);
};

struct llm_retry_options {
  std::uint32_t attempts = 6;                      ///< of one request, over all models of its list
  std::chrono::milliseconds first_wait{1'000};     ///< doubles with each attempt on the same model
  std::chrono::milliseconds longest_wait{60'000};  ///< and ends here; a longer Retry-After means the next model
  std::uint32_t breaker_failures = 5;              ///< in a row: the model rests
  std::chrono::milliseconds breaker_rest{30'000};  ///< then one request tries it
  std::chrono::milliseconds quota_rest{900'000};   ///< of a key that has no money left
  void keys(auto& k);
};

struct llm_options {
  std::map<std::string, llm_provider_options> providers;
  std::map<std::string, llm_model_options> models;
  std::map<std::string, std::vector<std::string>> roles;  ///< names of models, the next one where one fails
  std::vector<std::string> facts;                         ///< tables of yours, before the one in configs/
  llm_deadlines deadlines;
  llm_retry_options retry;
  void keys(auto& k);
};

/// The models of a role in their order: its own list, else that of "default", else all.
std::vector<std::string> models_of_role(const llm_options& options, const std::string& role);

}  // namespace configs
