#include <signal.h>
#include <sys/stat.h>
#include <fstream>

#include "devices/worker/zmq.hpp"
#include "tests/devices/worker/processes.hpp"
#include "tests/devices/worker/workers.hpp"

namespace worker_hub_test {

using namespace devices::worker;
using namespace std::literals;
using messages::failure_code;

namespace {

/// Somebody who dials the hub without having been started by it.
struct stranger {
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::dealer};
  explicit stranger(const worker_hub& hub) { socket.connect(hub.endpoint()); }
  void send(const std::vector<std::string>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      socket.send(zmq::buffer(parts[i]), i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
};

bool ignores(worker_hub& hub, std::uint64_t wanted) {
  auto end = std::chrono::steady_clock::now() + 10s;
  while (hub.ignored_messages() < wanted && std::chrono::steady_clock::now() < end) hub.call([] {});
  return hub.ignored_messages() == wanted;
}

}  // namespace

TEST_CASE_FIXTURE(tests::workers, "messages of strangers are ignored and counted") {
  stranger other{*hub};
  other.send({"garbage"});
  other.send({"in", "two parts"});
  other.send({""});
  CHECK(ignores(*hub, 3));
}

TEST_CASE("a message above the limit never arrives, those of others do") {
  tests::scratch_folder scratch;
  auto hub = worker_hub::open({.folder = scratch, .guard = KERNELMESH_GUARD, .message_bytes = 1000});
  REQUIRE(hub.has_value());
  stranger greedy{**hub}, modest{**hub};
  greedy.send({std::string(2000, 'x')});
  modest.send({"short"});
  CHECK(ignores(**hub, 1));
}

TEST_CASE_FIXTURE(tests::workers, "the hub's folder is for its owner only, and goes away with it") {
  auto folder = hub->folder();
  struct stat info {};
  REQUIRE(::stat(folder.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  REQUIRE(::stat(hub->socket_file().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0666);  // workers are other users in their sandbox
  hub.reset();
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE_FIXTURE(tests::workers, "what hubs of dead processes left is removed, what live ones use is not") {
  auto dead = scratch / "hub.dead";
  std::filesystem::create_directories(dead / "family.1");
  std::ofstream{dead / "lock"};
  auto second = open_hub();
  CHECK_FALSE(std::filesystem::exists(dead));
  CHECK(std::filesystem::exists(hub->folder()));
}

TEST_CASE("options that can't work are refused in a sentence") {
  tests::scratch_folder scratch;
  auto no_guard = worker_hub::open({.folder = scratch, .guard = "/no/guard"});
  REQUIRE_FALSE(no_guard.has_value());
  CHECK(no_guard.error().code == failure_code::misconfigured);
  CHECK(no_guard.error().detail == "the guard /no/guard can't be run: No such file or directory");
  auto too_long = worker_hub::open({.folder = scratch / std::string(100, 'x'), .guard = KERNELMESH_GUARD});
  REQUIRE_FALSE(too_long.has_value());
  CHECK(too_long.error().code == failure_code::misconfigured);
}

TEST_CASE_FIXTURE(tests::workers, "timers fire in the order of their times, and not when they were cancelled") {
  tests::mailbox<int> fired;
  hub->call([&] {
    hub->after(20ms, [&] { fired.put(3); });
    auto cancelled = hub->after(10ms, [&] { fired.put(2); });
    hub->after(0ms, [&] { fired.put(1); });
    hub->cancel(cancelled);
  });
  CHECK(fired.await() == 1);
  CHECK(fired.await() == 3);
}

TEST_CASE_FIXTURE(tests::workers, "processes end with the hub") {
  auto mark = "KERNELMESH_TEST_MARK=" + random_token();
  hub->call([&] {
    process_order order{.command = {"/bin/sleep", "1000"}, .environment = {mark}, .folder = scratch};
    CHECK(hub->start("sleeper", order, {.message = [](auto) {}, .ended = [](auto) {}}).has_value());
  });
  // The parent goes on a moment before the kernel shows the new program's environment.
  auto limit = std::chrono::steady_clock::now() + 10s;
  bool seen = false;
  while (!seen && std::chrono::steady_clock::now() < limit) seen = !tests::processes_with(mark).empty();
  CHECK(seen);
  hub.reset();
  CHECK(tests::processes_with(mark).empty());
}

TEST_CASE("guards that don't end are waited for together, not one after the other") {
  tests::scratch_folder scratch;
  auto opened = worker_hub::open({.folder = scratch, .guard = KERNELMESH_GUARD, .kill_grace = 1s});
  REQUIRE(opened.has_value());
  auto hub = *std::move(opened);
  auto mark = "KERNELMESH_TEST_MARK=" + random_token();
  hub->call([&] {
    process_order order{.command = {"/bin/sleep", "1000"}, .environment = {mark}, .folder = scratch};
    for (auto id : {"a", "b", "c", "d", "e", "f", "g", "h"})
      CHECK(hub->start(id, order, {.message = [](auto) {}, .ended = [](auto) {}}).has_value());
  });
  for (auto pid : tests::processes_with(mark)) ::kill(pid, SIGSTOP);
  auto start = std::chrono::steady_clock::now();
  hub.reset();
  CHECK(std::chrono::steady_clock::now() - start < 5s);  // eight times the grace otherwise
}

TEST_CASE_FIXTURE(tests::workers, "the end of a process is reported once, with its last words") {
  tests::mailbox<process_end> ends;
  hub->call([&] {
    process_order order{.command = {"/bin/sh", "-c", "echo bye; exit 3"}, .environment = {}, .folder = scratch};
    CHECK(hub->start("short", order, {.message = [](auto) {}, .ended = [&](auto x) { ends.put(x); }}).has_value());
  });
  auto end = ends.await();
  CHECK(end.code == 3);
  CHECK(end.tail == "bye\n");
}

}  // namespace worker_hub_test
