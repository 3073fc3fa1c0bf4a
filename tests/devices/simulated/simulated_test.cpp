#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "devices/simulated/simulated_compiler.hpp"
#include "devices/simulated/simulated_device.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/op_graph.hpp"
#include "tests/support/scratch_folder.hpp"

namespace simulated_test {

using namespace devices;
using namespace devices::simulated;
using namespace std::literals;
using messages::failure_code;
using messages::stage_kind;

namespace {

/// Time that moves when it is told to.
struct fake_timer final : timer {
  std::chrono::microseconds now{0};
  std::multimap<std::chrono::microseconds, std::function<void()>> waiting;

  void after(std::chrono::microseconds delay, std::function<void()> f) override { waiting.emplace(now + delay, f); }
  void advance(std::chrono::microseconds by) {
    auto end = now + by;
    while (!waiting.empty() && waiting.begin()->first <= end) {
      auto next = waiting.extract(waiting.begin());
      now = next.key();
      next.mapped()();
    }
    now = end;
  }
};

/// What became of the stages of one simulated executor.
struct world {
  tests::scratch_folder scratch;
  blobs::blob_store store = *blobs::blob_store::open(scratch / "blobs");
  fake_timer time;
  std::unique_ptr<executor> device;
  std::map<std::string, messages::stage_outcome> ended;
  std::map<std::string, std::chrono::microseconds> ended_at;
  int ready = 0;
  std::vector<messages::failure> downs;

