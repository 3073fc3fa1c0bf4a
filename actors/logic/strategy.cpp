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

/// Of the fastest few one keeps its figure; a job is not to end in timing all that it has found.
constexpr std::ptrdiff_t most_second_timings = 3;

bool has_second_timing(const candidate_state& x) { return x.steps.contains(timing_step::again); }

/// By first figures, which are partly luck.
const candidate_state* challenger_of(const job_state& job, const candidate_state& best) {
  if (std::ranges::count_if(job.candidates, has_second_timing) >= most_second_timings) return nullptr;
  const candidate_state* fastest = nullptr;
  auto bar = best.speedup() * least_gain;
  for (const auto& x : job.candidates) {
    bool once = x.steps.contains(timing_step::full) && !has_second_timing(x) && !x.broken;
    if (once && x.speedup() > (fastest ? fastest->speedup() : bar)) fastest = &x;
  }
  return fastest;
}

const candidate_state* to_be_timed_again(const job_state& job) {
  auto best = job.best();
  if (!best || !job.spec.time || !job.spec.imported.value.empty()) return nullptr;
  if (has_second_timing(*best)) return challenger_of(job, *best);
  return best->broken ? nullptr : best;
}

}  // namespace

send_stage timing_of(const job_state& job, const candidate_state& candidate, timing_step step) {
  return {stage_of(job, candidate.id(), stage_kind::time, step), stage_kind::time, candidate.id(), step};
}

std::optional<send_stage> second_timing(const job_state& job) {
  auto x = to_be_timed_again(job);
  if (!x) return std::nullopt;
  return timing_of(job, *x, timing_step::again);
}

std::chrono::milliseconds time_to_search(const job_state& job) {
  auto limit = job.spec.strategy.time_limit;
  auto next = to_be_timed_again(job);
  if (auto best = job.best(); !next && best && has_second_timing(*best)) next = best;
  if (!next) return limit;
  auto last = next->results.find(stage_kind::time);
  if (last == next->results.end()) return limit;
  return limit - std::min(2 * last->second.elapsed, limit / 3);  // what is under way on the device ends before it
}

namespace {

/// A second timing that is under way is awaited, and a first kernel that is with the judge is judged to its end: a job
/// that has one does not end without one.
std::vector<action> when_time_is_up(const job_state& job, const open_actions& open) {
  if (auto again = second_timing(job); again && open.contains(again->stage.value)) return {};
  auto first = std::ranges::find_if(job.candidates, [&](const candidate_state& x) {
    auto next = next_stage(job, x);
    return next && next->kind != stage_kind::compile;
  });
  if (job.best() || first == job.candidates.end()) return {finish(job, "time", "")};
  auto next = *next_stage(job, *first);
  return open.contains(next.stage.value) ? std::vector<action>{} : std::vector<action>{next};
}

/// Nothing new is begun; what runs may still end, and count.
std::vector<action> when_search_is_over(const job_state& job, const strategy& plan, const open_actions& open) {
  auto again = second_timing(job);
  if (!again) {
    auto wish = plan.ask(job, open);  // it may have been through for reasons of its own
    bool through = wish.size() == 1 && std::holds_alternative<finish_job>(wish.front());
    return through ? wish : std::vector<action>{finish(job, "time", "")};
  }
  return open.contains(again->stage.value) ? std::vector<action>{} : std::vector<action>{*again};
}

/// A job that would finish with a winner has that profiled first, once.
std::vector<action> with_profile(const job_state& job, const open_actions& open, std::vector<action> wish) {
  auto last = wish.size() == 1 ? std::get_if<finish_job>(&wish.front()) : nullptr;
  auto winner = last && last->how.best && job.spec.profile ? job.find(*last->how.best) : nullptr;
  if (!winner || !winner->timing() || winner->results.contains(stage_kind::profile)) return wish;
  send_stage stage{stage_of(job, winner->id(), stage_kind::profile), stage_kind::profile, winner->id()};
  return open.contains(stage.stage.value) ? std::vector<action>{} : std::vector<action>{stage};
}

}  // namespace

std::vector<action> next_actions(const job_state& job, const strategy& plan, const open_actions& open, time_point now) {
  if (job.finished || !job.started) return {};
  if (job.broken) return {finish(job, std::string{stopped_by_infrastructure}, job.broken->detail)};
  if (job.task_failure) return {finish(job, "task", sentence_of(*job.task_failure))};
  if (job.clock && job.spent(now) >= job.spec.strategy.time_limit) return when_time_is_up(job, open);
  if (job.clock && job.best() && job.spent(now) >= time_to_search(job))
    return with_profile(job, open, when_search_is_over(job, plan, open));
  if (!job.trace && job.spec.imported.value.empty()) {  // what is only judged needs no op graph
    send_stage trace{stage_of(job, {}, stage_kind::trace), stage_kind::trace, std::nullopt};
    return open.contains(trace.stage.value) ? std::vector<action>{} : std::vector<action>{trace};
  }
  return with_profile(job, open, plan.ask(job, open));
}

}  // namespace actors::logic
