#include "actors/cli/results.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "actors/cli/program.hpp"
#include "actors/journal_file.hpp"
#include "actors/logic/documents.hpp"
#include "actors/report/report.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

expected<void> check_run(const fs::path& state, const run_id& run) {
  if (run.value.empty() || run.value.find('/') != std::string::npos || run.value.front() == '.')
    return fail(failure_code::bad_input,
                '"' + run.value + "\" is not the id of a run; " + hint("status") + " lists them");
  std::error_code error;
  if (fs::exists(journal_path(runs_folder(state), run), error)) return {};
  return fail(failure_code::not_found, "there is no run \"" + run.value + "\" in " + runs_folder(state).string() + "; "
                                           + hint("status") + " lists them");
}

expected<logic::run_state> load_run(const fs::path& state, const run_id& run) {
  if (auto there = check_run(state, run); !there) return tl::unexpected{there.error()};
  auto facts = read_journal(runs_folder(state), run);
  if (!facts) return tl::unexpected{facts.error()};
  logic::run_state x;
  for (const auto& fact : *facts) apply(x, fact);
  if (x.started) return x;
  return fail(failure_code::unreadable, "the run " + run.value + " never began: its journal is empty; start it again");
}

expected<result_sources> open_results(const place& where, const fs::path& state) {
  auto store = blobs::blob_store::open(blobs_folder(state));
  if (!store) return tl::unexpected{store.error()};
  auto languages = load_languages(*where.registry);
  if (!languages) return tl::unexpected{languages.error()};
  return result_sources{where, state, *store, *languages};
}

namespace {

expected<std::map<std::string, std::string>> sources_of(const blobs::blob_store& store, const candidate_manifest& x) {
  std::map<std::string, std::string> texts;
  for (const auto& source : x.sources) {
    auto text = store.get(source.blob);
    if (!text) return tl::unexpected{text.error()};
    texts[source.path] = std::move(*text);
  }
  return texts;
}

/// Names of jobs are safe; a single job's file is called after its task.
std::string export_name(const logic::run_state& run, const logic::job_state& job) {
  return (run.spec.jobs.size() == 1 ? job.spec.task_name : job.spec.job.value) + ".py";
}

}  // namespace

expected<std::string> export_text(const result_sources& from, const logic::job_state& job) {
  auto best = job.best();
  if (!best) return fail(failure_code::not_found, "job " + job.spec.job.value + " found no correct kernel to export");
  const auto& manifest = best->made.manifest;
  auto texts = sources_of(from.store, manifest);
  if (!texts) return tl::unexpected{texts.error()};
  if (auto host = std::get_if<python_host_entry>(&manifest.entry); host && texts->size() == 1)
    return texts->begin()->second;  // it is such a file already
  auto language = from.languages->find(manifest.dsl);
  if (!language) return fail(failure_code::bad_input, "candidates in \"" + manifest.dsl + "\" can't be exported here");
  auto reference = from.store.get_record<task>(job.task());
  if (!reference) return tl::unexpected{reference.error()};
  return language->export_candidate({manifest, *texts, job.spec.task_name, &*reference});
}

expected<std::string> report_html(const result_sources& from, const logic::run_state& run) {
  auto facts = read_journal(runs_folder(from.state), run.spec.run);
  if (!facts) return tl::unexpected{facts.error()};
  std::ifstream in{from.where.install.report_page(), std::ios::binary};
  std::string page{std::istreambuf_iterator<char>{in}, {}};
  if (!in) return fail(failure_code::misconfigured, "cannot read " + from.where.install.report_page().string());
  return report::render_html(report::report_of({run, from.store, *facts}), page);
}

namespace {

/// What a link leads to, however many there are: /dev/stdout is one, and stays one.
fs::path behind_links(const fs::path& file) {
  std::error_code error;
  auto behind = fs::is_symlink(file, error) ? fs::canonical(file, error) : file;
  return error ? file : behind;
}

}  // namespace

