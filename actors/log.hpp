#pragma once
// The one home of logging: one file a state folder, each line as time, process, level, component, event, text.

#include <filesystem>
#include <memory>

#include "configs/system_config.hpp"
#include "messages/records/event.hpp"

namespace actors {

struct log_options {
  std::filesystem::path file;  ///< gets two older ones beside it, of 5 MB each
  configs::log_level level = configs::log_level::warning;
};

/// Safe from any thread. A log that cannot be written is no reason to stop: it is told once, by `open`.
class event_log {
public:
  /// Closed: write does nothing.
  event_log();
  event_log(event_log&&) noexcept;
  event_log& operator=(event_log&&) noexcept;
  ~event_log();

  /// Failure: storage.
  static messages::expected<event_log> open(const log_options& options);

  void write(const messages::event& x);

private:
  struct sink;
  std::unique_ptr<sink> sink_;
};

/// How much an event matters.
configs::log_level level_of(messages::event_kind kind);

}  // namespace actors
