#include <map>
#include <set>

#include "tests/actors/simulated_tree.hpp"

namespace tree_test {

using namespace messages;
using namespace std::literals;
using testing::calm_world;
using testing::simulated_tree;

namespace {

template <class Content>
std::size_t count_of(const std::vector<fact>& facts) {
  return static_cast<std::size_t>(
      std::ranges::count_if(facts, [](const fact& x) { return std::holds_alternative<Content>(x.content); }));
}

/// How often each stage and question has an outcome in the journal.
std::map<std::string, int> outcomes(const std::vector<fact>& facts) {
  std::map<std::string, int> counts;
  for (const auto& x : facts) {
    if (auto done = std::get_if<stage_finished>(&x.content)) ++counts[done->result.stage.value];
    if (auto reply = std::get_if<reply_received>(&x.content)) ++counts[x.job.value + '/' + reply->question.value];
  }
  return counts;
}

void no_outcome_twice(const std::vector<fact>& facts) {
  for (const auto& [what, times] : outcomes(facts)) CHECK_MESSAGE(times == 1, what);
}

}  // namespace

TEST_CASE("a run goes from task to timed kernels without Python, in virtual time") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec(3)}));
  auto end = tree.end_of_run();
  CHECK(end.phase == run_phase::finished);
  REQUIRE(end.jobs.size() == 3);
  for (const auto& job : end.jobs) {
    CHECK(job.phase == "finished");
    CHECK(job.correct > 1);
    CHECK(job.best_speedup > 0);
  }
  auto facts = tree.facts();
  CHECK(count_of<run_started>(facts) == 1);
  CHECK(count_of<job_finished>(facts) == 3);
  CHECK(count_of<run_finished>(facts) == 1);
  no_outcome_twice(facts);
}

TEST_CASE("the winner of a job is profiled once, as the last thing before it finishes") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  auto spec = tree.spec(2);
  for (auto& job : spec.jobs) job.profile = true;
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{spec}));
  REQUIRE(tree.end_of_run().phase == run_phase::finished);
  std::map<job_id, const stage_result*> last;
  auto facts = tree.facts();
  for (const auto& x : facts) {
    if (auto done = std::get_if<stage_finished>(&x.content)) last[x.job] = &done->result;
    auto end = std::get_if<job_finished>(&x.content);
    if (!end) continue;
    REQUIRE(last.contains(x.job));
    CHECK(last[x.job]->kind == stage_kind::profile);
    CHECK(last[x.job]->candidate == end->best);
    auto& found = std::get<profiled>(std::get<verdict>(last[x.job]->outcome).finding);
    CHECK(found.metrics.at("call_ns") > 0);
    CHECK(found.missing == "a simulated device has no counters");
  }
  CHECK(last.size() == 2);
  no_outcome_twice(facts);
}

TEST_CASE("stages of different candidates overlap") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec(2)}));
  tree.end_of_run();
  std::set<std::string> running;
  std::size_t most = 0;
  for (const auto& x : tree.events) {
    if (x.kind == event_kind::stage_started) running.insert(x.subject);
    if (x.kind == event_kind::stage_ended) running.erase(x.subject);
    most = std::max(most, running.size());
  }
  CHECK(most >= 3);
}

namespace {

/// A reply and the candidate that it made are one append: no crash comes between them.
bool may_end_before(const fact& x) { return !std::holds_alternative<candidate_created>(x.content); }

/// A run of one job that was never disturbed.
struct whole_run {
  tests::scratch_folder folder;
  std::vector<fact> facts;
  std::optional<candidate_id> best;

  explicit whole_run(std::uint32_t width) {
    simulated_tree tree{folder.path()};
    auto spec = tree.spec();
    spec.jobs[0].strategy.width = width;
    REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{spec}));
    best = tree.end_of_run().jobs.at(0).best;
    facts = tree.facts();
  }

  /// The end of a run that goes on from the first facts of this one.
  std::optional<candidate_id> best_after_a_crash(std::size_t kept) const {
    tests::scratch_folder there;
    simulated_tree tree{there.path()};
    std::filesystem::copy(actors::blobs_folder(folder.path()), actors::blobs_folder(there.path()),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    std::vector<fact> past{facts.begin(), facts.begin() + static_cast<std::ptrdiff_t>(kept)};
    REQUIRE(tree.ask<facts_appended>(tree.journal, append_facts{{"r"}, past}));
    REQUIRE(tree.ask<run_accepted>(tree.coordinator, resume_run{{"r"}}));
    auto end = tree.end_of_run();
    CHECK(end.phase == run_phase::finished);
    no_outcome_twice(tree.facts());
    return end.jobs.at(0).best;
  }
};

}  // namespace

TEST_CASE("a run that is cut off after any fact goes on to the same end, and nothing is done twice") {
  whole_run whole{1};
  for (std::size_t kept = 1; kept < whole.facts.size(); ++kept) {
    if (!may_end_before(whole.facts[kept])) continue;
    CAPTURE(kept);
    CHECK(whole.best_after_a_crash(kept) == whole.best);
  }
}

