#pragma once
// What was read from the command line, before it is carried out.

#include <functional>
#include <optional>
#include <string>

#include "actors/cli/outcome.hpp"

namespace actors::cli {

/// Everything that the command line fills; `chosen` is the command to carry out.
struct command_line {
  common_options common;
  optimize_options optimize;
  verify_options verify;
  bench_options bench;
  run_options run;
  resume_options resume;
  status_options status;
  watch_options watch;
  trace_options trace;
  report_options report;
  export_options exported;
  doctor_options doctor;
  join_command_options node;
  certs_options certs;
  std::optional<std::string> time_limit;  ///< as it was written
  std::string shrink_to;                  ///< as it was written
  std::string shell;
  std::function<outcome()> chosen;
};

/// Reads what flags say in words of their own (times, sizes) and runs the command. Failures: bad_input, which names the
/// flag; storage, of the standard library.
outcome carry_out(command_line& x);

}  // namespace actors::cli
