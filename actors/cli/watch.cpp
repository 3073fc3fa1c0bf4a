#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "actors/cli/commands.hpp"
#include "actors/cli/place.hpp"
#include "actors/cli/program.hpp"
#include "actors/cli/progress.hpp"
#include "actors/cli/running_runs.hpp"
#include "actors/report/text.hpp"
#include "messages/records/documents.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds look_again{500};

/// Draws the whole table anew on a terminal, else says what has changed, a line a job.
class watcher {
public:
  explicit watcher(bool terminal) : terminal_(terminal) {}

  void show(const run_status& x) {
    if (terminal_)
      std::cerr << "\x1b[H\x1b[J" << report::text_of(x) << std::flush;
    else
      for (const auto& job : x.jobs) say(job);
  }

private:
  void say(const job_status& x) {
    auto line = report::line_of(x);
    if (auto& known = said_[x.job]; known != line) std::cerr << (known = line) << '\n';
  }

  bool terminal_;
  std::map<job_id, std::string> said_;
};

/// The run to watch: the one that is named, else the newest that somebody drives.
expected<run_id> choose(const fs::path& state, const std::string& wanted) {
  if (!wanted.empty()) return run_id{wanted};
  auto all = ask_running(state, {});
  if (!all.empty()) return std::ranges::max_element(all, {}, &run_status::run)->run;
  return fail(failure_code::not_found, "no run is under way; " + hint("status") + " lists those that have ended");
}

bool over(const run_status& x) { return x.phase == run_phase::finished || x.phase == run_phase::interrupted; }

/// Until nobody drives the run; then what its journal says.
expected<run_status> watch_to_the_end(const fs::path& state, const run_id& run, bool terminal) {
  for (watcher shown{terminal};; std::this_thread::sleep_for(look_again)) {
    auto running = ask_running(state, run);
    if (running.empty()) return status_from_journal(state, run);
    shown.show(running.front());
    if (over(running.front())) return running.front();
  }
}

}  // namespace

outcome watch(const common_options& common, const watch_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto state = where->state_to_read(common);
  if (!state) return tl::unexpected{state.error()};
  auto run = choose(*state, options.run);
  if (!run) return tl::unexpected{run.error()};
  auto ended = watch_to_the_end(*state, *run, stderr_is_terminal());
  if (!ended) return tl::unexpected{ended.error()};
  if (common.json)
    std::cout << wire::to_json(status_document{.runs = {*ended}}, {.indent = 2}) << '\n';
  else
    std::cout << report::text_of(*ended);
  return exit_code::done;
}

}  // namespace actors::cli
