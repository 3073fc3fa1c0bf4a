#include "actors/cli/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "actors/report/clean_text.hpp"
#include "actors/report/numbers.hpp"
#include "actors/report/stage_name.hpp"

namespace actors::cli {

using namespace messages;

namespace {

constexpr std::size_t text_limit = 200;

/// Silence would not say that it is a task's or a candidate's code that hangs.
std::string whose_code_runs(const event& x, const progress_options& options) {
  auto kind = x.subject.substr(x.subject.rfind('/') + 1);
  if (kind == "trace") return "trace: the task's own code runs (Model, get_inputs)";
  if (kind == "verify" && options.only_judged) return "verify: the task's and the candidate's own code runs";
  return {};
}

std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

}  // namespace

bool stderr_is_terminal() {
  auto term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (!term || std::string{term} != "dumb");
}

progress::~progress() { clear(); }

void progress::say(const std::string& line) {
  std::lock_guard lock{mutex_};
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
  draw();
}

void progress::expect(std::uint32_t jobs, std::uint32_t finished) {
  std::lock_guard lock{mutex_};
  jobs_ = jobs;
  jobs_before_ = finished;
}

void progress::show(const event& x) {
  std::lock_guard lock{mutex_};
  note(x);
  auto line = line_of(x, options_);
  if (x.kind == event_kind::job_ended && !line.empty() && jobs_ > 0) line += " (" + standing(x.at) + ')';
  if (!line.empty()) {
    clear();
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  draw();
}

void progress::note(const event& x) {
  if (started_.time_since_epoch().count() == 0) started_ = x.at;
  switch (x.kind) {
    case event_kind::stage_started: under_way_[x.subject] = report::stage_name(x.subject); break;
    case event_kind::stage_progress:
      if (auto known = under_way_.find(x.subject); known != under_way_.end())
        known->second =
            report::stage_name(x.subject) + (x.text.empty() ? "" : " (" + report::clean_line(x.text, 40) + ')');
      break;
    case event_kind::stage_ended: under_way_.erase(x.subject); break;
    case event_kind::candidate_created: ++candidates_; break;
    case event_kind::new_best: best_ = x.text; break;
    case event_kind::job_ended: ++jobs_ended_; break;
    default: break;
  }
}

std::string line_of(const event& x, const progress_options& options) {
  auto job = options.many_jobs && !x.job.value.empty() ? x.job.value + ": " : "";
  auto text = report::clean_line(x.text, text_limit);
  switch (x.kind) {
    case event_kind::stage_started:
      if (auto whose = whose_code_runs(x, options); !whose.empty() && !options.verbose) return job + whose;
      break;
    case event_kind::stage_ended: return job + report::stage_name(x.subject) + ": " + text;
    case event_kind::new_best:
      if (!options.only_judged) return job + "best so far: " + text;  // a single one is no best
      break;
    case event_kind::job_ended: return options.many_jobs ? job + "ended: " + text : "";
    case event_kind::warning: return job + "warning: " + x.subject + ": " + text;
    case event_kind::node_joined: return "node " + x.subject + " joined" + (text.empty() ? "" : ": " + text);
    case event_kind::node_lost: return "node " + x.subject + " is gone: " + text;
    case event_kind::node_refused: return "refused: " + text;
    case event_kind::resource_left: return "lost for now: " + x.subject + ": " + text;
    default: break;
  }
  if (!options.verbose) return {};
  auto kind = std::string{enum_names(x.kind)[static_cast<std::size_t>(x.kind)]};
  return job + kind + ' ' + x.subject + (text.empty() ? "" : ": " + text);
}

std::string start_line(const std::vector<std::string>& devices) {
  if (devices.empty()) return {};
  std::string all;
  for (const auto& device : devices) all += (all.empty() ? "" : ", ") + device;
  return "starting the workers of " + all + ": they import torch";
}

std::string standing_of(std::uint32_t jobs, std::uint32_t before, std::uint32_t ended,
                        std::chrono::milliseconds elapsed) {
  auto text = std::to_string(before + ended) + " of " + std::to_string(jobs) + " jobs";
  if (ended == 0 || before + ended >= jobs) return text;
  auto each = std::chrono::duration<double>(elapsed).count() / ended;
  return text + ", about " + report::seconds_text(each * (jobs - before - ended)) + " left";
}

std::string progress::standing(std::chrono::sys_time<std::chrono::milliseconds> now) const {
  return standing_of(jobs_, jobs_before_, jobs_ended_, now - started_);
}

void progress::draw() {
  if (!options_.terminal) return;
  auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  auto seconds = started_.time_since_epoch().count() == 0 ? 0 : (now - started_).count() / 1000;
  auto line = std::to_string(seconds) + " s, " + std::to_string(candidates_) + " candidates";
  if (jobs_ > 1) line += ", " + standing(now);
  if (!best_.empty()) line += ", best " + best_;
  for (const auto& [stage, text] : under_way_) line += " | " + text;
  std::fprintf(stderr, "\r\033[K%s", line.substr(0, columns() - 1).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void progress::clear() {
  if (std::exchange(drawn_, false)) std::fprintf(stderr, "\r\033[K");
}

}  // namespace actors::cli
