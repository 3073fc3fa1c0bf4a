#include "actors/cli/finish.hpp"

#include <doctest/doctest.h>

namespace finish_test {

using namespace actors;
using namespace messages;
using cli::exit_code;

namespace {

logic::job_state job_that(const std::string& stopped_by) {
  logic::job_state x;
  x.finished = job_finished{.stopped_by = stopped_by};
  return x;
}

logic::job_state solved() {
  auto x = job_that("time");
  logic::candidate_state candidate;
  candidate.made.candidate = {"c"};
  x.candidates = {candidate};
  x.gains = {{"c"}};
  return x;
}

exit_code code_of_run(const std::vector<logic::job_state>& jobs) {
  logic::run_state run{.finished = true};
  for (std::size_t i = 0; i < jobs.size(); ++i) run.jobs[{std::to_string(i)}] = jobs[i];
  return cli::code_of(run);
}

job_status status_of(const std::string& task, bool found) {
  job_status x{.job = {task + ".cpu_0.cpp"}, .task_name = task};
  if (found) x.best = candidate_id{"c"};
  return x;
}

}  // namespace

TEST_CASE("a run of several jobs is done if one found a kernel, as the contract has it") {
  CHECK(code_of_run({solved()}) == exit_code::done);
  CHECK(code_of_run({solved(), job_that("exhausted"), job_that("task")}) == exit_code::done);
  CHECK(code_of_run({job_that("exhausted"), job_that("time")}) == exit_code::no);
  CHECK(code_of_run({job_that("exhausted"), job_that("task")}) == exit_code::bad_input);
  CHECK(code_of_run({solved(), job_that("infrastructure")}) == exit_code::infrastructure);
}

TEST_CASE("who interrupts a run hears how to go on, and how to get at a kernel that was found") {
  run_status x{.run = {"r1"}, .jobs = {status_of("gelu", false)}};
  CHECK(cli::how_to_go_on(x, "optimize") == "`kernelmesh resume r1` goes on");
  x.jobs[0] = status_of("gelu", true);
  CHECK(cli::how_to_go_on(x, "optimize")
        == "`kernelmesh resume r1` goes on, `kernelmesh export r1 gelu` writes the best kernel so far");
  CHECK(cli::how_to_go_on(x, "verify") == "`kernelmesh resume r1` goes on");
  x.jobs.push_back(status_of("relu", true));
  CHECK(cli::how_to_go_on(x, "run")
        == "`kernelmesh resume r1` goes on, `kernelmesh export r1 gelu.cpu_0.cpp` writes the best kernel so far (one of "
           "2 that were found)");
}

}  // namespace finish_test
