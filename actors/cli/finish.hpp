#pragma once
// How commands that drive a run end: results written, answer printed, exit code.

#include "actors/cli/outcome.hpp"
#include "actors/cli/results.hpp"
#include "actors/cli/session.hpp"

namespace actors::cli {

/// Drives the run, writes what its spec asks for and prints what its command promises; `resume` ends as the command
/// that started the run would have.
outcome drive_to_the_end(const place& where, const session_options& options);

/// The same for a run that has ended before.
outcome print_results(const place& where, const std::filesystem::path& state, const messages::run_id& run, bool json);

/// Of a run of several jobs: infrastructure if one could not be judged, else done if one found a kernel, else the worst
/// of what they say. Of one that has not finished: interrupted.
exit_code code_of(const logic::run_state& run);

/// How to go on after an interruption, and how to get at what was found so far.
std::string how_to_go_on(const messages::run_status& x, const std::string& command);

/// The config of the system that a run needs: as it was when the run began.
messages::expected<configs::system_config> system_of(const place& where, const messages::run_spec& spec);

}  // namespace actors::cli
