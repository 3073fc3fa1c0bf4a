#include "actors/log.hpp"

#include <algorithm>
#include <filesystem>

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

namespace actors {

namespace fs = std::filesystem;

using namespace messages;
using configs::log_level;

struct event_log::sink {
  std::shared_ptr<spdlog::logger> logger;
};

namespace {

constexpr std::size_t file_bytes = 5'000'000;
constexpr std::size_t older_files = 2;

spdlog::level::level_enum translated(log_level x) {
  switch (x) {
    case log_level::trace: return spdlog::level::trace;
    case log_level::debug: return spdlog::level::debug;
    case log_level::info: return spdlog::level::info;
    case log_level::warning: return spdlog::level::warn;
    case log_level::error: return spdlog::level::err;
    case log_level::off: return spdlog::level::off;
  }
  return spdlog::level::off;
}

/// One line: text from outside may hold line breaks.
std::string flat(std::string x) {
  std::ranges::replace_if(
      x, [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
  return x;
}

}  // namespace

event_log::event_log() = default;
event_log::event_log(event_log&&) noexcept = default;
event_log& event_log::operator=(event_log&&) noexcept = default;
event_log::~event_log() = default;

expected<event_log> event_log::open(const log_options& options) {
  event_log log;
  if (options.level == log_level::off) return log;
  std::error_code none;
  if (fs::exists(options.file, none) && !fs::is_regular_file(options.file, none))  // a pipe would hold us up
    return fail(failure_code::storage, "cannot write the log: " + options.file.string() + " is no file; move it away");
  try {
    auto file = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(options.file.string(), file_bytes, older_files);
    auto logger = std::make_shared<spdlog::logger>("kernelmesh", std::move(file));
    logger->set_level(translated(options.level));
    logger->flush_on(spdlog::level::warn);
    logger->set_error_handler([](const std::string&) {});  // a full disk say: the run tells of it itself
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %P %l %v");
    log.sink_ = std::make_unique<sink>(sink{std::move(logger)});
  } catch (const spdlog::spdlog_ex& e) {
    return fail(failure_code::storage, std::string{"cannot write the log: "} + e.what());
  }
  return log;
}

void event_log::write(const event& x) {
  if (!sink_) return;
  auto level = translated(level_of(x.kind));
  if (!sink_->logger->should_log(level)) return;
  auto kind = enum_names(x.kind)[static_cast<std::size_t>(x.kind)];
  auto component = x.job.value.empty() ? x.run.value : x.run.value + '/' + x.job.value;
  sink_->logger->log(level, "{} {} {}: {}", component.empty() ? "node" : component, kind, flat(x.subject),
                     flat(x.text));
}

log_level level_of(event_kind kind) {
  switch (kind) {
    case event_kind::warning:
    case event_kind::resource_left: return log_level::warning;
    case event_kind::run_started:
    case event_kind::run_ended:
    case event_kind::job_started:
    case event_kind::job_ended:
    case event_kind::new_best:
    case event_kind::resource_restarted:
    case event_kind::resource_joined: return log_level::info;
    case event_kind::stage_progress: return log_level::trace;
    default: return log_level::debug;
  }
}

}  // namespace actors
