#include "actors/logic/stage_schedule.hpp"

#include <doctest/doctest.h>

namespace stage_schedule_test {

using namespace messages;
using namespace actors::logic;
using namespace std::literals;

namespace {

const resource_offer cpu{
    {"n/cpu:0"}, {"n"}, {stage_kind::trace, stage_kind::verify, stage_kind::time}, {}, {"cpu:0"}, 2, 0, true, true};
const resource_offer gpu{{"n/cuda:0"}, {"n"}, {stage_kind::verify, stage_kind::time}, {}, {"cuda:0"}, 2, 1,
                         false,        false};
const resource_offer compiler{{"n/compiler.cpp"}, {"n"}, {stage_kind::compile}, {"cpp"}, {}, 2, 0, true, false};

resource_offer named(resource_offer x, const std::string& node, const std::string& name) {
  x.name = {name};
  x.node = {node};
  return x;
}

stage_request verify(const std::string& id, const std::string& device = "cpu:0") {
  return {.stage = {id}, .kind = stage_kind::verify, .target = {{device}, "cpp", ""}};
}
stage_request timing(const std::string& id, const std::string& device = "cpu:0") {
  return {.stage = {id}, .kind = stage_kind::time, .target = {{device}, "cpp", ""}};
}
stage_request compile(const std::string& id, const std::string& dsl = "cpp") {
  return {.stage = {id}, .kind = stage_kind::compile, .target = {{"cpu:0"}, dsl, ""}};
}

/// A schedule, its clock, and what it wanted last.
struct scheduling {
  stage_schedule schedule{{.attempts = 3}};
  instant now{};
  std::vector<std::string> log;

  void pass(std::chrono::milliseconds step) {
    now += step;
    schedule.tick(now);
    note();
  }
  void join(const resource_offer& x) { schedule.join(x, now), note(); }
  void submit(const stage_request& x) { schedule.submit(x, now), note(); }
  void end(const std::string& resource, const std::string& stage, stage_outcome outcome = verdict{},
           std::uint32_t attempt = 1) {
    schedule.ended({resource}, {.stage = {stage}, .attempt = attempt, .outcome = std::move(outcome)}, now);
    note();
  }
  void note() {
    for (const auto& x : schedule.take_effects()) std::visit([this](const auto& y) { log.push_back(say(y)); }, x);
  }
  std::vector<std::string> done() { return std::exchange(log, {}); }

