#include "actors/logic/result_cache.hpp"

#include <algorithm>
#include <utility>

namespace actors::logic {

using namespace messages;

result_cache::decision result_cache::ask(const std::string& key, const stage_id& who) {
  if (auto known = results_.find(key); known != results_.end()) {
    uses_.splice(uses_.begin(), uses_, known->second.use);
    return decision::answer;
  }
  auto [run, first] = runs_.try_emplace(key);
  run->second.push_back(who);
  return first ? decision::run : decision::wait;
}

const verdict* result_cache::find(const std::string& key) const {
  auto known = results_.find(key);
  return known == results_.end() ? nullptr : &known->second.verdict;
}

namespace {

/// Whether it would be the same again: a build that took too long or too much memory may have met a busy machine.
bool repeatable(const verdict& x) {
  auto refused = std::get_if<rejected>(&x.finding);
  return !refused || refused->failure.kind == failure_kind::compile_error;
}

}  // namespace

std::vector<stage_id> result_cache::finish(const std::string& key, const stage_outcome& outcome) {
  if (auto found = std::get_if<verdict>(&outcome); found && capacity_ > 0 && repeatable(*found)) keep(key, *found);
  auto run = runs_.extract(key);
  return run ? std::move(run.mapped()) : std::vector<stage_id>{};
}

void result_cache::keep(const std::string& key, const verdict& verdict) {
  if (auto [known, added] = results_.try_emplace(key); added) {
    uses_.push_front(key);
    known->second = {verdict, uses_.begin()};
  }
  if (results_.size() <= capacity_) return;
  results_.erase(uses_.back());
  uses_.pop_back();
}

bool result_cache::withdraw(const std::string& key, const stage_id& who) {
  auto run = runs_.find(key);
  if (run == runs_.end()) return false;
  std::erase(run->second, who);
  if (!run->second.empty()) return false;
  runs_.erase(run);
  return true;
}

}  // namespace actors::logic
