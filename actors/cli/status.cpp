#include <algorithm>
#include <iostream>

#include "actors/cli/commands.hpp"
#include "actors/cli/results.hpp"
#include "actors/control_socket.hpp"
#include "actors/logic/status.hpp"
#include "actors/report/text.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// What running processes say of their runs.
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

}  // namespace

outcome status(const common_options& common, const status_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto state = where->state_of(common);
  if (!state) return tl::unexpected{state.error()};
  status_document document;
  document.runs = ask_running(*state, {options.run});
  auto wanted = options.run.empty() ? runs_on_disk(*state) : std::vector<run_id>{{options.run}};
  for (const auto& run : wanted) {
    if (std::ranges::find(document.runs, run, &run_status::run) != document.runs.end()) continue;
    auto known = status_from_journal(*state, run);
    if (known) {
      document.runs.push_back(*known);
      continue;
    }
    if (!options.run.empty()) return tl::unexpected{known.error()};
    warn(known.error());  // the others are shown all the same
  }
  if (common.json) {
    std::cout << wire::to_json(document, {.indent = 2}) << '\n';
    return exit_code::done;
  }
  for (const auto& run : document.runs) std::cout << report::text_of(run);
  if (document.runs.empty() && wanted.empty()) std::cout << "no runs in " << runs_folder(*state).string() << '\n';
  return exit_code::done;
}

}  // namespace actors::cli
