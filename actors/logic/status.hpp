#pragma once
// What is said about jobs and runs to those who ask.

#include "actors/logic/strategy.hpp"
#include "messages/records/run.hpp"

namespace actors::logic {

messages::job_status status_of(const job_state& job, const open_actions& open = {});

/// As the journal has it; what is under way now only the jobs know.
messages::run_status status_of(const run_state& run, messages::run_phase phase);

/// One line on how a stage ended: "verified, error 2.1 % of what is allowed", "1.93 ms, 2.10x over eager", "rejected:
/// ...".
std::string summary_of(const messages::stage_result& result);

}  // namespace actors::logic
