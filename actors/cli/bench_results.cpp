#include "actors/cli/bench_results.hpp"

#include <csignal>
#include <fstream>

#include "actors/cli/outcome.hpp"
#include "actors/cli/results.hpp"
#include "actors/report/bench.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// Signals are for the watch: a thread that is made in here takes none.
class without_signals {
public:
  without_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  without_signals(const without_signals&) = delete;
  ~without_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

}  // namespace

fs::path results_file(const fs::path& folder) { return folder / "results.jsonl"; }

bench_results::bench_results(fs::path state, run_id run, fs::path folder)
    : state_(std::move(state)), folder_(std::move(folder)), run_(std::move(run)) {
  without_signals quiet;
  thread_ = std::thread{[this] { loop(); }};
}

bench_results::~bench_results() {
  {
    std::lock_guard lock{mutex_};
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void bench_results::note(const event& x) {
  if (x.kind != event_kind::job_ended && x.kind != event_kind::run_started) return;
  std::lock_guard lock{mutex_};
  due_ = true;
  changed_.notify_all();
}

void bench_results::loop() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return due_ || stop_; });
    if (stop_) return;
    due_ = false;
    lock.unlock();
    add_lines();
    lock.lock();
  }
}

void bench_results::add_lines() {
  auto run = load_run(state_, run_);
  if (!run) return;  // when the run ends, what can't be read is said
  auto how = std::exchange(fresh_, false) ? std::ios::trunc : std::ios::app;
  std::ofstream out{results_file(folder_), how | std::ios::binary};
  for (const auto& problem : report::problems_of(*run)) {
    if (!problem.finished() || !written_.insert(problem.problem).second) continue;
    out << wire::to_json(report::result_of(problem)) + '\n' << std::flush;
  }
}

expected<void> rewrite_results(const logic::run_state& run, const fs::path& folder) {
  std::string text;
  for (const auto& problem : report::problems_of(run))
    if (problem.finished()) text += wire::to_json(report::result_of(problem)) + '\n';
  return write_file(results_file(folder), text);
}

}  // namespace actors::cli
