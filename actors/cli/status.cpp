#include <algorithm>
#include <iostream>

#include "actors/cli/commands.hpp"
#include "actors/cli/place.hpp"
#include "actors/cli/running_runs.hpp"
#include "actors/report/text.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// Oldest first; those under way were asked before the others.
std::vector<run_status> in_order(std::vector<run_status> runs) {
  std::ranges::sort(runs, {}, &run_status::run);
  return runs;
}

}  // namespace

outcome status(const common_options& common, const status_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto state = where->state_to_read(common);
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
  if (!options.run.empty())
    for (const auto& run : document.runs) std::cout << report::text_of(run);
  else if (!document.runs.empty())
    std::cout << report::text_of(in_order(document.runs));
  if (document.runs.empty() && wanted.empty()) std::cout << "no runs in " << runs_folder(*state).string() << '\n';
  return exit_code::done;
}

}  // namespace actors::cli
