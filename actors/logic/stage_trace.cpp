#include "actors/logic/stage_trace.hpp"

#include <algorithm>
#include <map>

#include "actors/logic/status.hpp"

namespace actors::logic {

using namespace messages;
using std::chrono::duration_cast;
using std::chrono::microseconds;

namespace {

constexpr std::uint32_t waiting_rows = 1000;  // their numbers; there are fewer resources than that

const stage_result* result_in(const fact& x) {
  if (auto done = std::get_if<stage_finished>(&x.content)) return &done->result;
  auto failed = std::get_if<stage_failed>(&x.content);
  return failed ? &failed->result : nullptr;
}

std::int64_t count(std::chrono::milliseconds x) { return duration_cast<microseconds>(x).count(); }

/// Numbers rows and names them, as viewers want it.
class rows {
public:
  explicit rows(std::vector<trace_event>& events) : events_(events) {}

  std::uint32_t of(const std::string& name, std::uint32_t first) {
    auto [row, added] = known_.try_emplace(name, first + static_cast<std::uint32_t>(known_.size()));
    if (added)
      events_.push_back({.name = "thread_name", .cat = "", .ph = "M", .tid = row->second, .args = {{"name", name}}});
    return row->second;
  }

private:
  std::vector<trace_event>& events_;
  std::map<std::string, std::uint32_t> known_;
};

}  // namespace

trace_document trace_of(const run_id& run, std::span<const fact> facts) {
  trace_document to{.run = run.value};
  if (facts.empty()) return to;
  rows row{to.events};
  auto start = facts.front().at;
  for (const auto& fact : facts) {
    auto result = result_in(fact);
    if (!result) continue;
    auto kind = std::string{enum_names(result->kind)[static_cast<std::size_t>(result->kind)]};
    auto end = count(fact.at - start), ran = count(result->elapsed), waited = count(result->queued);
    trace_event span{.name = kind + " of " + fact.job.value, .cat = kind, .ts = std::max<std::int64_t>(0, end - ran)};
    span.dur = end - span.ts;
    span.args = {{"job", fact.job.value}, {"candidate", result->candidate.value}, {"outcome", summary_of(*result)}};
    span.tid = row.of(result->resource.value, 1);
    to.events.push_back(span);
    if (waited <= 0) continue;
    trace_event wait{.name = kind + " waits", .cat = "wait", .ts = std::max<std::int64_t>(0, span.ts - waited)};
    wait.dur = span.ts - wait.ts;
    wait.args = {{"job", fact.job.value}, {"candidate", result->candidate.value}};
    wait.tid = row.of("waits of " + fact.job.value, waiting_rows);
    to.events.push_back(std::move(wait));
  }
  return to;
}

}  // namespace actors::logic
