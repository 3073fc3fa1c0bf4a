#include "llm_client/probe.hpp"

#include <future>

namespace llm_client {

namespace {

using probed = messages::llm_failure_kind;

/// An answer of any kind will do: it shows that host, key and model are right.
bool shows_life(const outcome& x) {
  if (x) return true;
  auto kind = x.error().kind;
  return kind == probed::output_limit || kind == probed::empty_reply || kind == probed::refused_by_model
         || kind == probed::tool_call;
}

messages::llm_request smallest_request() { return {.messages = {{.text = "Say yes."}}, .output_tokens = 64}; }

std::string seconds_text(std::chrono::milliseconds x) {
  return std::to_string(x.count() / 1000) + "." + std::to_string(x.count() / 100 % 10) + " s";
}

probe_result result_of(const std::string& name, const configs::llm_options& options, const outcome& x) {
  auto took = x ? x->total : x.error().partial.total;
  if (shows_life(x)) return {name, true, name + " answers, in " + seconds_text(took)};
  auto advice = probe_advice(x.error().kind, options.providers.at(options.models.at(name).provider));
  return {name, false, x.error().detail + (advice.empty() ? "" : "; " + advice)};
}

}  // namespace

std::string probe_advice(probed kind, const configs::llm_provider_options& server) {
  auto key = !server.key_variable.empty() ? "the variable " + server.key_variable
             : !server.key_file.empty()   ? "the file " + server.key_file
                                          : std::string{"key_variable or key_file, of which neither is set"};
  switch (kind) {
    case probed::unauthorized: return "check the key in " + key;
    case probed::forbidden: return "the key in " + key + " may not use this model";
    case probed::quota_exhausted: return "there is no money left for the key in " + key;
    case probed::not_found: return "check model and base_url";
    case probed::name_not_found:
    case probed::connection_failed:
    case probed::connect_timeout: return "check base_url and proxy, and whether the server runs";
    case probed::tls_failed: return "check base_url, and ca_file where the certificate is of an authority of your own";
    case probed::malformed_reply: return "check base_url, protocol and dialect";
    default: return {};
  }
}

std::vector<probe_result> probe_models(http_loop& loop, const configs::llm_options& options, const model_list& models,
                                       std::function<double()> random) {
  auto once = options;
  once.retry.attempts = 1;
  exchanges asked{loop, once, models, std::move(random)};
  std::map<std::string, std::future<outcome>> answers;
  for (const auto& [name, x] : models.usable) {
    auto told = std::make_shared<std::promise<outcome>>();
    answers[name] = told->get_future();
    exchange_events events;
    events.done = [told](outcome result) { told->set_value(std::move(result)); };
    asked.start({name}, smallest_request(), std::move(events));
  }
  std::vector<probe_result> out;
  for (auto& [name, answer] : answers) out.push_back(result_of(name, options, answer.get()));
  for (const auto& [name, failure] : models.unusable) out.push_back({name, false, name + ": " + failure.detail});
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.model < b.model; });
  return out;
}

}  // namespace llm_client
