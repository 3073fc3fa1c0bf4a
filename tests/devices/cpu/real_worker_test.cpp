// The CPU device and a compiler with the real Python workers: torch, g++.

#include "devices/cpu/cpu_device.hpp"

#include <signal.h>
#include <algorithm>
#include <map>

#include "devices/worker/compile_executor.hpp"
#include "messages/records/candidate.hpp"
#include "messages/records/op_graph.hpp"
#include "messages/records/task.hpp"
#include "tests/devices/worker/executor_reports.hpp"
#include "tests/devices/worker/processes.hpp"
#include "tests/devices/worker/workers.hpp"

namespace real_worker_test {

using namespace devices;
using namespace std::literals;
using messages::failure_kind;
using messages::stage_kind;

namespace {

constexpr auto modules = "zmq, msgpack, numpy, torch";

constexpr auto relu_task = R"(
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.rand(1024, 1024)]

def get_init_inputs():
    return []
)";

/// A function over 4 MiB of floats, enough to be timed on a busy machine; `body` says what becomes of x[i].
std::string kernel(const std::string& body) {
  return "#include \"kernelmesh_abi.h\"\n"
         "extern \"C\" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, "
         "int32_t,\n"
         "                              int32_t, void*) {\n"
         "  auto x = static_cast<const float*>(in[0].data);\n"
         "  auto y = static_cast<float*>(out[0].data);\n"
         "  for (int i = 0; i < 1024 * 1024; ++i) "
         + body + "\n  return 0;\n}\n";
}

struct real_workers : tests::workers {
  std::filesystem::path sources{KERNELMESH_SOURCES};
  std::filesystem::path adapter = sources / "dsl/cpp/adapter.py";
  blobs::blob_store store = *blobs::blob_store::open(scratch / "blobs");
  tests::executor_reports device_reports, compiler_reports;
  std::unique_ptr<executor> device, compiler;
  std::string mark = "mark" + worker::random_token();  ///< in the environment of the device's processes
  std::map<std::string, messages::stage_request> built_before;
  messages::blob_hash task = *store.put_record(messages::task{.name = "relu", .code = relu_task});

  real_workers() {
    python.package_folder = sources / "devices/worker";
    python.module = "kernelmesh_worker";
    if (tests::has_python(modules)) python.sandbox = sandbox();
  }
  /// Where there is none the tests say so in the results that they check.
  worker::worker_sandbox sandbox() const {
    auto made = worker::make_sandbox({.guard = KERNELMESH_GUARD,
                                      .interpreter = python.interpreter,
                                      .package_folder = python.package_folder,
                                      .unsafe_none = true});
    REQUIRE_MESSAGE(made.has_value(), made.error().detail);
    return *made;
  }
  void start_device() {
    auto marked = python;
    marked.environment["KERNELMESH_TEST_MARK"] = mark;
    device = *cpu::make_cpu_device(hub, store, {.python = marked, .adapters = {{"cpp", adapter}}});
    device->start(device_reports.events());
  }
  void start_both() {
    compiler = *worker::make_compile_executor(hub, store, {.dsl = "cpp", .adapter = adapter, .python = python});
    compiler->start(compiler_reports.events());
    start_device();
    await_ready(compiler_reports);
    await_ready(device_reports);
  }
  static void await_ready(tests::executor_reports& reports) {
    if (reports.ready.take(180s)) return;
    auto why = reports.down.take(0ms);
    FAIL("not ready: ", why ? why->detail : "no report");
  }

  messages::stage_request stage(stage_kind kind) const {
    return {
        .stage = {"relu/" + std::string{enum_names(kind)[static_cast<std::size_t>(kind)]}}, .kind = kind, .task = task};
  }
  /// Compiles a kernel; what is left to do is to judge it.
  messages::stage_request built(stage_kind kind, const std::string& body) {
    auto& request = built_before[body];
    if (request.artifact.value.empty()) request = build(body);
    request.kind = kind;
    return request;
  }
  messages::stage_request build(const std::string& body) {
    messages::tensor_spec spec{.shape = {1024, 1024}, .strides = {1024, 1}};
    messages::candidate_manifest manifest{
        .dsl = "cpp",
        .entry = messages::c_abi_entry{},
        .sources = {{"kernel.cpp", *store.put(kernel(body))},
                    {"kernelmesh_abi.h", *store.put_file(sources / "devices/worker/kernelmesh_abi.h")}},
        .arguments = {{.spec = spec}},
        .outputs = {spec}};
    auto request = stage(stage_kind::compile);
    request.manifest = *store.put_record(manifest);
    request.artifact = tests::finding_of<messages::compiled>(compiler_reports.run(*compiler, request)).artifact;
    return request;
  }
  messages::kernel_failure rejection_of(const std::string& body, std::chrono::milliseconds call_limit = 30s) {
    auto request = built(stage_kind::verify, body);
    request.judge.call_limit = call_limit;
    return tests::finding_of<messages::rejected>(device_reports.run(*device, request)).failure;
  }
};

}  // namespace

