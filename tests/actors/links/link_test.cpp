#include "actors/links/link.hpp"

#include <future>

#include "devices/worker/zmq.hpp"
#include "messages/wire/wire.hpp"
#include "tests/support/link_peer.hpp"

namespace link_test {

using namespace messages;
using namespace std::literals;
using actors::links::key_pair;
using kind = testing::link_kind;

namespace {

struct started : testing::link_peer {
  explicit started(const actors::links::link_options& options) : testing::link_peer(options) { link->start(); }
};

struct coordinator_for_two {
  testing::keys_of_three keys;
  started coordinator{testing::quick_link(keys.coordinator, keys.role())};

  actors::links::link_options node_options(const key_pair& own, const std::string& name) const {
    return testing::quick_link(own, actors::links::node_role{{name}, keys.coordinator.open},
                               coordinator.link->endpoint());
  }
  void check_still_admits() {
    started node{node_options(keys.a, "a")};
    node.log.wait_for(kind::joined);
  }
};

/// Speaks ZeroMQ with a valid key, but not our protocol.
struct vandal {
  explicit vandal(const coordinator_for_two& x) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::curve_serverkey, x.keys.coordinator.open.value);
    socket.set(zmq::sockopt::curve_publickey, x.keys.b.open.value);
    socket.set(zmq::sockopt::curve_secretkey, x.keys.b.secret.value);
    socket.connect(x.coordinator.link->endpoint());
  }
  void send(const std::vector<std::string>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      socket.send(zmq::buffer(parts[i]), i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::dealer};
};

}  // namespace

TEST_CASE_FIXTURE(coordinator_for_two, "both sides learn of the join, and calls go both ways") {
  testing::link_peer node{node_options(keys.a, "a.1")};
  node.link->offer({"echo"}, [&](incoming_call x) { node.link->answer(x.token, x.body); });
  node.link->start();
  CHECK(node.log.wait_for(kind::joined).node.value == "coordinator");
  CHECK(coordinator.log.wait_for(kind::joined).node.value == "a.1");
  std::promise<actors::logic::call_outcome> outcome;
  coordinator.link->call({{{"a.1"}, {"echo"}}, "x", wire::bytes(3), 5s},
                         {[&](auto x) { outcome.set_value(std::move(x)); }, {}});
  CHECK(*outcome.get_future().get() == wire::bytes(3));
}

TEST_CASE_FIXTURE(coordinator_for_two, "a key that is not known is refused, and both sides are told") {
  auto stranger = actors::links::make_key_pair();
  started node{node_options(stranger, "a")};
  CHECK(coordinator.log.wait_for(kind::refused).detail == "a node with the unknown key " + stranger.open.value);
  CHECK(node.log.wait_for(kind::refused).detail.starts_with("the coordinator does not know the key of this token"));
}

TEST_CASE_FIXTURE(coordinator_for_two, "a coordinator with another key than the token says is not talked to") {
  auto options = node_options(keys.a, "a");
  options.role = actors::links::node_role{{"a"}, actors::links::make_key_pair().open};
  options.redial = 10ms;
  started node{options};
  CHECK(node.log.wait_for(kind::refused).detail.starts_with("who listens there does not have the coordinator's key"));
}

TEST_CASE_FIXTURE(coordinator_for_two,
                  "a node with a valid key that claims another's name is refused, and the other is not harmed") {
  started honest{node_options(keys.a, "a")};
  honest.log.wait_for(kind::joined);
  started liar{node_options(keys.b, "a")};
  CHECK(liar.log.wait_for(kind::refused)
            .detail.starts_with(R"(a node says that it is "a", but its key was made for "b")"));
  std::promise<actors::logic::call_outcome> outcome;
  coordinator.link->call({{{"a"}, {"none"}}, "x", {}, 5s}, {[&](auto x) { outcome.set_value(std::move(x)); }, {}});
  CHECK(outcome.get_future().get().error().code == failure_code::unknown_actor);  // so "a" answered
}

TEST_CASE_FIXTURE(coordinator_for_two, "garbage with a valid key is reported and harms nobody") {
  vandal vandal{*this};
  vandal.send({""});
  vandal.send({"\xc1", "x"});
  vandal.send({std::string(4000, '\x91'), ""});        // an array in an array in an array
  vandal.send({"\x81\xa1x\xdd\xff\xff\xff\xff", ""});  // an array of 4 billion
  vandal.send({"a", "b", "c", "d"});
  for (int i = 0; i < 5; ++i) CHECK(coordinator.log.wait_for(kind::bad_frame).node.value == "b");
  check_still_admits();
}

