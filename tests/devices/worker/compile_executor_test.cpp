#include "devices/worker/compile_executor.hpp"

#include <fstream>

#include "messages/records/candidate.hpp"
#include "tests/devices/worker/executor_reports.hpp"
#include "tests/devices/worker/workers.hpp"

namespace compile_executor_test {

using namespace devices::worker;
using namespace std::literals;
using messages::failure_code;
using messages::stage_kind;

namespace {

/// The compiler of a DSL, a fake; the candidate's DSL tells it what to do.
struct fake_compiler : tests::workers {
  blobs::blob_store store = *blobs::blob_store::open(scratch / "blobs");
  tests::executor_reports reports;
  std::unique_ptr<devices::executor> compiler;

  void start() {
    auto adapter = scratch / "adapter.py";
    std::ofstream{adapter};
    auto made =
        make_compile_executor(hub, store, {.dsl = "cpp", .adapter = adapter, .python = python, .side_by_side = 2});
    REQUIRE_MESSAGE(made.has_value(), made.error().detail);
    compiler = *std::move(made);
    compiler->start(reports.events());
    reports.ready.await();
  }
  messages::stage_request build_of(const std::string& wish, const std::string& source = "int x;") const {
    messages::candidate_manifest manifest{.dsl = wish,
                                          .sources = {{source.empty() ? "../a.cpp" : "a.cpp", *store.put(source)}}};
    return {.stage = {wish + source}, .kind = stage_kind::compile, .manifest = *store.put_record(manifest)};
  }
  messages::stage_outcome run(const messages::stage_request& request) { return reports.run(*compiler, request); }

  std::size_t scratch_folders() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(hub->folder()))
      count += entry.path().filename().string().starts_with("build.")
               || entry.path().filename().string().starts_with("candidate.");
    return count;
  }
};

}  // namespace

TEST_CASE_FIXTURE(fake_compiler, "a build's artifact goes into the store, its folder goes away") {
  if (!tests::has_python()) return;
  start();
  auto compiled = tests::finding_of<messages::compiled>(run(build_of("good")));
  CHECK(*store.get(compiled.artifact) == "library of int x;");
  CHECK(compiled.size_bytes == 17);
  CHECK(compiled.toolchain == "fake 1");
  CHECK(compiler->toolchain() == "fake 1");
  hub->call([&] { CHECK(scratch_folders() == 0); });
}

TEST_CASE_FIXTURE(fake_compiler, "a refused build is a verdict with the compiler's words") {
  if (!tests::has_python()) return;
  start();
  auto rejected = tests::finding_of<messages::rejected>(run(build_of("refuse"))).failure;
  CHECK(rejected.stage == messages::failure_stage::compile);
  CHECK(rejected.kind == messages::failure_kind::compile_error);
  CHECK(rejected.message == "a.cpp:1: error");
  CHECK(rejected.details.at("log") == "long");
}

TEST_CASE_FIXTURE(fake_compiler, "a static stage gives findings and rejects nothing") {
  if (!tests::has_python()) return;
  start();
  auto good = build_of("good");
  good.kind = stage_kind::static_check;
  CHECK(tests::finding_of<messages::statically_checked>(run(good)).findings.front().message == "unused");
  auto refused = build_of("refuse");
  refused.kind = stage_kind::static_check;
  CHECK(tests::finding_of<messages::statically_checked>(run(refused)).findings.front().message == "a.cpp:1: error");
}

TEST_CASE_FIXTURE(fake_compiler,
                  "an artifact outside of the build's folder is not taken, nor one that a link leads to") {
  if (!tests::has_python()) return;
  start();
  for (auto name : {"../../lock", "/etc/passwd", "link", ".", "missing"}) {
    auto build = build_of("escape");
    messages::candidate_manifest manifest{.dsl = "escape", .entry = messages::c_abi_entry{.function = name}};
    build.manifest = *store.put_record(manifest);
    CHECK(tests::failure_of(run(build)).code == failure_code::wrong_answer);
  }
}

