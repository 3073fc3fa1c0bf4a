#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <thread>

#include <doctest/doctest.h>

#include "devices/worker/native/confinement.hpp"
#include "devices/worker/native/kernel_library.hpp"
#include "devices/worker/native/lent_memory.hpp"
#include "devices/worker/native/packets.hpp"
#include "messages/wire/wire.hpp"

namespace parts_test {

using namespace devices::worker::native;

namespace {

constexpr std::size_t page = 4096;

/// Two memfds of a page each at descriptors that follow each other, far from others.
int lend_two() {
  constexpr int first = 200;
  for (int i = 0; i < 2; ++i) {
    auto file = memfd_create("lent", 0);
    REQUIRE(ftruncate(file, page) == 0);
    REQUIRE(dup2(file, first + i) == first + i);
    close(file);
  }
  return first;
}

struct conversation {
  int ends[2];
  judge_socket candidate;

  conversation() : candidate(connect()) {}
  ~conversation() { close(ends[0]), close(ends[1]); }

  int connect() {
    REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    return ends[1];
  }
  void say(wire::bytes_view packet) { REQUIRE(send(ends[0], packet.data(), packet.size(), 0) >= 0); }
  std::string hear() {
    wire::bytes packet(1 << 16);
    auto got = recv(ends[0], packet.data(), packet.size(), 0);
    REQUIRE(got > 0);
    packet.resize(static_cast<std::size_t>(got));
    return wire::format_json(wire::parse_msgpack(packet).value());
  }
};

/// In a child, since it can't be undone: what of the forbidden works, as bits.
int what_works_when_denied() {
  if (!deny_processes()) return 64;
  int works = 0;
  if (fork() >= 0) works |= 1;
  if (char name[] = "true", *arguments[] = {name, nullptr}; execv("/bin/true", arguments) == 0 || errno != EPERM)
    works |= 2;
  bool ran = false;
  std::thread{[&] { ran = true; }}.join();
  return ran ? works : works | 4;
}

}  // namespace

TEST_CASE("views point into the lent buffers and carry shape, strides and the number of the dtype") {
  auto lent = map_lent(lend_two(), {page, page});
  REQUIRE(lent.has_value());
  std::vector<lent_tensor> tensors{{{messages::dtype::int16, {2, 3}, {1, 2}}, 256, 1}, {{}, 0, 0}};
  auto x = views(tensors, *lent);
  REQUIRE(x.size() == 2);
  CHECK(x[0].data == lent->at(1).data() + 256);
  CHECK(x[0].rank == 2);
  CHECK(x[0].shape[1] == 3);
  CHECK(x[0].strides[1] == 2);
  CHECK(x[0].dtype == kernelmesh_int16);
  CHECK(x[1].data == lent->at(0).data());
  CHECK(x[1].rank == 0);
}

TEST_CASE("lent memory is shared, and its descriptors are closed once it is mapped") {
  auto first = lend_two();
  auto other = dup(first);
  auto lent = map_lent(first, {page, page});
  REQUIRE(lent.has_value());
  CHECK(fcntl(first, F_GETFD) == -1);
  lent->at(0)[100] = std::byte{42};
  char seen = 0;
  REQUIRE(pread(other, &seen, 1, 100) == 1);
  CHECK(seen == 42);
  close(other);
}

TEST_CASE("a lent buffer that is shorter than the order says, or is missing, is not mapped") {
  CHECK(map_lent(lend_two(), {page, 2 * page}).error() == "lent buffer 1 can't be mapped: it has 4096 bytes, not 8192");
  CHECK(map_lent(300, {page}).error() == "lent buffer 0 can't be mapped: Bad file descriptor");
}

TEST_CASE_FIXTURE(conversation, "commands are read by name, whatever else they hold") {
  say(wire::pack(command{.empty = 5, .ns = std::chrono::nanoseconds{7}}));
  auto x = candidate.receive();
  REQUIRE(x.has_value());
  REQUIRE(x->has_value());
  CHECK((*x)->empty == 5);
  CHECK((*x)->ns.count() == 7);
  CHECK(!(*x)->call);
}

TEST_CASE_FIXTURE(conversation, "a packet that is no command is a failure, a closed socket is none") {
  std::byte nonsense[]{std::byte{0xc1}};
  say(nonsense);
  CHECK(candidate.receive().error().starts_with("the judge's packet can't be read: "));
  say(wire::bytes((64 << 10) + 1));
  CHECK(candidate.receive().error() == "the judge's packet is too long");
  shutdown(ends[0], SHUT_RDWR);
  auto end = candidate.receive();
  REQUIRE(end.has_value());
  CHECK(!end->has_value());
}

TEST_CASE_FIXTURE(conversation, "answers are maps of one pair, and text in them is plain") {
  CHECK(candidate.loaded());
  CHECK(hear() == R"({"loaded":{}})");
  CHECK(candidate.done(1ull << 55));
  CHECK(hear() == R"({"done":36028797018963968})");
  CHECK(candidate.raised("bad\x1b[31m\xff\nend"));
  CHECK(hear() == R"({"raised":{"message":"bad?[31m?\nend"}})");
  CHECK(shown(std::string(10'000, 'x')).size() == 4096);
}

TEST_CASE("a library that is not there is named") {
  auto x = kernel_library::load("/nowhere/library.so", "run");
  REQUIRE(!x.has_value());
  CHECK(x.error().starts_with("/nowhere/library.so: cannot open shared object file"));
}

TEST_CASE("after processes are denied neither fork nor exec works, but threads do") {
  auto child = fork();
  if (child == 0) _exit(what_works_when_denied());
  int state = 0;
  REQUIRE(waitpid(child, &state, 0) == child);
  REQUIRE(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 0);
}

}  // namespace parts_test