TEST_CASE_FIXTURE(coordinator_for_two,
                  "a part beyond the bound ends the connection that sent it, not the coordinator") {
  vandal vandal{*this};
  auto hello = wire::pack(link_frame{link_hello{.version = spoken_version, .name = {"b"}, .window = 1}});
  vandal.send({{reinterpret_cast<const char*>(hello.data()), hello.size()}, ""});
  coordinator.log.wait_for(kind::joined);
  vandal.send({std::string((16u << 20) + 1, 'x')});
  CHECK(coordinator.log.wait_for(kind::lost).node.value == "b");
  check_still_admits();
}

TEST_CASE_FIXTURE(coordinator_for_two, "a client that does not speak ZeroMQ is thrown out") {
  zmq::context_t context;
  zmq::socket_t client{context, zmq::socket_type::stream};
  client.set(zmq::sockopt::linger, 0);
  client.set(zmq::sockopt::rcvtimeo, 20'000);
  client.connect(coordinator.link->endpoint());
  zmq::message_t id, data;
  auto receive = [&] { return client.recv(id) && client.recv(data); };
  REQUIRE(receive());  // an empty one: connected
  client.send(zmq::buffer(id.to_string()), zmq::send_flags::sndmore);
  client.send(zmq::str_buffer("GET / HTTP/1.1\r\n\r\n"), zmq::send_flags::none);
  do REQUIRE(receive());
  while (data.size() > 0);  // an empty one: the coordinator hung up
  check_still_admits();
}

TEST_CASE_FIXTURE(coordinator_for_two, "a coordinator that starts again is found again, and open calls fail at once") {
  testing::link_peer node{node_options(keys.a, "a")};
  std::promise<void> asked;
  node.link->offer({"mute"}, [&](const incoming_call&) { asked.set_value(); });
  node.link->start();
  coordinator.log.wait_for(kind::joined);
  std::promise<actors::logic::call_outcome> outcome;
  coordinator.link->call({{{"a"}, {"mute"}}, "x", {}, 60s}, {[&](auto x) { outcome.set_value(std::move(x)); }, {}});
  asked.get_future().wait();
  auto address = coordinator.link->endpoint();
  coordinator.link->close();
  CHECK(outcome.get_future().get().error().code == failure_code::node_lost);
  node.log.wait_for(kind::joined);
  node.log.wait_for(kind::lost);
  started again{testing::quick_link(keys.coordinator, keys.role(), address)};
  node.log.wait_for(kind::joined);
}

TEST_CASE_FIXTURE(coordinator_for_two, "who leaves says goodbye, and what it was asked comes back as no attempt") {
  testing::link_peer node{node_options(keys.a, "a")};
  std::promise<void> asked;
  node.link->offer({"mute"}, [&](const incoming_call&) { asked.set_value(); });
  node.link->start();
  coordinator.log.wait_for(kind::joined);
  std::promise<actors::logic::call_outcome> outcome;
  coordinator.link->call({{{"a"}, {"mute"}}, "x", {}, 60s}, {[&](auto x) { outcome.set_value(std::move(x)); }, {}});
  asked.get_future().wait();
  node.link->leave({failure_code::interrupted, "it was stopped"});
  node.link->close();
  CHECK(outcome.get_future().get().error().code == failure_code::interrupted);
  CHECK(coordinator.log.wait_for(kind::lost).detail == "it left: it was stopped");
}

TEST_CASE("options that cannot work are refused with the reason") {
  auto keys = actors::links::make_key_pair();
  auto options = testing::quick_link(keys, actors::links::node_role{{"coordinator"}, keys.open});
  CHECK(actors::links::link::open(options).error().detail == R"(a node cannot be named "coordinator")");
  options.role = actors::links::coordinator_role{};
  options.silence = 300ms;
  CHECK(actors::links::link::open(options).error().detail == "listen.silence must be at least two heartbeats");
  options.silence = 1s;
  options.address = "tcp://203.0.113.7:7400";
  CHECK(actors::links::link::open(options).error().detail
        == "cannot listen on tcp://203.0.113.7:7400: Cannot assign requested address");
}

}  // namespace link_test