  void start_device(const simulation_options& options) {
    device = *make_simulated_device(store, time, {.world = options});
    start();
  }
  void start() {
    device->start({.ready = [this] { ++ready; }, .down = [this](messages::failure x) { downs.push_back(x); }});
  }
  void run(const messages::stage_request& request) {
    device->run(request, {.ended =
                              [this, id = request.stage.value](messages::stage_outcome x) {
                                CHECK(ended.emplace(id, std::move(x)).second);
                                ended_at[id] = time.now;
                              },
                          .progress = [](auto) {}});
  }
  void run(stage_kind kind, const std::string& id, const std::string& candidate = "c") {
    run({.stage = {id}, .kind = kind, .candidate = {candidate}, .run_limit = 10s});
  }
  template <class T>
  const T& finding(const std::string& id) const {
    return std::get<T>(std::get<messages::verdict>(ended.at(id)).finding);
  }
  messages::failure failed(const std::string& id) const { return std::get<messages::failure>(ended.at(id)); }
};

}  // namespace

TEST_CASE_FIXTURE(world, "without latency a stage ends inside the call that starts it") {
  start_device({});
  CHECK(ready == 1);
  run(stage_kind::trace, "t");
  const auto& traced = finding<messages::traced>("t");
  auto graph = store.get_record<messages::op_graph>(traced.graph);
  CHECK(graph->nodes.front().op == "aten.relu");
  CHECK(graph->values.front().spec.shape == std::vector<std::int64_t>{1024, 1024});
  CHECK(traced.device.kind == "simulated");
  CHECK(time.waiting.empty());
}

TEST_CASE_FIXTURE(world, "a latency passes in the timer's time, more or less by the jitter") {
  start_device({.latency = {{stage_kind::verify, 10ms}}, .jitter = 0.5});
  std::set<std::chrono::microseconds> times;
  for (auto id : {"a", "b", "c", "d"}) run(stage_kind::verify, id);
  CHECK(ended.empty());
  time.advance(20ms);
  CHECK(ended.size() == 4);
  for (const auto& [id, at] : ended_at) {
    CHECK(at >= 5ms);
    CHECK(at <= 15ms);
    times.insert(at);
  }
  CHECK(times.size() > 1);
}

TEST_CASE_FIXTURE(world, "the same seed, stage and attempt behave the same, another attempt does not") {
  simulation first{{.seed = 1, .infrastructure_failure = 0.5}}, again{{.seed = 1, .infrastructure_failure = 0.5}};
  int differ = 0;
  for (int i = 0; i < 64; ++i) {
    messages::stage_request request{.stage = {"s" + std::to_string(i)}, .attempt = 1};
    CHECK(first.fate_of(request) == again.fate_of(request));
    auto other = request;
    other.attempt = 2;
    differ += first.fate_of(request) != first.fate_of(other);
  }
  CHECK(differ > 16);
  CHECK(differ < 48);
}

TEST_CASE("failures come as often as the options say") {
  simulation world{{.infrastructure_failure = 0.1, .down = 0.2, .hang = 0.3}};
  std::map<attempt_fate, int> seen;
  for (int i = 0; i < 2000; ++i) ++seen[world.fate_of({.stage = {std::to_string(i)}})];
  CHECK(seen[attempt_fate::fails] == doctest::Approx(200).epsilon(0.2));
  CHECK(seen[attempt_fate::goes_down] == doctest::Approx(400).epsilon(0.2));
  CHECK(seen[attempt_fate::hangs] == doctest::Approx(600).epsilon(0.2));
}

TEST_CASE_FIXTURE(world, "an infrastructure failure is no verdict") {
  start_device({.infrastructure_failure = 1});
  run(stage_kind::verify, "v");
  CHECK(failed("v").code == failure_code::worker_lost);
  CHECK(downs.empty());
}

TEST_CASE_FIXTURE(world, "a device that goes down fails what runs on it, takes nothing, and comes back") {
  start_device({.latency = {{stage_kind::verify, 10ms}}, .jitter = 0, .down = 1, .down_for = 100ms});
  run(stage_kind::verify, "a");
  time.advance(2ms);
  run(stage_kind::verify, "b");
  time.advance(3ms);
  CHECK(failed("a").code == failure_code::worker_lost);
  CHECK(failed("b").code == failure_code::worker_lost);
  CHECK(downs.size() == 1);
  run(stage_kind::verify, "c");
  CHECK(failed("c").code == failure_code::worker_lost);
  time.advance(99ms);
  CHECK(ready == 1);
  time.advance(1ms);
  CHECK(ready == 2);
  CHECK(downs.size() == 1);
}

TEST_CASE_FIXTURE(world, "a hang lasts until the run limit") {
  start_device({.hang = 1});
  run(stage_kind::time, "t");
  time.advance(9'999ms);
  CHECK(ended.empty());
  time.advance(1ms);
  CHECK(failed("t").code == failure_code::deadline_exceeded);
}

TEST_CASE_FIXTURE(world, "a stage that was given up ends once, as cancelled, and may come again") {
  start_device({.latency = {{stage_kind::verify, 10ms}}, .jitter = 0});
  run(stage_kind::verify, "v");
  time.advance(5ms);
  device->cancel({"v"});
  CHECK(std::holds_alternative<messages::cancelled>(ended.at("v")));
  device->cancel({"unknown"});
  ended.clear();
  run(stage_kind::verify, "v");
  time.advance(5ms);
  CHECK(ended.empty());  // the first one's time is not the second one's
  time.advance(5ms);
  finding<messages::verified>("v");
}

TEST_CASE_FIXTURE(world, "nothing is reported after the device's end") {
  start_device({.latency = {{stage_kind::verify, 10ms}}});
  run(stage_kind::verify, "v");
  device.reset();
  time.advance(1s);
  CHECK(ended.empty());
}

TEST_CASE_FIXTURE(world, "wrong and crashing candidates stay so in every attempt") {
  start_device({.wrong_values = 0.5, .crash = 0.2});
  std::map<messages::failure_kind, int> kinds;
  for (int i = 0; i < 100; ++i) {
    auto candidate = "c" + std::to_string(i);
    run(stage_kind::verify, candidate + "#1", candidate);
    run(stage_kind::verify, candidate + "#2", candidate);
    CHECK(ended.at(candidate + "#1") == ended.at(candidate + "#2"));
    auto& verdict = std::get<messages::verdict>(ended.at(candidate + "#1"));
    if (auto rejected = std::get_if<messages::rejected>(&verdict.finding)) ++kinds[rejected->failure.kind];
  }
  CHECK(kinds[messages::failure_kind::crash] > 5);
  CHECK(kinds[messages::failure_kind::wrong_values] > 20);
  CHECK(kinds[messages::failure_kind::crash] + kinds[messages::failure_kind::wrong_values] < 90);
}

TEST_CASE_FIXTURE(world, "a knob has one best value, which a search can find") {
  start_device({});
  std::map<std::int64_t, double> speedups;
  for (std::int64_t block = 1; block <= 1024; block *= 2) {
    auto manifest = store.put_record(messages::candidate_manifest{.knobs = {{"g0.block", block}}});
    auto id = "t" + std::to_string(block);
    run({.stage = {id}, .kind = stage_kind::time, .candidate = {"c"}, .manifest = *manifest});
    speedups[block] = finding<messages::timed>(id).timing.speedup_eager.value;
  }
  auto best = std::ranges::max_element(speedups, {}, [](const auto& x) { return x.second; });
  for (auto below = speedups.begin(); below != best; ++below) CHECK(below->second < std::next(below)->second);
  for (auto above = best; std::next(above) != speedups.end(); ++above) CHECK(above->second > std::next(above)->second);
}

TEST_CASE_FIXTURE(world, "a compiler gives artifacts, and compile errors as often as asked") {
  device = *make_simulated_compiler(store, time, {.world = {.compile_error = 0.5}});
  start();
  CHECK(device->toolchain() == "simulated 1");
  int errors = 0;
  for (int i = 0; i < 100; ++i) {
    auto id = "c" + std::to_string(i);
    run(stage_kind::compile, id, id);
    auto& verdict = std::get<messages::verdict>(ended.at(id));
    if (auto compiled = std::get_if<messages::compiled>(&verdict.finding))
      CHECK(store.has(compiled->artifact));
    else
      errors += std::get<messages::rejected>(verdict.finding).failure.kind == messages::failure_kind::compile_error;
  }
  CHECK(errors > 25);
  CHECK(errors < 75);
  run(stage_kind::verify, "v");
  CHECK(failed("v").code == failure_code::no_resource);
}

TEST_CASE_FIXTURE(world, "options that make no sense are refused") {
  CHECK_FALSE(make_simulated_device(store, time, {.world = {.hang = 1.5}}).has_value());
  CHECK_FALSE(make_simulated_device(store, time, {.world = {.down = 0.6, .hang = 0.6}}).has_value());
}

}  // namespace simulated_test
