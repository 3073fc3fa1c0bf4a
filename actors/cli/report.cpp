#include <iostream>

#include "actors/cli/commands.hpp"
#include "actors/cli/results.hpp"
#include "actors/cli/results_folder.hpp"
#include "actors/report/clean_text.hpp"
#include "configs/wording.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

struct opened_run {
  place where;
  result_sources from;
  logic::run_state run;
};

expected<opened_run> open_run(const common_options& common, const std::string& id) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto state = where->state_to_read(common);
  if (!state) return tl::unexpected{state.error()};
  auto run = load_run(*state, {id});
  if (!run) return tl::unexpected{run.error()};
  auto from = open_results(*where, *state);
  if (!from) return tl::unexpected{from.error()};
  return opened_run{*where, *from, std::move(*run)};
}

/// The job that is exported, of so many that were meant.
struct chosen_job {
  const logic::job_state* best = nullptr;
  std::size_t of = 0;
};

/// By job id or by the task's name: of several the one with the fastest kernel.
expected<chosen_job> find_job(const logic::run_state& run, const std::string& name) {
  std::string known;
  chosen_job x;
  for (const auto& [id, job] : run.jobs) {
    known += (known.empty() ? "" : ", ") + id.value;
    if (id.value != name && job.spec.task_name != name) continue;
    auto speedup = [](const logic::job_state* y) { return y->best() ? y->best()->speedup() : -1; };
    if (!x.best || speedup(&job) > speedup(x.best)) x.best = &job;
    ++x.of;
  }
  if (x.best) return x;
  return fail(failure_code::bad_input,
              "run " + run.spec.run.value + " has no task or job \"" + name + "\"; it has " + known);
}

/// What somebody might not have meant.
void say_what_was_done(const chosen_job& chosen, const fs::path& file, const std::optional<std::string>& replaced) {
  const auto& spec = chosen.best->spec;
  if (chosen.of > 1)
    std::cerr << "the fastest of " << chosen.of << " jobs of " << spec.task_name << ": " << spec.job.value
              << "; name another job to export its kernel\n";
  if (replaced)
    std::cerr << "an earlier export" << (replaced->empty() ? "" : " of " + report::clean_line(*replaced, 60)) << " in "
              << configs::path_for_people(file) << " was replaced\n";
}

}  // namespace

outcome report(const common_options& common, const report_options& options) {
  auto x = open_run(common, options.run);
  if (!x) return tl::unexpected{x.error()};
  auto document = document_of(x->run);
  auto html = report_html(x->from, x->run);
  if (!html) return tl::unexpected{html.error()};
  auto file = fs::absolute(options.out.empty() ? "report.html" : options.out).lexically_normal();
  if (auto there = check_place(file); !there) return tl::unexpected{there.error()};
  if (auto written = write_document(file, *html); !written) return tl::unexpected{written.error()};
  document.report = file.string();
  std::cout << (common.json ? wire::to_json(document, {.indent = 2}) : document.report) << '\n';
  return exit_code::done;
}

namespace {

/// The run has a kernel: what is not found is gone from the state folder, and no wrong name.
failure lost_here(failure x) {
  if (x.code == failure_code::not_found) x.code = failure_code::storage;
  return x;
}

}  // namespace

outcome export_best(const common_options& common, const export_options& options) {
  auto x = open_run(common, options.run);
  if (!x) return tl::unexpected{x.error()};
  auto chosen = find_job(x->run, options.task);
  if (!chosen) return tl::unexpected{chosen.error()};
  const auto& job = *chosen->best;
  if (!job.best()) {
    auto nothing = "job " + job.spec.job.value + " has no correct kernel to export";
    return tl::unexpected{complaint{{failure_code::not_found, nothing}, exit_code::no}};
  }
  auto text = export_text(x->from, job);
  if (!text) return tl::unexpected{lost_here(text.error())};
  auto file = fs::absolute(options.out.empty() ? job.spec.task_name + "_kernel.py" : options.out).lexically_normal();
  if (auto there = check_place(file); !there) return tl::unexpected{there.error()};
  auto replaced = write_export(file, *text);
  if (!replaced) return tl::unexpected{replaced.error()};
  say_what_was_done(*chosen, file, *replaced);
  export_document document{.run = options.run, .task = job.spec.task_name, .file = file.string()};
  document.candidate = job.best()->id().value;
  std::cout << (common.json ? wire::to_json(document, {.indent = 2}) : document.file) << '\n';
  return exit_code::done;
}

}  // namespace actors::cli
