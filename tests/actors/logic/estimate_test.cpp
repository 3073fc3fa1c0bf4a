#include "actors/logic/estimate.hpp"

#include <doctest/doctest.h>

namespace estimate_test {

using namespace messages;
using namespace actors::logic;
using namespace std::chrono_literals;

namespace {

run_spec spec_of(std::size_t jobs, std::uint32_t evaluations) {
  run_spec spec{.name = "many"};
  for (std::size_t i = 0; i < jobs; ++i) {
    job_spec job{.job = {"j" + std::to_string(i)}, .target = {{"cpu:0"}, "cpp", ""}};
    job.strategy.evaluations = evaluations;
    job.strategy.time_limit = 24h;
    spec.jobs.push_back(job);
  }
  return spec;
}

fact ended(stage_kind kind, std::chrono::milliseconds elapsed) {
  fact x;
  x.content = stage_finished{{.kind = kind, .outcome = verdict{}, .elapsed = elapsed}};
  return x;
}

}  // namespace

TEST_CASE("a device does one stage after another: traces, checks and timings add up") {
  auto x = estimate_of(spec_of(3, 4), {}, {.compilers = 2});
  CHECK(x.jobs == 3);
  CHECK(x.evaluations == 12);
  CHECK(x.stages == 3 * (1 + 3 * 4));
  auto each = x.stage_seconds;
  CHECK(x.seconds == doctest::Approx(3 * each["trace"] + 12 * (each["verify"] + each["time"])));
  for (const auto& [kind, count] : x.measured) CHECK(count == 0);
}

TEST_CASE("what was measured takes the place of what is assumed") {
  stage_averages measured;
  std::vector<fact> facts{ended(stage_kind::verify, 1s), ended(stage_kind::verify, 3s), ended(stage_kind::time, 10s)};
  add_stages(measured, facts);
  auto x = estimate_of(spec_of(1, 1), measured, {.compilers = 2});
  CHECK(x.stage_seconds["verify"] == doctest::Approx(2));
  CHECK(x.stage_seconds["time"] == doctest::Approx(10));
  CHECK(x.measured["verify"] == 2);
  CHECK(x.measured["compile"] == 0);
}

TEST_CASE("compilers that are slower than the device set the time") {
  stage_averages measured{.kinds = {{stage_kind::compile, {1000, 1}}}, .start = {}};
  CHECK(estimate_of(spec_of(1, 8), measured, {.compilers = 2}).seconds == doctest::Approx(4000));
}

TEST_CASE("time limits of jobs bound their search, so many jobs at once; a trace and a last judgement come on top") {
  auto spec = spec_of(8, 1000);
  spec.parallel_jobs = 4;
  for (auto& job : spec.jobs) job.strategy.time_limit = 60s;
  auto x = estimate_of(spec, {}, {.compilers = 2});
  auto each = x.stage_seconds;
  CHECK(x.seconds == doctest::Approx(2 * (60 + each["trace"] + each["verify"] + each["time"])));
}

TEST_CASE("workers take their time to start: as long as the first trace of earlier runs waited, else what is assumed") {
  auto spec = spec_of(1, 1);
  auto without = estimate_of(spec, {}, {.compilers = 2});
  CHECK(without.start_seconds == 0);
  auto with = estimate_of(spec, {}, {.compilers = 2, .starts_workers = true});
  CHECK(with.start_seconds > 0);
  CHECK(with.seconds == doctest::Approx(without.seconds + with.start_seconds));
  stage_averages measured;
  for (auto waited : {10s, 20s}) {
    std::vector<fact> facts{ended(stage_kind::trace, 1s), ended(stage_kind::trace, 1s)};
    std::get<stage_finished>(facts[0].content).result.queued = waited;
    std::get<stage_finished>(facts[1].content).result.queued = 500s;  // it waited for the first one
    add_stages(measured, facts);
  }
  CHECK(estimate_of(spec, measured, {.compilers = 2, .starts_workers = true}).start_seconds == doctest::Approx(15));
}

TEST_CASE("devices work at the same time, and what is not timed has no time stage") {
  auto spec = spec_of(2, 1);
  spec.jobs[1].target.device = {"cuda:0"};
  for (auto& job : spec.jobs) job.time = false;
  auto x = estimate_of(spec, {}, {.compilers = 2});
  CHECK(x.stages == 2 * 3);
  CHECK(x.seconds == doctest::Approx(x.stage_seconds["trace"] + x.stage_seconds["verify"]));
}

}  // namespace estimate_test
