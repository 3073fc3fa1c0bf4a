#pragma once
// Whether an interpreter can run kernelmesh's workers. Starts it once, with a time limit.

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "messages/records/failure.hpp"

namespace configs {

struct python_check_options {
  bool quick = false;  ///< read versions from metadata (0.1 s) in place of importing torch (2 s and more)
  std::chrono::milliseconds limit{60'000};  ///< a cold disk takes its time
  std::filesystem::path script;             ///< install_paths::check_python
};

/// What was found.
struct python_report {
  std::string python;                           ///< "3.11.7"
  std::map<std::string, std::string> versions;  ///< "torch" -> "2.9.0"
  std::map<std::string, std::string> missing;   ///< "zmq" -> "ModuleNotFoundError: No module named 'zmq'"

  void fields(auto& f) {
    f("python", python);
    f("versions", versions);
    f("missing", missing);
  }
};

/// Runs the script with the interpreter. Failures: misconfigured (it can't be started, is no Python, takes too long).
messages::expected<python_report> ask_python(const std::filesystem::path& python, const python_check_options& options);

/// Empty if the report has all that is needed: Python 3.11, torch 2.4, numpy, pyzmq and msgpack; else what is missing.
std::string shortcomings(const python_report& report);

/// "2.15.0+cpu" is at least {2, 4}.
bool version_at_least(const std::string& version, unsigned major, unsigned minor);

/// Both; a failure is one sentence with the remedy.
messages::expected<python_report> check_python(const std::filesystem::path& python,
                                               const python_check_options& options);

}  // namespace configs
