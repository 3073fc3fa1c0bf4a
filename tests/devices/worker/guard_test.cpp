#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "devices/worker/child_process.hpp"
#include "devices/worker/private_folder.hpp"
#include "tests/devices/worker/processes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace guard_test {

using namespace devices::worker;

namespace {

/// Two children, one of them in a session of its own; then $1.
constexpr auto with_children = "sleep 1000 & setsid sleep 1000 & ";

struct guarded {
  tests::scratch_folder scratch;
  std::string mark = "KERNELMESH_TEST_MARK=" + random_token();
  std::filesystem::path fifo = scratch / "fifo";

  guarded() { REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0); }

  process_order shell(const std::string& script) const {
    return {.command = {"/bin/sh", "-c", script}, .environment = {mark, "PATH=/usr/bin:/bin"}, .folder = scratch};
  }
  child_process start(const process_order& order) const {
    auto child = child_process::start(KERNELMESH_GUARD, order);
    REQUIRE_MESSAGE(child.has_value(), child.error().detail);
    return *std::move(child);
  }
  /// Writes to the fifo when its children run, and waits for them.
  std::string waiting_script() const { return with_children + ("echo up >" + fifo.string()) + "; wait"; }

  /// Returns when the script has come that far. Reads to the end: a reader that leaves early ends the script.
  void await_script() const {
    std::ifstream file{fifo};
    std::string word;
    CHECK(std::getline(file, word));
    CHECK(word == "up");
    while (file.get() != EOF) {
    }
  }

  std::vector<pid_t> alive() const { return tests::processes_with(mark); }

  /// Guard, shell, two children, when all are seen: one that is just becoming another program has no environment.
  std::vector<pid_t> whole_tree() const {
    auto late = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    auto tree = alive();
    for (; tree.size() < 4 && std::chrono::steady_clock::now() < late; tree = alive()) std::this_thread::yield();
    CHECK(tree.size() >= 4);
    return tree;
  }
};

}  // namespace

TEST_CASE_FIXTURE(guarded, "the guard ends with the exit code and the last words of its command") {
  auto end = start(shell("echo first; echo second >&2; exit 5")).reap();
  CHECK(end.code == 5);
  CHECK(end.tail == "first\nsecond\n");
}

TEST_CASE_FIXTURE(guarded, "of what a command writes only the end is kept, without control characters") {
  auto child = start(shell("head -c 1000000 /dev/zero; printf '\\033[1mlast'"));
  while (!child.has_ended(0)) child.read_output();
  auto end = child.reap();
  CHECK(end.tail.size() == tail_bytes);
  CHECK(end.tail.ends_with(" [1mlast"));
}

TEST_CASE_FIXTURE(guarded, "a command that can't be run ends with 127 and says why") {
  auto end = start({.command = {"/no/such/program"}, .environment = {}, .folder = scratch}).reap();
  CHECK(end.code == 127);
  CHECK(end.tail == "cannot run /no/such/program: No such file or directory\n");
}

TEST_CASE_FIXTURE(guarded, "a command that dies of a signal is reported as 128 and the signal") {
  CHECK(start(shell("kill -SEGV $$")).reap().code == 128 + SIGSEGV);
}

TEST_CASE_FIXTURE(guarded, "nothing is left when the command ends") {
  CHECK(start(shell(with_children + std::string{"exit 0"})).reap().code == 0);
  CHECK(alive().empty());
}

TEST_CASE_FIXTURE(guarded, "nothing is left when the guard is asked to end") {
  auto child = start(shell(waiting_script()));
  await_script();
  whole_tree();
  child.terminate();
  CHECK(child.reap().code == 128 + SIGTERM);
  CHECK(alive().empty());
}

TEST_CASE_FIXTURE(guarded, "nothing is left when the parent is killed with signal 9") {
  auto parent = ::fork();
  if (parent == 0) {
    auto child = child_process::start(KERNELMESH_GUARD, shell(waiting_script()));
    if (child) (void)child->has_ended(-1);
    ::_exit(1);
  }
  await_script();
  auto tree = whole_tree();
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  CHECK(tests::all_end(tree));
  CHECK(alive().empty());
}

TEST_CASE_FIXTURE(guarded, "no descriptor but the standard ones goes on to the command") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(start(shell("ls /proc/self/fd")).reap().tail == "0\n1\n2\n3\n");  // 3: the folder that ls reads
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE_FIXTURE(guarded, "a command sees no variable that was not given to it") {
  ::setenv("KERNELMESH_TEST_SECRET", "key", 1);
  auto end = start(shell("env")).reap();
  ::unsetenv("KERNELMESH_TEST_SECRET");
  CHECK(end.tail.find("KERNELMESH_TEST_SECRET") == std::string::npos);
  CHECK(end.tail.find(mark) != std::string::npos);
}

}  // namespace guard_test
