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

struct stage_averages {
  std::map<messages::stage_kind, stage_average> kinds;
  stage_average start;  ///< of workers: what the first trace of a run waited
};

/// Adds the stages of a run that ended with a verdict.
void add_stages(stage_averages& to, std::span<const messages::fact> facts);

struct estimate_options {
  std::uint32_t compilers = 1;  ///< builds at once
  bool starts_workers = false;
};

/// If every job uses all its evaluations, or its time where that is less; with what its time limit does not count: the
/// start of workers, its trace, a first kernel that is judged to its end. What was never measured is assumed.
messages::estimate_document estimate_of(const messages::run_spec& spec, const stage_averages& measured,
                                        const estimate_options& options);

}  // namespace actors::logic
