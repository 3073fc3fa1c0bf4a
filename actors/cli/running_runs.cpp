#include "actors/cli/running_runs.hpp"

#include <algorithm>

#include "actors/cli/outcome.hpp"
#include "actors/cli/results.hpp"
#include "actors/control_socket.hpp"
#include "actors/journal_file.hpp"
#include "actors/logic/status.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

void count_facts(run_status& x, const fs::path& state) {
  auto file = journal_file::open(journal_path(runs_folder(state), x.run), journal_file::mode::read_only);
  if (file) x.facts = file->count();
}

std::vector<run_status> ask_running(const fs::path& state, const run_id& run) {
  std::vector<run_status> all;
  for (const auto& socket : control_sockets(control_folder(state))) {
    auto reply = ask_control(socket, {status_request{run}});
    if (!reply) {
      warn(reply.error());
      continue;
    }
    if (auto status = std::get_if<status_reply>(&reply->answer))
      all.insert(all.end(), status->runs.begin(), status->runs.end());
  }
  for (auto& x : all) count_facts(x, state);
  return all;
}

std::vector<run_id> runs_on_disk(const fs::path& state) {
  std::vector<run_id> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{runs_folder(state), error})
    if (fs::exists(entry.path() / "journal.sqlite", error)) all.push_back({entry.path().filename().string()});
  std::ranges::sort(all);
  return all;
}

expected<run_status> status_from_journal(const fs::path& state, const run_id& run) {
  auto known = load_run(state, run);
  if (!known) return tl::unexpected{known.error()};
  return status_of(*known, known->finished ? run_phase::finished : run_phase::interrupted);
}

}  // namespace actors::cli
