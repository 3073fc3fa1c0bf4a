#include "actors/control_socket.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>

#include "actors/event_socket.hpp"
#include "devices/worker/zmq.hpp"
#include "messages/wire/wire.hpp"
#include "tests/support/scratch_folder.hpp"

namespace control_socket_test {

using namespace messages;
using namespace std::literals;

namespace {

control_reply say_running(const control_request& x) {
  auto status = std::get_if<status_request>(&x.question);
  if (!status) return {drain_reply{.runs = 1}};
  return {status_reply{{run_status{.run = status->run, .name = "n"}}}};
}

std::string ask_raw(const std::filesystem::path& socket, const std::string& body) {
  zmq::context_t context;
  zmq::socket_t asker{context, zmq::socket_type::req};
  asker.set(zmq::sockopt::linger, 0);
  asker.connect("ipc://" + socket.string());
  asker.send(zmq::buffer(body), zmq::send_flags::none);
  zmq::message_t reply;
  REQUIRE(asker.recv(reply));
  return reply.to_string();
}

}  // namespace

TEST_CASE("a node answers on its control socket, and its socket is found in the folder") {
  tests::scratch_folder folder;
  auto server = actors::control_server::open(folder.path(), say_running);
  REQUIRE(server);
  auto sockets = actors::control_sockets(folder.path());
  REQUIRE(sockets.size() == 1);
  auto status = actors::ask_control(sockets[0], {status_request{{"r"}}});
  REQUIRE(status);
  CHECK(std::get<status_reply>(status->answer).runs.at(0).run.value == "r");
  auto drain = actors::ask_control(sockets[0], {drain_request{}});
  REQUIRE(drain);
  CHECK(std::get<drain_reply>(drain->answer).runs == 1);
}

TEST_CASE("garbage on the control socket is answered with what is wrong, and the next question is served") {
  tests::scratch_folder folder;
  auto server = actors::control_server::open(folder.path(), say_running);
  REQUIRE(server);
  auto socket = actors::control_sockets(folder.path()).at(0);
  for (const auto& body : {std::string{}, std::string(1000, '\xff'), std::string{"GET / HTTP/1.1"}}) {
    auto reply = ask_raw(socket, body);
    auto read = wire::unpack<control_reply>(std::as_bytes(std::span{reply.data(), reply.size()}));
    REQUIRE(read);
    REQUIRE(std::holds_alternative<failure>(read->answer));
    CHECK(std::get<failure>(read->answer).code == failure_code::unreadable);
  }
  CHECK(actors::ask_control(socket, {status_request{}}));
}

TEST_CASE("who connects without a greeting delays nobody") {
  tests::scratch_folder folder;
  auto server = actors::control_server::open(folder.path(), say_running);
  REQUIRE(server);
  auto socket = actors::control_sockets(folder.path()).at(0);
  for (const auto& junk : {std::string{}, std::string{"\x01\x00\x05\x01half", 8}, std::string(300, 'x')}) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    std::ranges::copy(socket.string(), address.sun_path);
    int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::send(fd, junk.data(), junk.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(junk.size()));
    ::close(fd);
    CHECK(actors::ask_control(socket, {status_request{}}, 20s));
  }
}

TEST_CASE("the socket of a dead process is removed, other files are left alone") {
  tests::scratch_folder folder;
  auto dead = folder.path() / "999999999.control", other = folder.path() / "notes.txt";
  std::ofstream{dead} << "";
  std::ofstream{other} << "";
  CHECK(actors::control_sockets(folder.path()).empty());
  CHECK_FALSE(std::filesystem::exists(dead));
  CHECK(std::filesystem::exists(other));
}

TEST_CASE("a state folder whose path is too long for a socket is refused with the way out") {
  tests::scratch_folder folder;
  auto deep = folder.path() / std::string(100, 'x');
  std::filesystem::create_directories(deep);
  auto server = actors::control_server::open(deep, say_running);
  REQUIRE(!server);
  CHECK(server.error().detail.ends_with("set KERNELMESH_HOME to a shorter one"));
}

TEST_CASE("events are published as MessagePack to whoever subscribes") {
  tests::scratch_folder folder;
  auto endpoint = "ipc://" + (folder.path() / "events").string();
  auto publisher = actors::event_socket::open(endpoint);
  REQUIRE(publisher);
  zmq::context_t context;
  zmq::socket_t subscriber{context, zmq::socket_type::sub};
  subscriber.set(zmq::sockopt::subscribe, "");
  subscriber.set(zmq::sockopt::rcvtimeo, 100);
  subscriber.connect(endpoint);
  zmq::message_t message;
  bool received = false;
  for (int tries = 0; tries < 100 && !received; ++tries) {  // a subscription takes its time to arrive
    publisher->publish({.kind = event_kind::new_best, .subject = "c", .text = "2x"});
    received = subscriber.recv(message).has_value();
  }
  REQUIRE(received);
  auto read = wire::unpack<event>({static_cast<const std::byte*>(message.data()), message.size()});
  REQUIRE(read);
  CHECK(read->text == "2x");
}

}  // namespace control_socket_test
