#include "configs/problems.hpp"

#include <algorithm>

namespace configs {

namespace {

constexpr std::size_t most_shown = 20;

std::string worded(const std::string& file, const problem& x) {
  if (file.empty()) return x.sentence;
  return file + (x.at.line ? ":" + std::to_string(x.at.line) : "") + ": " + x.sentence;
}

}  // namespace

std::vector<std::string> problem_list::lines() const {
  auto sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.at < b.at; });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(sorted.size(), most_shown); ++i) out.push_back(worded(file_, sorted[i]));
  if (sorted.size() > most_shown)
    out.push_back(file_ + ": and " + std::to_string(sorted.size() - most_shown) + " more problems");
  return out;
}

messages::failure problem_list::as_failure() const {
  std::string detail;
  for (auto& x : lines()) detail += (detail.empty() ? "" : "\n") + x;
  return {messages::failure_code::misconfigured, std::move(detail)};
}

}  // namespace configs
