#pragma once
// Runs that other processes drive, asked through their control sockets.

#include <filesystem>
#include <vector>

#include "messages/records/failure.hpp"
#include "messages/records/run.hpp"

namespace actors::cli {

/// As its journal has them: the process that drives it knows of those of its own jobs at most.
void count_facts(messages::run_status& x, const std::filesystem::path& state);

/// What running processes say of their runs; a process that does not answer is said on stderr.
/// @param run none: all
std::vector<messages::run_status> ask_running(const std::filesystem::path& state, const messages::run_id& run);

/// All that have a journal, oldest first.
std::vector<messages::run_id> runs_on_disk(const std::filesystem::path& state);

/// Of a run that nobody drives. Failures: as load_run.
messages::expected<messages::run_status> status_from_journal(const std::filesystem::path& state,
                                                             const messages::run_id& run);

}  // namespace actors::cli
