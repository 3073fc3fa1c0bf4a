#pragma once
// One run from its start or resume to its end, in this process: node, progress, signals, control socket.

#include <filesystem>
#include <functional>
#include <variant>

#include "actors/cli/place.hpp"

namespace actors::cli {

struct session_options {
  common_options common;
  configs::system_config config;
  std::filesystem::path state;                             ///< opened
  std::variant<messages::run_spec, messages::run_id> run;  ///< a new one, or one to resume
  std::function<void(const messages::event&)> on_event;    ///< beside what is shown; quick
};

/// Returns how it ended: finished, or interrupted by a signal. Failures: as code_of sorts them.
messages::expected<messages::run_status> drive(const place& where, const session_options& options);

}  // namespace actors::cli
