#include "configs/python_check.hpp"

#include <charconv>

#include "configs/short_process.hpp"
#include "configs/wording.hpp"
#include "messages/wire/wire.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

constexpr std::string_view mark = "kernelmesh-python ";  ///< what else packages print is passed over

std::string package_of(const std::string& module) { return module == "zmq" ? "pyzmq" : module; }

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string{text.substr(text.rfind('\n') + 1)};
}

/// As it can stand inside a sentence.
std::string one_line(const std::string& text) {
  auto quoted = in_quotes(text);
  return quoted.substr(1, quoted.size() - 2);
}

/// Says in words what is missing: `no torch, no pyzmq`.
std::string missing_packages(const python_report& report) {
  std::string out;
  for (auto& [module, error] : report.missing) {
    bool absent = error.find("No module named") != error.npos || error.starts_with("PackageNotFoundError");
    out += (out.empty() ? "" : ", ")
           + (absent ? "no " + package_of(module) : package_of(module) + " does not load (" + one_line(error) + ")");
  }
  return out;
}

tl::unexpected<messages::failure> unusable(const fs::path& python, const std::string& why) {
  return fail(failure_code::misconfigured, "the Python " + python.string() + " " + why);
}

}  // namespace

messages::expected<python_report> ask_python(const fs::path& python, const python_check_options& options) {
  std::vector<std::string> arguments{python.string(), options.script.string()};
  if (options.quick) arguments.emplace_back("--quick");
  auto ended = run_briefly(arguments, options.limit);
  if (!ended.start_error.empty())
    return unusable(python, "can't be started: " + ended.start_error + "; point to another one with --python");
  if (ended.timed_out)
    return unusable(python, "did not answer within " + std::to_string(options.limit.count())
                                + " ms; point to another one with --python");
  auto line = ended.output.find(mark);
  if (line == std::string::npos)
    return unusable(python, "gave no answer, its last line is " + in_quotes(last_line(ended.output))
                                + "; is it a Python? Point to another one with --python");
  auto json = std::string_view{ended.output}.substr(line + mark.size());
  auto report = wire::from_json<python_report>(json.substr(0, json.find('\n')));
  if (!report) return unusable(python, "gave an unreadable answer: " + to_string(report.error()));
  return *std::move(report);
}

bool version_at_least(const std::string& version, unsigned major, unsigned minor) {
  unsigned a = 0, b = 0;
  auto* end = version.data() + version.size();
  auto first = std::from_chars(version.data(), end, a);
  if (first.ec != std::errc{}) return false;
  if (first.ptr != end && *first.ptr == '.') std::from_chars(first.ptr + 1, end, b);
  return a > major || (a == major && b >= minor);
}

std::string shortcomings(const python_report& report) {
  auto out = missing_packages(report);
  auto add = [&](const std::string& x) { out += (out.empty() ? "" : ", ") + x; };
  if (!version_at_least(report.python, 3, 11)) add("is version " + report.python + ", and 3.11 is needed");
  auto torch = report.versions.find("torch");
  if (torch != report.versions.end() && !version_at_least(torch->second, 2, 4))
    add("torch " + torch->second + ", and 2.4 is needed");
  return out;
}

messages::expected<python_report> check_python(const fs::path& python, const python_check_options& options) {
  auto report = ask_python(python, options);
  if (!report) return report;
  auto lacking = shortcomings(*report);
  if (lacking.empty()) return report;
  return unusable(python, "can't run workers: " + lacking + "; run scripts/quickstart, or `" + python.string()
                              + " -m pip install \"torch>=2.4\" numpy pyzmq msgpack`, or point to another one with "
                                "--python");
}

}  // namespace configs