/// One start of torch is enough for the tests that end no worker.
real_workers& shared() {
  static auto workers = [] {
    auto x = std::make_unique<real_workers>();
    x->start_both();
    return x;
  }();
  return *workers;
}

TEST_CASE("a task is traced by the real judge, and a broken one refused with its line") {
  if (!tests::has_python(modules)) return;
  auto& x = shared();
  auto traced = tests::finding_of<messages::traced>(x.device_reports.run(*x.device, x.stage(stage_kind::trace)));
  CHECK(x.store.get_record<messages::op_graph>(traced.graph)->nodes.front().op == "aten.relu");
  CHECK(traced.device.kind == "cpu");
  CHECK(traced.device.copy_bytes_per_second > 1e8);
  CHECK(traced.device.limits.at("cores") >= 1);

  auto broken = x.stage(stage_kind::trace);
  broken.task = *x.store.put_record(messages::task{.name = "broken", .code = "import torch\nraise ValueError('no')\n"});
  auto refused = tests::finding_of<messages::rejected>(x.device_reports.run(*x.device, broken)).failure;
  CHECK(refused.kind == failure_kind::task_error);
  CHECK(refused.details.at("line") == "2");
}

TEST_CASE("a kernel is compiled, verified and timed by the real workers") {
  if (!tests::has_python(modules)) return;
  auto& x = shared();
  CHECK(x.compiler->toolchain().starts_with("g++"));
  auto verified = tests::finding_of<messages::verified>(
      x.device_reports.run(*x.device, x.built(stage_kind::verify, "y[i] = x[i] > 0 ? x[i] : 0;")));
  CHECK(verified.judging.seeds.size() >= 5);
  CHECK(verified.error.max_abs < 1e-6);
  CHECK(verified.judging.sandbox == worker::probe_sandbox(KERNELMESH_GUARD).name);

  auto request = x.built(stage_kind::time, "y[i] = x[i] > 0 ? x[i] : 0;");
  request.judge.timing_budget = 500ms;
  auto timing = tests::finding_of<messages::timed>(x.device_reports.run(*x.device, request)).timing;
  CHECK(timing.candidate_ms.median > 0);
  CHECK(timing.candidate_ms.samples > 5);
  CHECK(timing.speedup_eager.low <= timing.speedup_eager.value);
  CHECK(timing.speedup_eager.value <= timing.speedup_eager.high);
  CHECK(timing.aa_noise > 0);
}

TEST_CASE("a kernel is profiled by the real workers") {
  if (!tests::has_python(modules)) return;
  auto& x = shared();
  auto profile = tests::finding_of<messages::profiled>(
      x.device_reports.run(*x.device, x.built(stage_kind::profile, "y[i] = x[i] > 0 ? x[i] : 0;")));
  CHECK(profile.metrics.at("call_ns") > 0);
  CHECK(!profile.reason.empty());
  CHECK((profile.source == "perf" || !profile.missing.empty()));
}

TEST_CASE("kernels that are wrong, crash or hang are verdicts, and the device stays up") {
  if (!tests::has_python(modules)) return;
  auto& x = shared();
  auto wrong = x.rejection_of("y[i] = x[i];");  // passes the task's own draw, which is positive
  CHECK(wrong.kind == failure_kind::wrong_values);
  CHECK(wrong.details.at("draw") != "own");
  CHECK(x.rejection_of("y[i] = *static_cast<volatile float*>(nullptr);").kind == failure_kind::crash);
  CHECK(x.rejection_of("for (;;) asm volatile(\"\");", 300ms).kind == failure_kind::timeout);
  CHECK(x.device_reports.down.empty());
}

/// The last one: it leaves the shared device down.
TEST_CASE("kill -9 of the real judge or zygote fails the stage and leaves nothing behind") {
  if (!tests::has_python(modules)) return;
  auto& x = shared();
  for (std::string role : {"judge", "zygote"}) {
    tests::mailbox<messages::stage_outcome> outcomes;
    auto slow = x.stage(stage_kind::trace);
    slow.task = *x.store.put_record(messages::task{.name = "slow", .code = "import signal\nsignal.pause()\n"});
    x.device->run(slow, {.ended = [&](auto outcome) { outcomes.put(std::move(outcome)); }, .progress = [](auto) {}});
    auto generation = tests::processes_with(x.mark);
    std::vector<pid_t> of_role;  // ours only: the mark tells them from those of others on this machine
    for (auto pid : tests::processes_with("kernelmesh_worker\0"s + role))
      if (std::ranges::find(generation, pid) != generation.end()) of_role.push_back(pid);
    for (auto pid : of_role) ::kill(pid, SIGKILL);
    CHECK(of_role.size() >= 1);
    CHECK(tests::failure_of(outcomes.await()).code == messages::failure_code::worker_lost);
    CHECK(tests::all_end(generation));
    if (role == "judge")
      x.await_ready(x.device_reports);  // the zygote's turn is the second start; a third shows no more
  }
  x.device.reset();
  CHECK(tests::processes_with(x.mark).empty());
}

}  // namespace real_worker_test
