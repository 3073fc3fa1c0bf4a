#pragma once
// The journal actor: one SQLite file a run, group commit. Form of the file: JOURNAL.md.

#include <chrono>
#include <filesystem>

#include "actors/caf.hpp"
#include "messages/protocols/journal.hpp"

namespace actors {

struct journal_options {
  std::filesystem::path folder;                ///< of all runs: a run's journal is FOLDER/RUN/journal.sqlite
  std::chrono::milliseconds commit_window{0};  ///< facts that come within it share a commit; 0: those that wait already
  bool own_thread = true;                      ///< SQLite blocks; false: for tests in virtual time
};

/// Ends when it is sent an exit, after what it was given is on disk.
messages::journal_actor spawn_journal(caf::actor_system& system, const journal_options& options);

}  // namespace actors
