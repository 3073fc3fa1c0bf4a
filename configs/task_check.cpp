#include "configs/task_check.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "configs/short_process.hpp"
#include "configs/wording.hpp"
#include "messages/wire/wire.hpp"

namespace configs {

namespace {

constexpr std::string_view task_mark = "kernelmesh-task ";
constexpr std::size_t most_tasks = 2000;  ///< of one command line
constexpr std::size_t most_said = 20;

struct task_problem {
  std::string file;
  std::uint32_t line = 0;
  std::string message;

  void fields(auto& f) {
    f("file", file);
    f("line", line);
    f("message", message);
  }
};

/// What the script's lines say, in their order.
std::vector<std::string> problems_in(const std::string& output, const std::map<std::string, std::string>& called) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < output.size() && found.size() < most_said;) {
    auto end = std::min(output.find('\n', at), output.size());
    auto line = std::string_view{output}.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(task_mark)) continue;
    auto problem = wire::from_json<task_problem>(line.substr(task_mark.size()));
    if (problem && called.contains(problem->file))
      found.push_back(about_task(called.at(problem->file), problem->line > 0 ? std::to_string(problem->line) : "",
                                 problem->message));
  }
  return found;
}

}  // namespace

messages::expected<void> check_tasks(const std::vector<task_to_check>& tasks, const task_check_options& options) {
  std::map<std::string, std::string> called;
  std::vector<std::string> command{options.python.string(), "-I", options.script.string()};
  for (const auto& x : tasks)
    if (called.size() < most_tasks && called.emplace(x.file.string(), x.called).second)
      command.push_back(x.file.string());
  auto said = problems_in(run_briefly(command, options.limit).output, called);
  if (said.empty()) return {};
  std::string all;
  for (const auto& x : said) all += (all.empty() ? "" : "\n") + x;
  return messages::fail(messages::failure_code::bad_input, all);
}

}  // namespace configs
