#pragma once
// results.jsonl of a bench: a line a problem, added as it ends. The journal is what is true: lines are made of it.

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "actors/logic/job_state.hpp"
#include "messages/records/bench.hpp"
#include "messages/records/event.hpp"

namespace actors::cli {

/// Where it lies in the folder of results.
std::filesystem::path results_file(const std::filesystem::path& folder);

/// While it lives, its thread writes the lines of problems whose jobs have all ended: those of earlier starts as soon
/// as the run is ours, others as they end.
class bench_results {
public:
  /// @param run may have no journal yet
  bench_results(std::filesystem::path state, messages::run_id run, std::filesystem::path folder);
  ~bench_results();

  /// From any thread, quick.
  void note(const messages::event& x);

private:
  void loop();
  void add_lines();

  std::filesystem::path state_, folder_;
  messages::run_id run_;
  std::set<std::string> written_;  ///< problems; of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool due_ = false;
  bool stop_ = false;
  bool fresh_ = true;  ///< nothing was written; of the thread
  std::thread thread_;
};

/// All lines of problems that have ended, in the order of the run's spec; lines that a crash cut go.
messages::expected<void> rewrite_results(const logic::run_state& run, const std::filesystem::path& folder);

}  // namespace actors::cli
