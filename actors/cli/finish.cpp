#include "actors/cli/finish.hpp"

#include <algorithm>
#include <iostream>

#include "actors/cli/bench_results.hpp"
#include "actors/cli/program.hpp"
#include "actors/cli/running_runs.hpp"
#include "actors/logic/documents.hpp"
#include "actors/report/bench.hpp"
#include "actors/report/text.hpp"
#include "configs/wording.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// @param text for people
template <class Document>
void print(const Document& x, bool json, const std::string& text) {
  std::cout << (json ? wire::to_json(x, {.indent = 2}) + '\n' : text) << std::flush;
}

exit_code code_of_job(const logic::job_state& job) {
  if (job.best()) return exit_code::done;
  if (!job.finished) return exit_code::interrupted;
  if (job.finished->stopped_by == "task") return exit_code::bad_input;
  bool untimed = job.correct() > 0 && job.failed_stages > 0;  // there may be a kernel that is worth something
  return untimed || job.worth_another_try() ? exit_code::infrastructure : exit_code::no;
}

/// What may still become of jobs that could not be judged.
void say_how_to_go_on(const logic::run_state& run) {
  std::string reason;
  std::size_t count = 0;
  for (const auto& [id, job] : run.jobs) {
    if (!job.worth_another_try()) continue;
    if (count++ == 0) reason = job.finished->remark.empty() ? job.last_failure : job.finished->remark;
  }
  if (count == 0) return;
  std::cerr << count << " of " << run.jobs.size() << " jobs could not be judged to their end (" << reason << "); "
            << hint("resume " + run.spec.run.value) << " tries again\n";
}

/// As they lie for who reads it here; documents have absolute paths.
std::string for_people(const std::string& path) { return path.empty() ? path : configs::path_for_people(path); }

/// The task is wanting, which no candidate can help.
outcome refuse_task(const logic::job_state& job, const kernel_failure& why) {
  const auto& name = job.spec.task_name;
  auto file = job.spec.task_file.empty() ? name + (name.ends_with(".py") ? "" : ".py") : job.spec.task_file;
  auto line = why.details.find("line");
  return fail(failure_code::bad_input,
              configs::about_task(file, line == why.details.end() ? "" : line->second, why.message));
}

outcome finish_verify(const logic::run_state& run, bool json) {
  const auto& job = run.jobs.begin()->second;
  if (job.candidates.empty()) return fail(failure_code::worker_lost, job.finished ? job.finished->remark : "");
  const auto& candidate = job.candidates.front();
  if (candidate.rejection && candidate.rejection->kind == failure_kind::task_error)
    return refuse_task(job, *candidate.rejection);
  auto document = logic::verify_document_of(job, candidate);
  print(document, json, report::text_of(document));
  if (document.verdict == overall_verdict::infrastructure) return exit_code::infrastructure;
  return document.verdict == overall_verdict::passed ? exit_code::done : exit_code::no;
}

outcome finish_optimize(const result_sources& from, const logic::run_state& run, bool json) {
  const auto& first = run.jobs.begin()->second;
  if (first.finished && first.finished->stopped_by == "task" && first.task_failure)
    return refuse_task(first, *first.task_failure);
  auto written = write_results(from, run, run.spec.out);
  if (!written) return tl::unexpected{written.error()};
  auto best = std::ranges::max_element(written->jobs, {}, [](const optimize_document& x) {
    return x.best && x.best->verify.timing ? x.best->verify.timing->speedup_eager.value : x.best ? 0.0 : -1.0;
  });
  auto saved = write_file(fs::path{run.spec.out} / "result.json", wire::to_json(*best, {.indent = 2}) + '\n');
  if (!saved) return tl::unexpected{saved.error()};
  auto shown = *best;
  if (shown.best) shown.best->file = for_people(shown.best->file);
  print(*best, json, report::text_of(shown, for_people(written->report)));
  return code_of(run);
}

outcome finish_run(const result_sources& from, const logic::run_state& run, bool json) {
  auto written = write_results(from, run, run.spec.out);
  if (!written) return tl::unexpected{written.error()};
  auto shown = *written;
  shown.report = for_people(shown.report);
  print(*written, json, report::text_of(shown));
  return code_of(run);
}

