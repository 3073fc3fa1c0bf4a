#include "devices/cpu/cpu_device.hpp"

#include <fstream>

#include "devices/worker/task_mark.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/task.hpp"
#include "tests/devices/worker/executor_reports.hpp"
#include "tests/devices/worker/workers.hpp"

namespace cpu_device_test {

using namespace devices;
using namespace std::literals;
using messages::failure_code;
using messages::stage_kind;

namespace {

/// A CPU device with a fake judge.
struct cpu_with_fakes : tests::workers {
  blobs::blob_store store = *blobs::blob_store::open(scratch / "blobs");
  tests::executor_reports reports;
  std::unique_ptr<executor> device;

  void start() {
    auto made = cpu::make_cpu_device(hub, store, {.python = python});
    REQUIRE_MESSAGE(made.has_value(), made.error().detail);
    device = *std::move(made);
    device->start(reports.events());
    reports.ready.await();
  }
  messages::stage_request trace_of(const std::string& wish) const {
    return {.stage = {wish}, .kind = stage_kind::trace, .task = *store.put_record(messages::task{.name = wish})};
  }
  messages::stage_request candidate_stage(stage_kind kind) const {
    auto x = trace_of("relu");
    x.kind = kind;
    messages::candidate_manifest manifest{.dsl = "cpp", .sources = {{"a.cpp", *store.put("source")}}};
    x.manifest = *store.put_record(manifest);
    x.artifact = *store.put("library");
    return x;
  }
  messages::stage_outcome run(const messages::stage_request& request) { return reports.run(*device, request); }
};

}  // namespace

TEST_CASE_FIXTURE(cpu_with_fakes, "a trace puts the op graph into the store and names the device") {
  if (!tests::has_python()) return;
  start();
  auto traced = tests::finding_of<messages::traced>(run(trace_of("graph")));
  CHECK(store.get_record<messages::op_graph>(traced.graph)->nodes.front().op == "aten.relu");
  CHECK(traced.device.name.value == "cpu:0");
  CHECK(traced.device.copy_bytes_per_second == 1e9);
  auto progress = reports.progress.await();
  CHECK(progress.stage.value == "graph");
  CHECK(progress.text == "half");
}

TEST_CASE_FIXTURE(cpu_with_fakes, "the graphs of a task's further shapes are in the store as well") {
  if (!tests::has_python()) return;
  start();
  auto traced = tests::finding_of<messages::traced>(run(trace_of("shapes")));
  REQUIRE(traced.others.size() == 1);
  CHECK(store.get_record<messages::op_graph>(traced.others[0].graph)->task == "longer");
  CHECK(tests::finding_of<messages::traced>(run(trace_of("graph"))).others.empty());
}

TEST_CASE_FIXTURE(cpu_with_fakes, "a task that the judge refuses is a verdict about the task") {
  if (!tests::has_python()) return;
  start();
  auto refused = tests::finding_of<messages::rejected>(run(trace_of("words"))).failure;
  CHECK(refused.stage == messages::failure_stage::trace);
  CHECK(refused.kind == messages::failure_kind::task_error);
  CHECK(refused.message == "written");
  CHECK(refused.details.at("line") == "3");
}

TEST_CASE_FIXTURE(cpu_with_fakes, "figures of a judge become verdicts by the rules") {
  if (!tests::has_python()) return;
  start();
  auto request = candidate_stage(stage_kind::verify);
  auto verified = tests::finding_of<messages::verified>(run(request));
  CHECK(verified.error.max_abs == 1e-6);
  CHECK(verified.judging.seeds.size() == 5);
  CHECK(verified.judging.environment.device_model == "library, source");  // the fake says what it was given to read
  auto timed = tests::finding_of<messages::timed>(run(candidate_stage(stage_kind::time))).timing;
  CHECK(timed.speedup_eager.value == 2);
  CHECK(timed.roofline_share == doctest::Approx(0.5));
  auto profiled = tests::finding_of<messages::profiled>(run(candidate_stage(stage_kind::profile)));
  CHECK(profiled.bottleneck == "unknown");
  CHECK(profiled.missing == "the fake has no profiler");
  CHECK(profiled.metrics.at("call_ns") == 2e6);
}

TEST_CASE_FIXTURE(cpu_with_fakes, "stages wait inside for their turn, and one that waits can be given up") {
  if (!tests::has_python()) return;
  start();
  tests::mailbox<messages::stage_outcome> first, second, third;
  device->run(trace_of("hang"), {.ended = [&](auto x) { first.put(x); }, .progress = [](auto) {}});
  device->run(trace_of("graph"), {.ended = [&](auto x) { second.put(x); }, .progress = [](auto) {}});
  device->run(trace_of("other"), {.ended = [&](auto x) { third.put(x); }, .progress = [](auto) {}});
  device->cancel({"graph"});
  CHECK(std::holds_alternative<messages::cancelled>(second.await()));
  CHECK(first.empty());
  device->cancel({"hang"});
  CHECK(std::holds_alternative<messages::cancelled>(first.await()));
  CHECK(tests::failure_of(third.await()).code == failure_code::interrupted);
  CHECK(reports.down.await().code == failure_code::interrupted);  // it was asked to: no loss
  reports.ready.await();
  tests::finding_of<messages::traced>(run(trace_of("other")));
}

TEST_CASE_FIXTURE(cpu_with_fakes, "a stage over its run limit ends with deadline_exceeded, and the device comes back") {
  if (!tests::has_python()) return;
  start();
  auto request = trace_of("hang");
  request.run_limit = 50ms;
  CHECK(tests::failure_of(run(request)).code == failure_code::deadline_exceeded);
  reports.down.await();
  reports.ready.await();
}

TEST_CASE_FIXTURE(cpu_with_fakes, "a judge that crashes is a failure, never a verdict") {
  if (!tests::has_python()) return;
  start();
  CHECK(tests::failure_of(run(trace_of("crash"))).code == failure_code::worker_lost);
  reports.down.await();
  reports.ready.await();
}

TEST_CASE_FIXTURE(cpu_with_fakes, "a task whose own code ends the judge is refused, with what it was at") {
  if (!tests::has_python()) return;
  start();
  auto refused = tests::finding_of<messages::rejected>(run(trace_of("crash importing"))).failure;
  CHECK(refused.kind == messages::failure_kind::task_error);
  CHECK(refused.message == "the task ended its process (exit code 7) while importing; it may only return or raise");
  CHECK(refused.details.at("line") == "3");
  reports.down.await();
  reports.ready.await();
}

TEST_CASE_FIXTURE(cpu_with_fakes, "a task whose own code takes all the time of a stage is refused") {
  if (!tests::has_python()) return;
  start();
  auto request = trace_of("hang importing");
  request.run_limit = 300ms;
  auto refused = tests::finding_of<messages::rejected>(run(request)).failure;
  CHECK(
      refused.message.starts_with("the task did not finish importing within 0.3 s; if it needs longer, raise "
                                  "scheduler.run_limit.trace"));
  reports.down.await();
  reports.ready.await();
}

TEST_CASE_FIXTURE(cpu_with_fakes, "a judge that is killed from outside says nothing about the task that it was at") {
  if (!tests::has_python()) return;
  start();
  CHECK(tests::failure_of(run(trace_of("killed importing"))).code == failure_code::worker_lost);
  reports.down.await();
  reports.ready.await();
}

TEST_CASE("a mark that is none says nothing, and no link is followed") {
  tests::scratch_folder folder;
  CHECK_FALSE(worker::read_task_mark(folder.path(), "a.py"));
  for (auto text : {"", "12", "12 importing <b>", "\0\0"}) {
    std::ofstream{folder / "task.mark"} << text;
    CHECK_FALSE_MESSAGE(worker::read_task_mark(folder.path(), "a.py"), text);
  }
  std::ofstream{folder / "other"} << "12 importing";
  std::filesystem::remove(folder / "task.mark");
  std::filesystem::create_symlink(folder / "other", folder / "task.mark");
  CHECK_FALSE(worker::read_task_mark(folder.path(), "a.py"));
  std::filesystem::remove(folder / "task.mark");
  std::filesystem::rename(folder / "other", folder / "task.mark");
  std::ofstream{folder / "task.lines"} << "  File \"b.py\", line 9 in f\n  File \"a.py\", line 4 in <module>\n";
  auto mark = worker::read_task_mark(folder.path(), "a.py");
  REQUIRE(mark);
  CHECK(mark->doing == "importing");
  CHECK(mark->lasted > 0ms);
  CHECK(mark->line == 4);
}

TEST_CASE_FIXTURE(cpu_with_fakes,
                  "stages that the device does not offer or whose blobs are missing end with failures") {
  if (!tests::has_python()) return;
  start();
  CHECK(tests::failure_of(run(candidate_stage(stage_kind::compile))).code == failure_code::no_resource);
  auto unknown = trace_of("graph");
  unknown.task = {std::string(32, '0')};
  CHECK(tests::failure_of(run(unknown)).code == failure_code::not_found);
}

TEST_CASE_FIXTURE(cpu_with_fakes, "before it is ready and after its end a device reports no verdicts") {
  python.interpreter = "/no/python3";
  device = *cpu::make_cpu_device(hub, store, {.python = {.package_folder = python.package_folder}});
  CHECK(cpu::make_cpu_device(hub, store, {.python = python}).error().code == failure_code::misconfigured);
  device->start(reports.events());
  tests::mailbox<messages::stage_outcome> outcomes;
  device->run(trace_of("graph"), {.ended = [&](auto x) { outcomes.put(x); }, .progress = [](auto) {}});
  CHECK(tests::failure_of(outcomes.await()).code == failure_code::interrupted);
  device.reset();
  CHECK(outcomes.empty());
}

}  // namespace cpu_device_test
