#pragma once
// The keys of `llm` in a system config and of tables of facts, with their ranges; goes with llm_options.hpp. Where a
// value may be a key by mistake it is not quoted in the sentence.

#include <algorithm>
#include <cctype>

#include "configs/constraints.hpp"
#include "configs/llm_options.hpp"

namespace configs {

/// A name of an environment variable: not what a key looks like.
inline bool variable_name(const std::string& x) {
  auto word = [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; };
  return x.empty()
         || (x.size() <= 64 && !std::isdigit(static_cast<unsigned char>(x[0])) && std::ranges::all_of(x, word));
}

/// http or https with a host, and nothing in it that is secret or that a path could not follow.
inline bool plain_url(const std::string& x) {
  auto begin = x.starts_with("https://") ? 8u : x.starts_with("http://") ? 7u : 0u;
  return begin > 0 && x.size() > begin && x.size() < 2048 && x.find_first_of("@?# \t\r\n\"\\") == x.npos
         && x[begin] != '/';
}

template <class Map>
bool short_names(const Map& map) {
  return std::ranges::all_of(map, [](const auto& x) { return short_name{}.ok(x.first); });
}

void model_price::keys(auto& k) {
  constexpr in_range dollars{0.0, 100'000.0};
  k.required("input_usd", input_usd, dollars);
  k.required("output_usd", output_usd, dollars);
  k("cached_input_usd", cached_input_usd, dollars);
  k("cache_write_usd", cache_write_usd, dollars);
  k("as_of", as_of);
}

void model_facts::keys(auto& k) {
  constexpr in_range tokens{std::uint64_t{1}, std::uint64_t{1'000'000'000}};
  k("context_tokens", context_tokens, tokens);
  k("output_tokens", output_tokens, tokens);
  k("price", price);
  k("refuses", refuses, short_name{});
  k("reasoning", reasoning);
  k("structured", structured);
  k("cache", cache);
}

void facts_entry::keys(auto& k) {
  k.required("match", match, not_empty{});
  facts.keys(k);
}

void facts_table::keys(auto& k) { k.required("models", models); }

void llm_provider_options::keys(auto& k) {
  k("protocol", protocol);
  k("dialect", dialect);
  k.required("base_url", base_url);
  k("key_variable", key_variable);
  k("key_file", key_file);
  k("proxy", proxy);
  k("ca_file", ca_file);
  k("api_version", api_version, short_name{});
  k.check(plain_url(base_url), "base_url",
          "is no URL such as https://api.example.com/v1; give one without user, query and fragment");
  k.check(variable_name(key_variable), "key_variable",
          "is no name of an environment variable (A-Z, 0-9, \"_\"); put the key into such a variable and name that");
  k.check(key_variable.empty() || key_file.empty(), "key_file", "stands beside \"key_variable\"; keep one of them");
  k.check(proxy.empty() || proxy == "none" || plain_url(proxy), "proxy",
          "is no URL such as http://proxy:3128, nor \"none\"; a proxy with a password goes into HTTPS_PROXY");
}

void llm_model_options::keys(auto& k) {
  k.required("provider", provider, not_empty{});
  k("model", model);
  k("facts", facts);
}

void llm_deadlines::keys(auto& k) {
  using namespace std::chrono_literals;
  constexpr in_range limit{std::chrono::milliseconds{100ms}, std::chrono::milliseconds{24h}};
  k("connect", connect, limit);
  k("first_token", first_token, limit);
  k("idle", idle, limit);
  k("total", total, limit);
}

void llm_retry_options::keys(auto& k) {
  using namespace std::chrono_literals;
  constexpr in_range wait{std::chrono::milliseconds{1ms}, std::chrono::milliseconds{24h}};
  k("attempts", attempts, in_range{1, 100});
  k("first_wait", first_wait, wait);
  k("longest_wait", longest_wait, wait);
  k("breaker_failures", breaker_failures, in_range{1, 1000});
  k("breaker_rest", breaker_rest, wait);
  k("quota_rest", quota_rest, wait);
}

void llm_options::keys(auto& k) {
  k("providers", providers);
  k("models", models);
  k("roles", roles, short_name{});
  k("facts", facts, not_empty{});
  k("deadlines", deadlines);
  k("retry", retry);
  auto named = short_names(providers) && short_names(models) && short_names(roles);
  k.check(named, "models",
          "or what stands beside it has a name that is none; use letters, digits, \"_\", \"-\" and \".\"");
  for (const auto& [name, x] : models)
    k.check(providers.contains(x.provider), "models",
            "has " + in_quotes(name) + " of the provider " + in_quotes(x.provider)
                + ", which is not among \"providers\"; add it");
  for (const auto& [role, list] : roles)
    for (const auto& name : list)
      k.check(models.contains(name), "roles",
              "gives " + in_quotes(role) + " the model " + in_quotes(name) + ", which is not among \"models\"; add it");
}

}  // namespace configs