outcome finish_bench(const result_sources& from, const logic::run_state& run, bool json) {
  auto written = write_results(from, run, run.spec.out);
  if (!written) return tl::unexpected{written.error()};
  if (auto lines = rewrite_results(run, run.spec.out); !lines) return tl::unexpected{lines.error()};
  auto document = report::bench_document_of(run);
  document.results = results_file(run.spec.out).string();
  document.report = written->report;
  print(document, json, report::text_of(document));
  return code_of(run);
}

/// Ends with the results on disk.
expected<run_status> drive_bench(const place& where, session_options options, const run_spec& spec) {
  bench_results lines{options.state, spec.run, spec.out};
  options.on_event = [&](const event& x) { lines.note(x); };
  return drive(where, options);
}

/// Of a run that goes on, as its journal has it.
expected<run_spec> spec_of(const session_options& options) {
  if (auto spec = std::get_if<run_spec>(&options.run)) return *spec;
  auto known = load_run(options.state, std::get<run_id>(options.run));
  if (!known) return tl::unexpected{known.error()};
  return known->spec;
}

}  // namespace

exit_code code_of(const logic::run_state& run) {
  auto worst = exit_code::no;
  bool found = false;
  for (const auto& [id, job] : run.jobs) {
    if (job.worth_another_try()) return exit_code::infrastructure;
    auto code = code_of_job(job);
    found = found || code == exit_code::done;
    worst = std::max(worst, code);
  }
  if (found) return run.finished ? exit_code::done : exit_code::interrupted;
  return worst;
}

std::string how_to_go_on(const run_status& x, const std::string& command) {
  auto text = hint("resume " + x.run.value) + " goes on";
  if (command == "verify") return text;
  std::size_t found = 0;
  std::string first;
  for (const auto& job : x.jobs)
    if (job.best && found++ == 0) first = x.jobs.size() == 1 ? job.task_name : job.job.value;
  if (found == 0) return text;
  auto others = found > 1 ? " (one of " + std::to_string(found) + " that were found)" : "";
  return text + ", " + hint("export " + x.run.value + ' ' + first) + " writes the best kernel so far" + others;
}

outcome print_results(const place& where, const fs::path& state, const run_id& id, bool json) {
  auto run = load_run(state, id);
  if (!run) return tl::unexpected{run.error()};
  say_how_to_go_on(*run);
  if (run->spec.command == "verify") return finish_verify(*run, json);
  auto from = open_results(where, state);
  if (!from) return tl::unexpected{from.error()};
  if (run->spec.command == "bench") return finish_bench(*from, *run, json);
  return run->spec.command == "optimize" ? finish_optimize(*from, *run, json) : finish_run(*from, *run, json);
}

outcome drive_to_the_end(const place& where, const session_options& options) {
  auto spec = spec_of(options);
  if (!spec) return tl::unexpected{spec.error()};
  auto ended = spec->command == "bench" ? drive_bench(where, options, *spec) : drive(where, options);
  if (!ended) return tl::unexpected{ended.error()};
  if (ended->phase == run_phase::finished) return print_results(where, options.state, ended->run, options.common.json);
  count_facts(*ended, options.state);
  bool asked_to = true;
  for (const auto& job : ended->jobs) {
    if (job.remark.empty() || job.phase == "finished") continue;
    std::cerr << job.job.value << ": " << job.remark << '\n';
    asked_to = false;
  }
  std::cerr << "interrupted; " << how_to_go_on(*ended, spec->command) << '\n';
  if (options.common.json) std::cout << wire::to_json(status_document{.runs = {*ended}}, {.indent = 2}) << '\n';
  return asked_to ? exit_code::interrupted : exit_code::infrastructure;
}

expected<configs::system_config> system_of(const place& where, const run_spec& spec) {
  if (!spec.config.empty()) {
    auto config = configs::parse_run_config(spec.config, spec.config_file, where.known);
    if (!config) return tl::unexpected{config.error()};
    return system_of(where, *config);
  }
  auto config = configs::load_system_config(spec.system_file, where.known);
  if (!config) return config;
  std::vector<target> targets;
  for (const auto& job : spec.jobs) targets.push_back(job.target);
  take_up(where, spec.system_file, *config, targets);
  return config;
}

}  // namespace actors::cli