TEST_CASE("a run with several candidates under way may take another way after a crash, but ends well") {
  whole_run whole{4};
  for (std::size_t kept = 1; kept < whole.facts.size(); ++kept) {
    if (!may_end_before(whole.facts[kept])) continue;
    CAPTURE(kept);
    CHECK(whole.best_after_a_crash(kept).has_value());
  }
}

TEST_CASE("failures of the machinery are tried again and reach no agent") {
  tests::scratch_folder folder;
  auto world = calm_world();
  world.infrastructure_failure = 0.1;
  world.down = 0.1;
  simulated_tree tree{folder.path(), world};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec(4)}));
  auto end = tree.end_of_run();
  CHECK(end.phase == run_phase::finished);
  for (const auto& job : end.jobs) CHECK(job.best.has_value());
  auto left = std::ranges::count(tree.events, event_kind::resource_left, &event::kind);
  CHECK(left > 0);  // else nothing was tested
  auto facts = tree.facts();
  for (const auto& x : facts)
    if (auto done = std::get_if<stage_finished>(&x.content))
      CHECK_FALSE(std::holds_alternative<rejected>(std::get<verdict>(done->result.outcome).finding));
  no_outcome_twice(facts);
}

TEST_CASE("a wrong kernel is a result, and the job goes on with the next") {
  tests::scratch_folder folder;
  auto world = calm_world();
  world.wrong_values = 0.5;
  simulated_tree tree{folder.path(), world};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec(4)}));
  auto end = tree.end_of_run();
  std::uint32_t tried = 0, correct = 0;
  for (const auto& job : end.jobs) tried += job.tried, correct += job.correct;
  CHECK(correct > 0);
  CHECK(correct < tried);
}

TEST_CASE("a drained run gives back what runs and goes on when it is resumed") {
  tests::scratch_folder folder;
  {
    simulated_tree tree{folder.path()};
    REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec(2)}));
    tree.advance(2s);
    CHECK(tree.ask<drain_reply>(tree.coordinator, drain_request{{"r"}})->runs == 1);
    auto end = tree.end_of_run();
    CHECK(end.phase == run_phase::interrupted);
  }
  simulated_tree tree{folder.path()};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, resume_run{{"r"}}));
  CHECK(tree.end_of_run().phase == run_phase::finished);
  no_outcome_twice(tree.facts());
}

TEST_CASE("the status of a run names what is under way") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec()}));
  tree.advance(500ms);
  auto status = tree.ask<status_reply>(tree.coordinator, status_request{{"r"}});
  REQUIRE(status);
  REQUIRE(status->runs.size() == 1);
  CHECK(status->runs[0].phase == run_phase::running);
  CHECK(status->runs[0].jobs[0].phase == "tracing");
  CHECK(status->runs[0].jobs[0].under_way == std::vector<std::string>{"r/j0/task/trace"});
}

TEST_CASE("an id that is taken, an unknown run, and agents that nobody knows are refused in one sentence") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  auto refused = [&](auto request) { return tree.ask<run_accepted>(tree.coordinator, std::move(request)).error(); };
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec()}));
  CHECK(refused(start_run{tree.spec()}).detail == "there is a run r already: resume it, or take another id");
  CHECK(refused(resume_run{{"nowhere"}}).code == failure_code::not_found);
  auto spec = tree.spec();
  spec.run = {"other"};
  spec.jobs[0].agents["coder"] = "oracle";
  CHECK(refused(start_run{spec}).detail == "there is no coder \"oracle\"; known: rules");
  spec.jobs.clear();
  CHECK(refused(start_run{spec}).detail == "run other has no jobs");
}

TEST_CASE("a device that never comes ends the run as infrastructure, with the reason") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  auto spec = tree.spec();
  spec.jobs[0].target.device = {"cuda:3"};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{spec}));
  auto end = tree.end_of_run();
  CHECK(end.phase == run_phase::finished);
  CHECK(end.jobs[0].stopped_by == "infrastructure");
  CHECK(end.jobs[0].remark == "nothing here offers \"trace\" on cuda:3; see the config's devices and compilers");
}

TEST_CASE("a job's time limit does not count while its device is still to come") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  tree.self->send_exit(tree.device, caf::exit_reason::kill);
  tree.self->send_exit(tree.compiler, caf::exit_reason::kill);
  auto spec = tree.spec();
  spec.jobs[0].strategy.time_limit = 8s;
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{spec}));
  tree.advance(60s);
  tree.spawn_runners();
  auto end = tree.end_of_run();
  CHECK(end.jobs.at(0).best.has_value());
  CHECK(end.jobs.at(0).stopped_by == "time");
  CHECK(end.elapsed > 67s);
  CHECK(end.elapsed < 80s);
}

TEST_CASE("a device runner that dies loses its stages to the next one of that name") {
  tests::scratch_folder folder;
  simulated_tree tree{folder.path()};
  REQUIRE(tree.ask<run_accepted>(tree.coordinator, start_run{tree.spec()}));
  tree.advance(500ms);
  tree.self->send_exit(tree.device, caf::exit_reason::kill);
  tree.advance(100ms);
  tree.spawn_runners();
  CHECK(tree.end_of_run().jobs.at(0).best.has_value());
}

}  // namespace tree_test
