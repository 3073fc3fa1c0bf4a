#pragma once
// The debugger without a model: a kind of failure leads to other knobs or to the next plan.

#include <cstdint>

#include "dsl/recipe.hpp"
#include "messages/records/question.hpp"

namespace dsl {

struct debugger_options {
  std::uint32_t repairs = 3;  ///< at most, of one line; then the next plan
};

/// The first change that the recipes' manifests list for this kind of failure, is within the device's limits and
/// changes anything; else the next plan. A line ends after `options.repairs` changes at the latest.
messages::debug_reply rules_debug(const messages::debug_request& request, const language& language,
                                  const debugger_options& options = {});

}  // namespace dsl
