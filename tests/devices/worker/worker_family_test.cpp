#include "devices/worker/worker_family.hpp"

#include <signal.h>
#include <fstream>

#include "tests/devices/worker/processes.hpp"
#include "tests/devices/worker/workers.hpp"

namespace worker_family_test {

using namespace devices::worker;
using namespace std::literals;
using messages::failure_code;

namespace {

/// A fake judge.
struct judge_family : tests::workers {
  tests::mailbox<messages::worker_hello> ups;
  tests::mailbox<messages::failure> downs;
  using answer = messages::expected<worker_answer>;
  std::unique_ptr<worker_family> family;

  ~judge_family() {
    hub->call([this] { family.reset(); });
  }

  void start(std::chrono::milliseconds first_pause = 1ms) {
    worker_family_options options{
        .name = "judge of cpu:0", .python = python, .first_pause = first_pause, .longest_pause = 4 * first_pause};
    hub->call([&] {
      family = std::make_unique<worker_family>(
          *hub, options,
          family_events{.up = [this](const auto& x) { ups.put(x); }, .down = [this](const auto& x) { downs.put(x); }});
      family->start();
    });
  }

  void ask(const std::string& wish, tests::mailbox<answer>& answers, std::chrono::milliseconds limit = 60s) {
    hub->call([&] {
      family->call({.work = messages::trace_work{.task = {.name = wish}}, .limit = limit, .done = [&answers](answer x) {
                      answers.put(std::move(x));
                    }});
    });
  }
  answer ask(const std::string& wish) {
    tests::mailbox<answer> answers;
    ask(wish, answers);
    return answers.await();
  }
  /// What it says to "pids" and the like.
  std::string words(const std::string& wish) {
    auto x = ask(wish);
    REQUIRE_MESSAGE(x.has_value(), x.error().detail);
    return std::get<messages::task_refused>(*x).message;
  }
  std::chrono::milliseconds pause() {
    std::chrono::milliseconds x;
    hub->call([&] { x = family->pause(); });
    return x;
  }
};

}  // namespace

TEST_CASE_FIXTURE(judge_family, "a family is up when its judge has said hello, and answers then") {
  if (!tests::has_python()) return;
  start();
  CHECK(ups.await().environment.toolchain == "fake 1");
  auto traced = ask("graph");
  REQUIRE(traced.has_value());
  CHECK(std::get<messages::trace_done>(*traced).graph.outputs == std::vector<std::string>{"y"});
}

TEST_CASE_FIXTURE(judge_family, "when the judge crashes its open call fails with its last words, and it comes back") {
  if (!tests::has_python()) return;
  start();
  ups.await();
  auto lost = ask("crash");
  REQUIRE_FALSE(lost.has_value());
  CHECK(lost.error().code == failure_code::worker_lost);
  CHECK(lost.error().detail == "judge of cpu:0: its judge ended with exit code 7: ValueError: as asked");
  CHECK(downs.await() == lost.error());
  ups.await();
  CHECK(ask("graph").has_value());
}

TEST_CASE_FIXTURE(judge_family,
                  "a call over its limit ends with deadline_exceeded, others beside it with worker_lost") {
  if (!tests::has_python()) return;
  start();
  ups.await();
  tests::mailbox<answer> late, beside;
  ask("hang", beside);
  ask("hang", late, 50ms);
  CHECK(late.await().error()
        == messages::failure{failure_code::deadline_exceeded, "judge of cpu:0: no answer within 0.05 s"});
  CHECK(beside.await().error().code == failure_code::worker_lost);
  CHECK(pause() == 0ms);  // nobody's fault: it starts again at once
  ups.await();
}

TEST_CASE_FIXTURE(judge_family, "a family that sends what can't be read is replaced") {
  if (!tests::has_python()) return;
  start();
  ups.await();
  auto lost = ask("garbage");
  REQUIRE_FALSE(lost.has_value());
  CHECK(lost.error().detail.starts_with("judge of cpu:0: it sent what can't be read"));
  ups.await();
}

TEST_CASE_FIXTURE(judge_family, "what a judge started and left behind ends with the family") {
  if (!tests::has_python()) return;
  auto mark = "mark" + random_token();
  python.environment["KERNELMESH_TEST_MARK"] = mark;
  start();
  ups.await();
  CHECK(words("orphans") == "left");
  auto tree = tests::processes_with(mark);
  CHECK(tree.size() >= 4);  // guard, judge, two orphans
  hub->call([this] { family.reset(); });
  CHECK(tests::processes_with(mark).empty());
}

TEST_CASE_FIXTURE(judge_family, "a worker that does not do it is a failure of that call alone") {
  if (!tests::has_python()) return;
  start();
  ups.await();
  CHECK(ask("unable").error() == messages::failure{failure_code::no_resource, "judge of cpu:0: as asked"});
  CHECK(words("words") == "written");  // a megabyte on standard output does not stop it
}

TEST_CASE_FIXTURE(judge_family, "a worker of another version is refused") {
  if (!tests::has_python()) return;
  python.environment["FAKE_VERSION"] = "2";
  start();
  CHECK(
      downs.await().detail
      == "judge of cpu:0: it is a judge that speaks version 2 of the worker protocol; a judge with version 1 is "
         "needed");
  CHECK(ups.empty());
}

TEST_CASE_FIXTURE(judge_family, "pauses between restarts double up to a limit, and start anew after good work") {
  if (!tests::has_python()) return;
  start(2ms);
  for (auto expected : {2ms, 4ms, 8ms, 8ms}) {
    auto hello = ups.await();
    ::kill(static_cast<pid_t>(hello.pid), SIGKILL);
    downs.await();
    CHECK(pause() == expected);
  }
  ups.await();
  CHECK(ask("graph").has_value());
  CHECK(pause() == 0ms);
}

TEST_CASE_FIXTURE(judge_family, "an interpreter that is not there is tried again after pauses") {
  python.interpreter = "/no/python3";
  auto begin = std::chrono::steady_clock::now();
  start(20ms);
  for (int i = 0; i < 4; ++i)
    CHECK(downs.await().detail.find("ended with exit code 127: cannot run /no/python3") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begin >= 20ms + 40ms + 80ms);
}

TEST_CASE_FIXTURE(judge_family, "calls to a family that is not up fail, and not inside the call") {
  python.interpreter = "/no/python3";
  start();
  downs.await();
  tests::mailbox<answer> answers;
  hub->call([&] {
    family->call({.work = messages::trace_work{}, .limit = 1min, .done = [&](answer x) { answers.put(x); }});
    CHECK(answers.empty());
  });
  CHECK(answers.await().error().code == failure_code::worker_lost);
}

TEST_CASE_FIXTURE(judge_family, "the environment of a worker is a list") {
  if (!tests::has_python()) return;
  ::setenv("KERNELMESH_TEST_SECRET", "key", 1);
  start();
  ups.await();
  auto environment = words("environment");
  ::unsetenv("KERNELMESH_TEST_SECRET");
  CHECK(environment.find("KERNELMESH_TEST_SECRET") == std::string::npos);
  CHECK(environment.find("OMP_WAIT_POLICY=passive") != std::string::npos);
  CHECK(environment.find("MALLOC_MMAP_MAX_=0") != std::string::npos);
  CHECK(environment.find("HOME=" + hub->folder().string()) != std::string::npos);
}

TEST_CASE_FIXTURE(judge_family, "in a sandbox a worker sees its own folder, what it is to read and the hub's socket") {
  if (!tests::has_python()) return;
  auto made = make_sandbox({.guard = KERNELMESH_GUARD,
                            .interpreter = python.interpreter,
                            .package_folder = std::filesystem::path{KERNELMESH_SOURCES} / "devices/worker",
                            .readable = {python.package_folder},
                            .unsafe_none = true});
  REQUIRE_MESSAGE(made.has_value(), made.error().detail);
  if (!made->is_on()) {
    MESSAGE("SKIPPED: ", probe_sandbox(KERNELMESH_GUARD).why_not);
    return;
  }
  python.sandbox = *made;
  start();
  CHECK(ups.await().pid == 2);
  family_folders folders;
  hub->call([&] { folders = family->folders(); });
  std::ofstream{folders.files / "source"} << "text";
  auto started_at = folders.files.parent_path();
  CHECK(words("list " + started_at.string()) == "files, judge");
  CHECK(words("list " + folders.files.string()) == "source");
  CHECK(words("list " + hub->folder().string()) == started_at.filename().string() + ", sock");
  CHECK(words("list " + scratch.path().string()) == hub->folder().filename().string());
  CHECK(words("environment").find("KERNELMESH_SANDBOX=namespaces") != std::string::npos);
}

TEST_CASE_FIXTURE(judge_family, "a sandbox that can't be set up is a family that doesn't start, and says why") {
  python.sandbox = {.level = "namespaces", .readable = {"/no/such/folder"}};
  start();
  CHECK(downs.await().detail
        == "judge of cpu:0: its judge ended with exit code 125: no sandbox: cannot show /no/such/folder in a sandbox: No "
           "such file or directory");
}

}  // namespace worker_family_test
