#include "actors/cli/progress.hpp"

#include <doctest/doctest.h>

namespace progress_test {

using actors::cli::line_of;
using actors::cli::standing_of;
using namespace messages;

TEST_CASE("what a task printed before its device was lost stays one short line") {
  event lost{.kind = event_kind::resource_left, .subject = "local/cpu:0"};
  lost.text = "worker said: \x1B[31mred\x1B[0m\nsecond line\r\x07" + std::string(10'000, 'x');
  auto line = line_of(lost, {});
  CHECK(line.starts_with("lost for now: local/cpu:0: worker said: red second line"));
  CHECK(line.ends_with("xxx..."));
  CHECK(line.size() < 240);
  for (auto c : {'\n', '\r', '\x1B', '\x07'}) CHECK(line.find(c) == std::string::npos);
}

TEST_CASE("the end of a stage has a line, its start only when every event is wanted") {
  event ended{.kind = event_kind::stage_ended, .job = {"relu"}, .subject = "r/relu/3f2a91c0dd/verify"};
  ended.text = "verified";
  CHECK(line_of(ended, {}) == "verify of 3f2a91c0: verified");
  CHECK(line_of(ended, {.many_jobs = true}) == "relu: verify of 3f2a91c0: verified");
  event started{.kind = event_kind::stage_started, .subject = "r/relu/3f2a91c0dd/verify"};
  CHECK(line_of(started, {}).empty());
  CHECK(line_of(started, {.verbose = true}) == "stage_started r/relu/3f2a91c0dd/verify");
}

TEST_CASE("a worker that starts anew because a stage was given up is no loss") {
  event asked{.kind = event_kind::resource_restarted, .subject = "local/cpu:0", .text = "it gives up a stage"};
  CHECK(line_of(asked, {}).empty());
  CHECK(line_of(asked, {.verbose = true}) == "resource_restarted local/cpu:0: it gives up a stage");
}

TEST_CASE("whose code runs is said before it runs: it may hang") {
  event traced{.kind = event_kind::stage_started, .job = {"relu"}, .subject = "r/relu/task/trace"};
  CHECK(line_of(traced, {}) == "trace: the task's own code runs (Model, get_inputs)");
  CHECK(line_of(traced, {.many_jobs = true}) == "relu: trace: the task's own code runs (Model, get_inputs)");
  event verified{.kind = event_kind::stage_started, .subject = "r/verify/3f2a91c0dd/verify"};
  CHECK(line_of(verified, {}).empty());
  CHECK(line_of(verified, {.only_judged = true}) == "verify: the task's and the candidate's own code runs");
}

TEST_CASE("the time left follows from the jobs that ended since this start") {
  using std::chrono::seconds;
  CHECK(standing_of(80, 0, 0, seconds{30}) == "0 of 80 jobs");
  CHECK(standing_of(80, 10, 20, seconds{400}) == "30 of 80 jobs, about 16 min 40 s left");
  CHECK(standing_of(3, 1, 2, seconds{9}) == "3 of 3 jobs");
}

}  // namespace progress_test
