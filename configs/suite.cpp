#include "configs/suite.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ranges>

#include "configs/bounded_file.hpp"
#include "configs/scalars.hpp"
#include "configs/wording.hpp"
#include "messages/wire/wire.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::expected;
using messages::fail;
using messages::failure_code;
using messages::suite_problem;

namespace {

constexpr std::string_view suite_prefix = "kernelbench:";
constexpr std::uint64_t most_bytes = 256u << 20;  // of a file in JSON lines

bool chosen(const std::vector<number_range>& ranges, std::uint32_t x) {
  return ranges.empty() || std::ranges::any_of(ranges, [&](const auto& r) { return r.first <= x && x <= r.last; });
}

bool chosen(const problem_choice& choice, const suite_problem& x) {
  return chosen(choice.levels, x.level) && chosen(choice.problems, x.problem_id);
}

/// The number that a name begins with; 0: none.
std::uint32_t leading_number(std::string_view name) {
  std::uint32_t x = 0;
  auto end = std::from_chars(name.data(), name.data() + name.size(), x).ptr;
  return end != name.data() && end != name.data() + name.size() && *end == '_' ? x : 0;
}

// -- a checkout -------------------------------------------------------------------------------------------------------

/// 1 for "level1"; 0: no level's folder.
std::uint32_t level_of(const fs::path& folder) {
  auto name = folder.filename().string();
  std::uint32_t level = 0;
  return name.starts_with("level") && parse_scalar(std::string_view{name}.substr(5), level) ? level : 0;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (const auto& x : fs::directory_iterator{folder, error}) all.push_back(x.path());
  return all;
}

expected<void> read_level(const fs::path& folder, const problem_choice& choice, std::vector<suite_problem>& to) {
  for (const auto& file : entries_of(folder)) {
    suite_problem x{level_of(folder), leading_number(file.filename().string()), file.stem().string(), ""};
    if (file.extension() != ".py" || x.problem_id == 0 || !chosen(choice, x)) continue;
    auto code = read_file({.path = file, .what = "problem"});
    if (!code) return tl::unexpected{code.error()};
    x.code = *std::move(code);
    to.push_back(std::move(x));
  }
  return {};
}

expected<std::vector<suite_problem>> read_checkout(const fs::path& data, const problem_choice& choice) {
  std::error_code error;
  auto root = fs::is_directory(data / "KernelBench", error) ? data / "KernelBench" : data;
  std::vector<suite_problem> all;
  bool any_level = false;
  for (const auto& folder : entries_of(root)) {
    if (level_of(folder) == 0) continue;
    any_level = true;
    if (auto read = read_level(folder, choice, all); !read) return tl::unexpected{read.error()};
  }
  if (any_level) return all;
  return fail(failure_code::bad_input, "--data: " + data.string()
                                           + " has no folder KernelBench/level1; name a checkout of KernelBench, or a "
                                             "file in JSON lines with level, problem_id, name and code");
}

// -- JSON lines -------------------------------------------------------------------------------------------------------

expected<std::vector<suite_problem>> read_lines(const fs::path& file, const problem_choice& choice) {
  auto text = read_file({.path = file, .what = "suite", .limit_bytes = most_bytes});
  if (!text) return tl::unexpected{text.error()};
  std::vector<suite_problem> all;
  std::size_t number = 0;
  for (auto part : *text | std::views::split('\n')) {
    std::string_view line{part.begin(), part.end()};
    ++number;
    if (std::ranges::all_of(line, [](unsigned char c) { return std::isspace(c) != 0; })) continue;
    auto x = wire::from_json<suite_problem>(line);
    auto place = file.string() + ':' + std::to_string(number) + ": ";
    if (!x) return fail(failure_code::bad_input, place + wire::to_string(x.error()) + "; each line is one problem");
    if (x->level == 0 || x->problem_id == 0 || x->name.empty() || x->code.empty())
      return fail(failure_code::bad_input, place + "a problem needs level, problem_id, name and code");
    if (chosen(choice, *x)) all.push_back(*std::move(x));
  }
  return all;
}

expected<void> check_twice(const std::vector<suite_problem>& all) {
  auto same = [](const auto& a, const auto& b) { return a.level == b.level && a.problem_id == b.problem_id; };
  auto twice = std::ranges::adjacent_find(all, same);
  if (twice == all.end()) return {};
  return fail(failure_code::bad_input,
              "--data has " + problem_name(*twice) + " twice: " + twice->name + " and " + std::next(twice)->name);
}

/// By level and number; may be none.
expected<std::vector<suite_problem>> read_chosen(const fs::path& data, const problem_choice& choice) {
  std::error_code error;
  auto all = fs::is_directory(data, error) ? read_checkout(data, choice) : read_lines(data, choice);
  if (!all) return all;
  std::ranges::sort(*all, {}, [](const auto& x) { return std::pair{x.level, x.problem_id}; });
  if (auto once = check_twice(*all); !once) return tl::unexpected{once.error()};
  return all;
}

}  // namespace

expected<std::vector<number_range>> parse_ranges(const std::string& flag, const std::string& text) {
  auto wrong = [&](std::string_view part) {
    return fail(failure_code::bad_input, flag + ": " + in_quotes(part) + " is no number or range; write 1,19-25");
  };
  if (text.empty()) return wrong(text);
  std::vector<number_range> all;
  for (auto piece : text | std::views::split(',')) {
    std::string_view part{piece.begin(), piece.end()};
    auto dash = part.find('-');
    number_range x;
    if (!parse_scalar(part.substr(0, dash), x.first)) return wrong(part);
    x.last = x.first;
    if (dash != part.npos && !parse_scalar(part.substr(dash + 1), x.last)) return wrong(part);
    if (x.last < x.first) return wrong(part);
    all.push_back(x);
  }
  return all;
}

expected<std::vector<suite_problem>> read_suite(const fs::path& data, const problem_choice& choice) {
  auto all = read_chosen(data, choice);
  if (!all || !all->empty()) return all;
  return fail(failure_code::bad_input, data.string() + " has no such problem; see --level and --problem");
}

std::string problem_name(const suite_problem& x) {
  return std::string{suite_prefix} + std::to_string(x.level) + '/' + std::to_string(x.problem_id);
}

bool names_problem(const std::string& task) { return task.starts_with(suite_prefix); }

expected<suite_problem> find_problem(const std::string& task, const fs::path& data) {
  std::string_view place = std::string_view{task}.substr(std::min(task.size(), suite_prefix.size()));
  auto slash = place.find('/');
  std::uint32_t level = 0, problem = 0;
  bool read = slash != place.npos && parse_scalar(place.substr(0, slash), level)
              && parse_scalar(place.substr(slash + 1), problem);
  if (!read)
    return fail(failure_code::bad_input, "no problem is called " + in_quotes(task) + "; write kernelbench:LEVEL/ID");
  if (data.empty())
    return fail(failure_code::bad_input, task + " is a problem of a suite; say with --data where KernelBench lies");
  auto found = read_chosen(data, {{{level, level}}, {{problem, problem}}});
  if (!found) return tl::unexpected{found.error()};
  if (found->empty())
    return fail(failure_code::bad_input,
                data.string() + " has no problem " + task + "; name a level and number that it has");
  return std::move(found->front());
}

}  // namespace configs
