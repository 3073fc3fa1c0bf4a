#include <iostream>

#include "actors/cli/commands.hpp"
#include "actors/cli/results.hpp"
#include "actors/cli/results_folder.hpp"
#include "actors/journal_file.hpp"
#include "actors/logic/stage_trace.hpp"

namespace actors::cli {

using namespace messages;

outcome trace(const common_options& common, const trace_options& options) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto state = where->state_to_read(common);
  if (!state) return tl::unexpected{state.error()};
  if (auto known = load_run(*state, {options.run}); !known) return tl::unexpected{known.error()};
  auto facts = read_journal(runs_folder(*state), {options.run});
  if (!facts) return tl::unexpected{facts.error()};
  auto document = wire::to_json(logic::trace_of({options.run}, *facts)) + '\n';
  if (options.out.empty()) {
    std::cout << document;
    return exit_code::done;
  }
  auto file = std::filesystem::absolute(options.out).lexically_normal();
  if (auto there = check_place(file); !there) return tl::unexpected{there.error()};
  if (common.json) std::cout << document;
  if (auto written = write_document(file, document); !written) return tl::unexpected{written.error()};
  if (!common.json) std::cout << file.string() << '\n';
  return exit_code::done;
}

}  // namespace actors::cli
