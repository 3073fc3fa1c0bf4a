#pragma once
// How long a run may take, before it starts.

#include <map>
#include <span>

#include "messages/records/command_documents.hpp"
#include "messages/records/fact.hpp"

namespace actors::logic {

/// How long stages of one kind took.
struct stage_average {
  double seconds = 0;  ///< of all together
  std::uint64_t count = 0;
};
using stage_averages = std::map<messages::stage_kind, stage_average>;

/// Adds the stages that ended with a verdict.
void add_stages(stage_averages& to, std::span<const messages::fact> facts);

/// At most: every job uses all its evaluations, or its time where that is less. What was never measured is assumed.
/// @param compilers builds at once
messages::estimate_document estimate_of(const messages::run_spec& spec, const stage_averages& measured,
                                        std::uint32_t compilers);

}  // namespace actors::logic