TEST_CASE_FIXTURE(fake_compiler, "a source outside of the candidate's folder is not handed on") {
  if (!tests::has_python()) return;
  start();
  CHECK(tests::failure_of(run(build_of("good", ""))).code == failure_code::bad_input);
}

TEST_CASE_FIXTURE(fake_compiler, "giving up one build leaves the one beside it alone") {
  if (!tests::has_python()) return;
  start();
  tests::mailbox<messages::stage_outcome> first, second;
  compiler->run(build_of("hang", "1"), {.ended = [&](auto x) { first.put(x); }, .progress = [](auto) {}});
  compiler->run(build_of("hang", "2"), {.ended = [&](auto x) { second.put(x); }, .progress = [](auto) {}});
  compiler->cancel({"hang1"});
  CHECK(std::holds_alternative<messages::cancelled>(first.await()));
  hub->call([&] { CHECK(second.empty()); });
  CHECK(reports.down.empty());
  compiler->cancel({"hang2"});
  CHECK(std::holds_alternative<messages::cancelled>(second.await()));
}

TEST_CASE_FIXTURE(fake_compiler, "giving up all builds one after the other gives their places back") {
  if (!tests::has_python()) return;
  start();
  tests::mailbox<messages::stage_outcome> outcomes;
  for (auto name : {"1", "2"})
    compiler->run(build_of("hang", name), {.ended = [&](auto x) { outcomes.put(x); }, .progress = [](auto) {}});
  for (auto name : {"hang1", "hang2"}) {
    compiler->cancel({name});
    CHECK(std::holds_alternative<messages::cancelled>(outcomes.await()));
  }
  CHECK(reports.down.await().code == failure_code::interrupted);
  reports.ready.await();
  tests::finding_of<messages::compiled>(run(build_of("good")));
}

TEST_CASE_FIXTURE(fake_compiler, "a build may take a little less than its stage may run") {
  if (!tests::has_python()) return;
  start();
  auto limit_of = [&](std::chrono::milliseconds run_limit) {
    auto build = build_of("limit");
    build.run_limit = run_limit;
    return tests::finding_of<messages::rejected>(run(build)).failure;
  };
  CHECK(limit_of(1h).message == "3595000");
  CHECK(limit_of(20s).message == "18000");
  CHECK(limit_of(20s).kind == messages::failure_kind::timeout);
}

TEST_CASE_FIXTURE(fake_compiler, "giving up the only build starts the compiler again, which frees its cores") {
  if (!tests::has_python()) return;
  start();
  tests::mailbox<messages::stage_outcome> outcomes;
  compiler->run(build_of("hang"), {.ended = [&](auto x) { outcomes.put(x); }, .progress = [](auto) {}});
  compiler->cancel({"hangint x;"});
  CHECK(std::holds_alternative<messages::cancelled>(outcomes.await()));
  CHECK(reports.down.await().code == failure_code::interrupted);
  reports.ready.await();
  hub->call([&] { CHECK(scratch_folders() == 0); });
}

TEST_CASE_FIXTURE(fake_compiler, "the same stage twice is refused, whichever attempt it is") {
  if (!tests::has_python()) return;
  start();
  tests::mailbox<messages::stage_outcome> outcomes;
  auto build = build_of("hang");
  compiler->run(build, {.ended = [&](auto x) { outcomes.put(x); }, .progress = [](auto) {}});
  CHECK(tests::failure_of(run(build)).code == failure_code::refused);
  CHECK(outcomes.empty());
}

TEST_CASE_FIXTURE(fake_compiler, "a compiler that crashes fails all its builds, and comes back") {
  if (!tests::has_python()) return;
  start();
  tests::mailbox<messages::stage_outcome> beside;
  compiler->run(build_of("hang"), {.ended = [&](auto x) { beside.put(x); }, .progress = [](auto) {}});
  CHECK(tests::failure_of(run(build_of("crash"))).code == failure_code::worker_lost);
  CHECK(tests::failure_of(beside.await()).code == failure_code::worker_lost);
  reports.ready.await();
  tests::finding_of<messages::compiled>(run(build_of("good")));
}

}  // namespace compile_executor_test
