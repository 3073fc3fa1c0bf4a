#pragma once
// What the command line says, a struct a command.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/run.hpp"

namespace actors::cli {

/// Of every command.
struct common_options {
  bool json = false;
  bool verbose = false;
  std::string python;  ///< interpreter for workers; empty: searched for
  std::string system;  ///< name or path of a system config; empty: local
  bool unsafe_no_sandbox = false;
};

struct optimize_options {
  std::string task;
  std::string data;  ///< suite that a task such as kernelbench:1/19 is of
  std::vector<std::string> devices{"cpu:0"};
  std::vector<std::string> dsls;  ///< none: all that write for the device
  std::string dtype;              ///< to cast to; empty: the task's own
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::uint32_t> evaluations;
  std::string strategy = messages::strategy_options{}.name;
  bool no_earlier_plans = false;
  std::uint64_t seed = 0;
  std::string out;  ///< empty: kernelmesh-out/TASK
  bool allow_library_calls = false;
};

struct verify_options {
  std::string task;
  std::string data;  ///< suite that a task such as kernelbench:1/19 is of
  std::string candidate;
  std::string device = "cpu:0";
  std::string dtype;  ///< to cast to; empty: the task's own
  std::string policy = "as_shipped";
  std::vector<std::string> baselines{"eager"};
  std::uint32_t draws = 5;
  bool no_time = false;
  bool allow_library_calls = false;
};

struct bench_options {
  std::string data;
  std::string level;              ///< "1,2"; empty: all
  std::string problem;            ///< "1,19-25"; empty: all
  std::vector<std::string> dsls;  ///< none: all that write for the device
  std::string device = "cpu:0";
  std::string dtype;  ///< to cast to; empty: the task's own
  std::vector<std::string> baselines{"eager", "compile"};
  std::uint64_t shrink_to_bytes = 0;  ///< 0: problems as they are
  std::uint32_t repeats = 1;
  std::optional<std::chrono::milliseconds> time;  ///< of a job
  std::optional<std::uint32_t> evaluations;       ///< of a job
  bool allow_library_calls = false;
  std::uint64_t seed = 0;
  std::string out = "kernelmesh-bench";
};

struct run_options {
  std::string config;
  std::string out;  ///< empty: the config's
  bool estimate = false;
};

struct resume_options {
  std::string run;
};

struct status_options {
  std::string run;  ///< empty: all
};

struct watch_options {
  std::string run;  ///< empty: the newest that is under way
};

struct trace_options {
  std::string run;
  std::string out;  ///< empty: stdout
};

struct report_options {
  std::string run;
  std::string out;  ///< empty: report.html in the current folder
};

struct export_options {
  std::string run;
  std::string task;
  std::string out;  ///< empty: TASK.py in the current folder
};

struct doctor_options {
  std::string run;                   ///< empty: the machine only
  std::vector<std::string> devices;  ///< none: those of the system config
  bool measure = false;
};

struct join_command_options {
  std::string token;  ///< or "@FILE"
  std::string name;   ///< empty: made of the token's and the host's
};

struct certs_options {
  std::string name;
  std::string address;  ///< of a token; empty: where the system config says that nodes join
};

/// Exit codes of the contract.
enum class exit_code : int { done = 0, no = 1, bad_input = 2, infrastructure = 3, interrupted = 4 };

}  // namespace actors::cli
