#include <iostream>

#include "actors/cli/commands.hpp"
#include "actors/cli/results.hpp"

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

/// By job id or by the task's name.
expected<const logic::job_state*> find_job(const logic::run_state& run, const std::string& name) {
  std::string known;
  const logic::job_state* best = nullptr;
  for (const auto& [id, job] : run.jobs) {
    known += (known.empty() ? "" : ", ") + id.value;
    if (id.value != name && job.spec.task_name != name) continue;
    auto speedup = [](const logic::job_state* x) { return x->best() ? x->best()->speedup() : -1; };
    if (!best || speedup(&job) > speedup(best)) best = &job;
  }
  if (best) return best;
  return fail(failure_code::bad_input,
              "run " + run.spec.run.value + " has no task or job \"" + name + "\"; it has " + known);
}

}  // namespace

outcome report(const common_options& common, const report_options& options) {
  auto x = open_run(common, options.run);
  if (!x) return tl::unexpected{x.error()};
  auto document = document_of(x->run);
  auto html = report_html(x->from, x->run);
  if (!html) return tl::unexpected{html.error()};
  auto file = fs::absolute(options.out.empty() ? "report.html" : options.out).lexically_normal();
  if (auto written = write_file(file, *html); !written) return tl::unexpected{written.error()};
  document.report = file.string();
  std::cout << (common.json ? wire::to_json(document, {.indent = 2}) : document.report) << '\n';
  return exit_code::done;
}

outcome export_best(const common_options& common, const export_options& options) {
  auto x = open_run(common, options.run);
  if (!x) return tl::unexpected{x.error()};
  auto job = find_job(x->run, options.task);
  if (!job) return tl::unexpected{job.error()};
  if (!(*job)->best()) {
    auto nothing = "job " + (*job)->spec.job.value + " has no correct kernel to export";
    return tl::unexpected{complaint{{failure_code::not_found, nothing}, exit_code::no}};
  }
  auto text = export_text(x->from, **job);
  if (!text) return tl::unexpected{text.error()};
  auto file =
      fs::absolute(options.out.empty() ? (*job)->spec.task_name + "_kernel.py" : options.out).lexically_normal();
  if (auto written = write_export(file, *text); !written) return tl::unexpected{written.error()};
  export_document document{.run = options.run, .task = (*job)->spec.task_name, .file = file.string()};
  document.candidate = (*job)->best()->id().value;
  std::cout << (common.json ? wire::to_json(document, {.indent = 2}) : document.file) << '\n';
  return exit_code::done;
}

}  // namespace actors::cli
