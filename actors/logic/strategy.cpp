#include "actors/logic/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "actors/logic/imported.hpp"
#include "actors/logic/refine.hpp"
#include "actors/logic/tune.hpp"

namespace actors::logic {

using namespace messages;

namespace {

template <class... Fs>
struct overloaded : Fs... {
  using Fs::operator()...;
};

/// An imported file is loaded as it is; a build that it does itself belongs to its load.
bool needs_compile(const candidate_state& candidate) {
  const auto& made = candidate.made.manifest;
  return !(made.origin == candidate_origin::imported && std::holds_alternative<python_host_entry>(made.entry));
}

finish_job finish(const job_state& job, std::string stopped_by, std::string remark) {
  auto best = job.best();
  return {{best ? std::optional{best->id()} : std::nullopt, std::move(stopped_by), std::move(remark)}};
}

}  // namespace

std::string key_of(const action& x) {
  return std::visit(overloaded{
                        [](const ask_planner& a) { return a.question.value; },
                        [](const ask_coder& a) { return a.question.value; },
                        [](const ask_debugger& a) { return a.question.value; },
                        [](const send_stage& a) { return a.stage.value; },
                        [](const adopt_imported&) { return std::string{"adopt"}; },
                        [](const finish_job&) { return std::string{"finish"}; },
                    },
                    x);
}

namespace {

template <class Strategy>
std::unique_ptr<strategy> make() {
  return std::make_unique<Strategy>();
}

/// Every strategy: its name, and how it is made.
const std::map<std::string, std::unique_ptr<strategy> (*)()>& strategies() {
  static const std::map<std::string, std::unique_ptr<strategy> (*)()> all{
      {"refine", make<refine_strategy>}, {"tune", make<tune_strategy>}, {"imported", make<imported_strategy>}};
  return all;
}

constexpr std::string_view judging_only = "imported";

}  // namespace

std::vector<std::string> search_strategies() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : strategies())
    if (name != judging_only) names.push_back(name);
  return names;
}

expected<std::unique_ptr<strategy>> make_strategy(const std::string& name) {
  if (auto found = strategies().find(name); found != strategies().end()) return found->second();
  std::string known;
  for (const auto& [other, maker] : strategies()) known += (known.empty() ? "" : ", ") + other;
  return fail(failure_code::misconfigured, "there is no strategy \"" + name + "\"; known: " + known);
}

std::optional<send_stage> next_stage(const job_state& job, const candidate_state& candidate) {
  if (candidate.rejection || candidate.broken) return std::nullopt;
  auto wanted = [&](stage_kind kind) -> std::optional<send_stage> {
    return send_stage{stage_of(job, candidate.id(), kind), kind, candidate.id()};
  };
  if (needs_compile(candidate) && !candidate.results.contains(stage_kind::compile)) return wanted(stage_kind::compile);
  if (!candidate.results.contains(stage_kind::verify)) return wanted(stage_kind::verify);
  if (job.spec.time && !candidate.results.contains(stage_kind::time)) return wanted(stage_kind::time);
  return std::nullopt;
}

judge_options judge_of(const job_spec& spec, const send_stage& stage) {
  using std::chrono::milliseconds;
  auto x = spec.judge;
  if (stage.kind != stage_kind::time || stage.step != timing_step::screen) return x;
  auto share = spec.strategy.screening;
  auto budget = static_cast<double>(x.timing_budget.count()) * share;
  x.timing_budget = milliseconds{std::max<std::int64_t>(10, std::llround(budget))};
  x.most_pairs = std::max(8u, static_cast<std::uint32_t>(x.most_pairs * share));
  x.wanted_interval = std::min(1.0, x.wanted_interval / std::sqrt(share));  // so many samples less
  x.baselines = {"eager"};
  return x;
}

namespace {

/// A first kernel that is with the judge is judged to its end: a job that has one does not end without one.
std::vector<action> when_time_is_up(const job_state& job, const open_actions& open) {
  auto first = std::ranges::find_if(job.candidates, [&](const candidate_state& x) {
    auto next = next_stage(job, x);
    return next && next->kind != stage_kind::compile;
  });
  if (job.best() || first == job.candidates.end()) return {finish(job, "time", "")};
  auto next = *next_stage(job, *first);
  return open.contains(next.stage.value) ? std::vector<action>{} : std::vector<action>{next};
}

}  // namespace

std::vector<action> next_actions(const job_state& job, const strategy& plan, const open_actions& open, time_point now) {
  if (job.finished || !job.started) return {};
  if (job.broken) return {finish(job, std::string{stopped_by_infrastructure}, job.broken->detail)};
  if (job.task_failure) return {finish(job, "task", sentence_of(*job.task_failure))};
  if (job.clock && job.spent(now) >= job.spec.strategy.time_limit) return when_time_is_up(job, open);
  if (!job.trace && job.spec.imported.value.empty()) {  // what is only judged needs no op graph
    send_stage trace{stage_of(job, {}, stage_kind::trace), stage_kind::trace, std::nullopt};
    return open.contains(trace.stage.value) ? std::vector<action>{} : std::vector<action>{trace};
  }
  return plan.ask(job, open);
}

}  // namespace actors::logic