  static std::string say(const grant& x) { return x.request.stage.value + " to " + x.resource.value; }
  static std::string say(const actors::logic::revoke& x) { return x.stage.value + " off " + x.resource.value; }
  static std::string say(const settle& x) {
    constexpr const char* kinds[]{"verdict", "failed", "cancelled"};
    auto text = x.result.stage.value + ' ' + kinds[x.result.outcome.index()];
    if (auto reason = std::get_if<failure>(&x.result.outcome)) text += ": " + reason->detail;
    return text;
  }
};

const failure lost{failure_code::worker_lost, "the worker died"};
using logged = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(scheduling, "a stage waits until a resource that fits it joins") {
  submit(verify("v"));
  submit(compile("c"));
  CHECK(done().empty());
  join(cpu);
  CHECK(done() == logged{"v to n/cpu:0"});
  join(compiler);
  CHECK(done() == logged{"c to n/compiler.cpp"});
  end("n/cpu:0", "v");
  CHECK(done() == logged{"v verdict"});
}

TEST_CASE_FIXTURE(scheduling, "a resource gets as many stages as it has slots, then the one that waited longest") {
  join(cpu);
  for (auto id : {"a", "b", "c", "d"}) submit(verify(id));
  CHECK(done() == logged{"a to n/cpu:0", "b to n/cpu:0"});
  end("n/cpu:0", "b");
  CHECK(done() == logged{"b verdict", "c to n/cpu:0"});
}

TEST_CASE_FIXTURE(scheduling, "prefetched grants lie ready beyond the slots") {
  join(gpu);
  for (auto id : {"a", "b", "c", "d"}) submit(verify(id, "cuda:0"));
  CHECK(done() == logged{"a to n/cuda:0", "b to n/cuda:0", "c to n/cuda:0"});
}

TEST_CASE_FIXTURE(scheduling, "timing on a CPU waits for quiet cores, and while it waits nothing new starts there") {
  join(cpu);
  join(compiler);
  submit(compile("c1"));
  submit(timing("t"));
  submit(compile("c2"));
  submit(verify("v"));
  CHECK(done() == logged{"c1 to n/compiler.cpp"});
  end("n/compiler.cpp", "c1");
  CHECK(done() == logged{"c1 verdict", "t to n/cpu:0"});
  end("n/cpu:0", "t");
  CHECK(done() == logged{"t verdict", "c2 to n/compiler.cpp", "v to n/cpu:0"});
}

TEST_CASE_FIXTURE(scheduling, "timing on one node does not hold up another") {
  join(cpu);
  join(compiler);
  join(named(compiler, "m", "m/compiler.cpp"));
  submit(timing("t"));
  submit(compile("c"));
  CHECK(done() == logged{"t to n/cpu:0", "c to m/compiler.cpp"});
}

TEST_CASE_FIXTURE(scheduling, "timing on a GPU is alone on the GPU but lets the node's cores compile") {
  join(gpu);
  join(compiler);
  submit(timing("t", "cuda:0"));
  submit(verify("v", "cuda:0"));
  submit(compile("c"));
  CHECK(done() == logged{"t to n/cuda:0", "c to n/compiler.cpp"});
  end("n/cuda:0", "t");
  CHECK(done() == logged{"t verdict", "v to n/cuda:0"});
}

TEST_CASE_FIXTURE(scheduling, "a stage runs again after an infrastructure failure, later and elsewhere where it can") {
  join(named(cpu, "n", "n/cpu:0"));
  submit(verify("v"));
  end("n/cpu:0", "v", lost);
  join(named(cpu, "m", "m/cpu:0"));
  CHECK(done() == logged{"v to n/cpu:0"});
  pass(99ms);
  CHECK(done().empty());
  pass(1ms);
  CHECK(done() == logged{"v to m/cpu:0"});
  end("m/cpu:0", "v", verdict{}, 2);
  CHECK(done() == logged{"v verdict"});
}

TEST_CASE_FIXTURE(scheduling, "the failure of the last attempt is the result, with its reason") {
  join(cpu);
  submit(verify("v"));
  for (std::uint32_t attempt : {1u, 2u, 3u}) {
    end("n/cpu:0", "v", lost, attempt);
    pass(10s);
  }
  CHECK(done() == logged{"v to n/cpu:0", "v to n/cpu:0", "v to n/cpu:0", "v failed: the worker died"});
}

TEST_CASE_FIXTURE(scheduling, "a stage that was given back before it began has lost no attempt") {
  join(gpu);
  submit(verify("v", "cuda:0"));
  done();
  for (int i = 0; i < 10; ++i) {
    end("n/cuda:0", "v", failure{failure_code::interrupted, "another stage's worker died"});
    pass(10s);
    CHECK(done() == logged{"v to n/cuda:0"});
  }
  end("n/cuda:0", "v");
  CHECK(done() == logged{"v verdict"});
}

TEST_CASE_FIXTURE(scheduling, "what would fail the same way again is not tried again") {
  join(cpu);
  submit(verify("v"));
  end("n/cpu:0", "v", failure{failure_code::not_found, "no blob"});
  CHECK(done() == logged{"v to n/cpu:0", "v failed: no blob"});
}

TEST_CASE_FIXTURE(scheduling, "a resource that leaves gives its stages to another at once") {
  join(cpu);
  join(named(cpu, "m", "m/cpu:0"));
  submit(verify("v"));
  CHECK(done() == logged{"v to m/cpu:0"});
  schedule.leave({"m/cpu:0"}, {failure_code::node_lost, "gone"}, now);
  pass(100ms);
  CHECK(done() == logged{"v to n/cpu:0"});
  end("m/cpu:0", "v");  // an answer from beyond does not count
  CHECK(done().empty());
  end("n/cpu:0", "v", verdict{}, 1);  // nor does one of another attempt
  CHECK(done().empty());
  end("n/cpu:0", "v", verdict{}, 2);
  CHECK(done() == logged{"v verdict"});
}

TEST_CASE_FIXTURE(scheduling, "a resource that rests keeps its stages until it says how they end, and gets no more") {
  join(cpu);
  submit(verify("v"));
  schedule.rest({"n/cpu:0"}, lost, now);
  submit(verify("w"));
  CHECK(done() == logged{"v to n/cpu:0"});
  end("n/cpu:0", "v", failure{failure_code::interrupted, "it had not begun"});
  pass(10s);
  CHECK(done().empty());
  join(cpu);
  CHECK(done() == logged{"v to n/cpu:0", "w to n/cpu:0"});
}

TEST_CASE_FIXTURE(scheduling, "a stage that nobody can run fails after the grace and says what is missing") {
  join(cpu);
  submit(compile("c", "triton"));
  pass(119'999ms);
  CHECK(done().empty());
  pass(1ms);
  CHECK(done()
        == logged{
            "c failed: nothing here offers \"compile\" on cpu:0 in triton; see the config's devices and compilers"});
}

TEST_CASE_FIXTURE(scheduling, "whoever left last is the reason why nobody can run a stage") {
  join(cpu);
  schedule.leave({"n/cpu:0"}, {failure_code::worker_lost, "no Python with torch"}, now);
  submit(verify("v"));
  pass(120s);
  CHECK(done() == logged{"v failed: no Python with torch"});
}

TEST_CASE_FIXTURE(scheduling, "a stage waits beyond the grace for a resource that was announced") {
  schedule.announce(cpu, now);
  submit(verify("v"));
  pass(10min);
  CHECK(done().empty());
  join(cpu);
  CHECK(done() == logged{"v to n/cpu:0"});
}

TEST_CASE_FIXTURE(scheduling, "waiting longer than the queue limit is an infrastructure failure") {
  schedule.announce(cpu, now);
  auto request = verify("v");
  request.queue_limit = 5s;
  submit(request);
  pass(4'999ms);
  CHECK(done().empty());
  pass(1ms);
  CHECK(done() == logged{"v failed: it waited longer than its queue limit"});
}

TEST_CASE_FIXTURE(scheduling, "a runner that never answers loses the stage when its lease ends") {
  join(cpu);
  join(named(cpu, "m", "m/cpu:0"));
  auto request = verify("v");
  request.run_limit = 10s;
  submit(request);
  CHECK(done() == logged{"v to m/cpu:0"});
  pass(24'999ms);
  CHECK(done().empty());
  pass(1ms);
  CHECK(done() == logged{"v off m/cpu:0"});
  pass(100ms);
  CHECK(done() == logged{"v to n/cpu:0"});
}

TEST_CASE_FIXTURE(scheduling, "a stage that waits is cancelled at once, one that runs when its runner says so") {
  join(cpu);
  for (auto id : {"a", "b", "c"}) submit(verify(id));
  done();
  schedule.cancel({"c"}, now), note();
  CHECK(done() == logged{"c cancelled"});
  schedule.cancel({"a"}, now), note();
  CHECK(done() == logged{"a off n/cpu:0"});
  end("n/cpu:0", "a", cancelled{});
  CHECK(done() == logged{"a cancelled"});
  schedule.cancel({"b"}, now), note();
  end("n/cpu:0", "b", lost);  // it could not be stopped cleanly: it is not tried again
  CHECK(done() == logged{"b off n/cpu:0", "b cancelled"});
}

TEST_CASE_FIXTURE(scheduling, "a stage that is asked for twice runs once") {
  join(cpu);
  submit(verify("v"));
  submit(verify("v"));
  CHECK(done() == logged{"v to n/cpu:0"});
  end("n/cpu:0", "v");
  CHECK(done() == logged{"v verdict"});
}

TEST_CASE_FIXTURE(scheduling, "a resource that joins again under its name loses what it had before") {
  join(cpu);
  submit(verify("v"));
  join(cpu);
  pass(100ms);
  CHECK(done() == logged{"v to n/cpu:0", "v to n/cpu:0"});
}

TEST_CASE_FIXTURE(scheduling, "timing is not put off for ever by checks that keep coming") {
  auto offer = gpu;
  offer.prefetch = 0;
  join(offer);
  submit(verify("a", "cuda:0"));
  submit(verify("b", "cuda:0"));
  submit(timing("t", "cuda:0"));
  submit(verify("c", "cuda:0"));
  done();
  end("n/cuda:0", "a");
  CHECK(done() == logged{"a verdict"});
  end("n/cuda:0", "b");
  CHECK(done() == logged{"b verdict", "t to n/cuda:0"});
}

TEST_CASE_FIXTURE(scheduling, "a device may be named with its node in front") {
  join(named(gpu, "n", "n/cuda:0"));
  join(named(gpu, "m", "m/cuda:0"));
  submit(verify("v", "n/cuda:0"));
  CHECK(done() == logged{"v to n/cuda:0"});
}

TEST_CASE_FIXTURE(scheduling, "a prefetched stage has time for those before it") {
  auto offer = gpu;
  offer.slots = 1;
  join(offer);
  for (auto id : {"a", "b"}) {
    auto request = verify(id, "cuda:0");
    request.run_limit = 10s;
    submit(request);
  }
  done();
  pass(24s);
  end("n/cuda:0", "a");
  pass(10s);
  CHECK(done() == logged{"a verdict"});
  end("n/cuda:0", "b");
  CHECK(done() == logged{"b verdict"});
}

TEST_CASE_FIXTURE(scheduling, "no deadline is kept for stages that have ended") {
  join(cpu);
  for (int i = 0; i < 1000; ++i) {
    submit(verify("v" + std::to_string(i)));
    end("n/cpu:0", "v" + std::to_string(i));
  }
  CHECK(!schedule.next_deadline());
  CHECK(schedule.resources().waiting == 0);
}

TEST_CASE_FIXTURE(scheduling, "a profile has its resource to itself, and one that failed is not tried again") {
  auto offer = cpu;
  offer.kinds.push_back(stage_kind::profile);
  join(offer);
  submit(verify("v"));
  submit({.stage = {"p"}, .kind = stage_kind::profile, .target = {{"cpu:0"}, "cpp", ""}});
  submit(verify("w"));
  CHECK(done() == logged{"v to n/cpu:0"});
  end("n/cpu:0", "v");
  CHECK(done() == logged{"v verdict", "p to n/cpu:0"});
  end("n/cpu:0", "p", lost);
  CHECK(done() == logged{"p failed: the worker died", "w to n/cpu:0"});
}

}  // namespace stage_schedule_test