expected<void> write_file(const fs::path& named, const std::string& text) {
  std::error_code error;
  auto file = behind_links(named);
  bool leads_nowhere = fs::is_symlink(file, error);
  if (leads_nowhere || (fs::exists(file, error) && !fs::is_regular_file(file, error)))  // no file in a device's place
    return fail(failure_code::bad_input, "cannot write " + named.string() + ": it is no file; name one with --out");
  auto name = file.string() + ".XXXXXX";
  auto fd = ::mkstemp(name.data());
  auto problem = [&] {
    return fail(failure_code::storage, "cannot write " + file.string() + ": " + std::strerror(errno));
  };
  if (fd < 0) return problem();
  ::close(fd);
  std::ofstream out{name, std::ios::binary};
  out << text << std::flush;
  if (!out || ::chmod(name.c_str(), 0644) != 0 || ::rename(name.c_str(), file.c_str()) != 0) {
    auto failure = problem();
    ::unlink(name.c_str());
    return failure;
  }
  return {};
}

namespace {

messages::failure somebody_elses(const fs::path& file) {
  return {failure_code::bad_input, "there is another " + file.string()
                                       + ", which kernelmesh did not write: it stays as it is; name another place with "
                                         "--out"};
}

std::string beginning_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};  // who opens a pipe waits for its other end
  std::ifstream there{file, std::ios::binary};
  std::string begin(4096, '\0');
  there.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(there.gcount()));
  return begin;
}

/// What the first lines of a file say of what it is.
struct export_mark {
  bool any = false;   ///< the file is there, and not empty
  bool ours = false;  ///< an export
  std::string task;
};

export_mark mark_of(const fs::path& file) {
  constexpr std::string_view ours = "Written by kernelmesh", before = "\"\"\"", after = ": ModelNew";
  auto begin = beginning_of(file);
  export_mark x{.any = !begin.empty(), .ours = begin.find(ours) != std::string::npos};
  auto end = begin.find(after);
  if (begin.starts_with(before) && end != std::string::npos) x.task = begin.substr(before.size(), end - before.size());
  return x;
}

}  // namespace

expected<std::optional<std::string>> write_export(const fs::path& file, const std::string& text) {
  auto there = mark_of(file);
  if (there.any && !there.ours) return tl::unexpected{somebody_elses(file)};
  if (auto written = write_file(file, text); !written) return tl::unexpected{written.error()};
  return there.any ? std::optional{there.task} : std::nullopt;
}

expected<void> write_document(const fs::path& file, const std::string& text) {
  auto there = beginning_of(file);
  bool ours = there.find("<title>") != std::string::npos ? there.find("kernelmesh</title>") != std::string::npos
                                                         : there.starts_with(text.substr(0, 12));
  if (!there.empty() && !ours) return tl::unexpected{somebody_elses(file)};
  return write_file(file, text);
}

run_document document_of(const logic::run_state& run) {
  run_document x;
  x.run = run.spec.run.value;
  x.name = run.spec.name;
  x.phase = run.finished ? "finished" : "interrupted";
  for (const auto& spec : run.spec.jobs) x.jobs.push_back(logic::optimize_document_of(run, run.jobs.at(spec.job)));
  return x;
}

expected<run_document> write_results(const result_sources& from, const logic::run_state& run, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(failure_code::storage, "cannot make the folder " + folder.string() + ": " + error.message());
  auto document = document_of(run);
  for (std::size_t i = 0; i < document.jobs.size(); ++i) {
    const auto& job = run.jobs.at(run.spec.jobs[i].job);
    if (!document.jobs[i].best) continue;
    auto file = folder / export_name(run, job);
    auto written = export_text(from, job).and_then([&](const std::string& text) { return write_export(file, text); });
    if (written)
      document.jobs[i].best->file = file.string();
    else  // the others are written all the same
      document.jobs[i].remark = "not exported: " + written.error().detail;
  }
  auto html = report_html(from, run);
  if (!html) return tl::unexpected{html.error()};
  if (auto written = write_file(folder / "report.html", *html); !written) return tl::unexpected{written.error()};
  document.report = (folder / "report.html").string();
  return document;
}

}  // namespace actors::cli
