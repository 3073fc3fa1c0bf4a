#pragma once
// Does each configured model answer? For the start of a system and for people who ask.

#include <functional>
#include <string>
#include <vector>

#include "llm_client/exchanges.hpp"

namespace llm_client {

struct probe_result {
  std::string model;  ///< in the config
  bool answers = false;
  std::string line;  ///< one sentence; of a failure also what to do
};

/// Asks all models side by side for a word or two, and waits for them: as long as one attempt may take at most. By the
/// names of the models. Not from the loop's thread.
std::vector<probe_result> probe_models(http_loop& loop, const configs::llm_options& options, const model_list& models,
                                       std::function<double()> random);

/// What to do about a failure of a probe; empty where waiting is all.
std::string probe_advice(messages::llm_failure_kind kind, const configs::llm_provider_options& server);

}  // namespace llm_client
