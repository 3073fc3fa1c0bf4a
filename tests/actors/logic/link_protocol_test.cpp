#include "actors/logic/link_protocol.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "messages/wire/wire.hpp"

namespace link_protocol_test {

using namespace actors::logic;
using namespace messages;
using namespace std::literals;

namespace {

const instant now{};

struct sent_frame {
  connection_id to;
  link_frame header;
  wire::bytes body;
};

/// What becomes of a call of ours.
struct observed_call {
  std::optional<call_outcome> outcome;
  std::vector<std::string> progress;
};

/// A link whose socket is a list and whose clock stands.
struct end_of_link {
  std::vector<sent_frame> sent;
  std::vector<link_event> events;
  link_protocol protocol;

  explicit end_of_link(link_identity self)
      : protocol(std::move(self), {.window = 2, .backlog = 10, .body_bytes = 1000},
                 {.send =
                      [this](const auto& to, const auto& header, const auto& body) {
                        sent.push_back({to, header, body});
                      },
                  .on_event = [this](const auto& event) { events.push_back(event); },
                  .wall_clock = [] { return link_protocol::wall_time{1'000'000ms}; }}) {}

  /// @param key for whom the key of the connection was made
  void receive(const std::string& connection, const std::string& key, link_frame frame, wire::bytes body = {}) {
    protocol.received({{connection}, std::stoi(connection), {key}, wire::pack(frame), std::move(body)}, now);
  }
  std::shared_ptr<observed_call> call(const std::string& node, wire::bytes body = {}) {
    auto seen = std::make_shared<observed_call>();
    protocol.call({{{node}, {"compiler"}}, "stage_request", std::move(body), 1min},
                  {[seen](call_outcome x) { seen->outcome = std::move(x); },
                   [seen](double, const std::string& text) { seen->progress.push_back(text); }},
                  now);
    return seen;
  }
  template <class Content>
  const Content* last_sent() const {
    return sent.empty() ? nullptr : std::get_if<Content>(&sent.back().header.content);
  }
  std::string last_refusal() const {
    auto refusal = last_sent<link_refusal>();
    return refusal ? refusal->reason.detail : "";
  }
};

struct coordinator : end_of_link {
  coordinator() : end_of_link({.name = coordinator_name, .build = "kernelmesh 1"}) {}

  static link_hello hello(const std::string& name, const std::string& instance = "i") {
    return {spoken_version, "kernelmesh 1", {name}, instance, link_protocol::wall_time{1'005'000ms}, 10};
  }
  void join(const std::string& connection, const std::string& key, const std::string& name) {
    receive(connection, key, {hello(name)});
  }
};

struct dialling_node : end_of_link {
  dialling_node() : end_of_link({.name = {"pool.1"}, .build = "kernelmesh 1", .instance = "i"}) {}
};

}  // namespace

// -- joining ----------------------------------------------------------------------------------------------------------

TEST_CASE_FIXTURE(coordinator, "a node joins under the name of its key, and how far its clock is ahead is known") {
  join("1", "a", "a");
  CHECK(last_sent<link_welcome>());
  REQUIRE(events.size() == 1);
  CHECK(events[0] == link_event{link_event_kind::joined, {"a"}, {}, 5'000ms});
}

TEST_CASE_FIXTURE(coordinator, "a key admits its name with a dot and more behind it, and no other") {
  CHECK(key_admits({"pool"}, {"pool"}));
  CHECK(key_admits({"pool"}, {"pool.7"}));
  for (auto name : {"pool.", "pool7", "poo", "other", "coordinator", ""}) CHECK_FALSE(key_admits({"pool"}, {name}));
  for (auto name : {"pool.a/b", "pool.a b", "pool.\n", "pool.\xc3\xa9"}) CHECK_FALSE(key_admits({"pool"}, {name}));
  CHECK_FALSE(key_admits({"pool"}, {"pool." + std::string(60, 'x')}));
  CHECK_FALSE(key_admits({""}, {".x"}));
  join("1", "a", "b");
  CHECK(last_refusal().starts_with(R"(a node says that it is "b", but its key was made for "a")"));
  CHECK(call("b")->outcome->error().code == failure_code::node_lost);
}

TEST_CASE_FIXTURE(coordinator,
                  "another first number of the version is refused in one sentence, another second one works") {
  auto x = hello("a");
  x.version = {2, 0};
  receive("1", "a", {x});
  CHECK(
      last_refusal()
      == R"(node "a" (kernelmesh 1) speaks version 2.0 of the link protocol, this side 1.0: both need the same first )"
         "number, so install the same release on both");
  CHECK(events.back().detail == last_refusal());
  receive("1", "a", {link_hello{.name = {"a"}}});
  CHECK(last_refusal().find("speaks version 0.0") != std::string::npos);
  x.version = {1, 7};
  receive("1", "a", {x});
  CHECK(last_sent<link_welcome>());
}

TEST_CASE_FIXTURE(dialling_node,
                  "a node says hello, is told why it may not join, and refuses a coordinator of another version") {
  protocol.connected({"c"});
  REQUIRE(last_sent<link_hello>());
  CHECK(*last_sent<link_hello>()
        == link_hello{spoken_version, "kernelmesh 1", {"pool.1"}, "i", link_protocol::wall_time{1'000'000ms}, 2});
  receive("1", "coordinator", {link_refusal{{failure_code::refused, "not you"}}});
  CHECK(events.back() == link_event{link_event_kind::refused, coordinator_name, "not you", 0ms});
  receive("1", "coordinator", {link_welcome{.version = {3, 1}, .build = "kernelmesh 9", .window = 4}});
  CHECK(events.back().kind == link_event_kind::refused);
  CHECK(events.back().detail.starts_with("the coordinator (kernelmesh 9) speaks version 3.1"));
  receive("1", "coordinator", {link_welcome{.version = {1, 3}, .window = 4}});
  CHECK(events.back().kind == link_event_kind::joined);
}

TEST_CASE_FIXTURE(coordinator, "the same process that joins anew takes its place, another one of its name is refused") {
  join("1", "a", "a");
  auto before = call("a");
  receive("2", "a", {hello("a", "another process")});
  CHECK(last_refusal().starts_with(R"(node "a" has joined from another process: give each a name of its own)"));
  CHECK_FALSE(before->outcome);
  receive("3", "a", {hello("a")});
  REQUIRE(before->outcome);
  CHECK(before->outcome->error().code == failure_code::node_lost);
  call("a");
  CHECK(sent.back().to.value == "3");
}

// -- calls ------------------------------------------------------------------------------------------------------------

TEST_CASE_FIXTURE(coordinator, "a call to a node that is not there fails at once") {
  CHECK(call("a")->outcome->error() == failure{failure_code::node_lost, R"(node "a" is not connected)"});
}

TEST_CASE_FIXTURE(coordinator, "a lost connection fails the calls to that node and no others, after it was told") {
  join("1", "a", "a"), join("2", "b", "b");
  auto to_a = call("a"), to_b = call("b");
  protocol.lost(1);
  REQUIRE(to_a->outcome);
  CHECK(to_a->outcome->error() == failure{failure_code::node_lost, R"(node "a": the connection went down)"});
  CHECK_FALSE(to_b->outcome);
  CHECK(events.back().kind == link_event_kind::lost);
}

TEST_CASE_FIXTURE(coordinator, "no more calls are under way than the node grants; a tell keeps its place behind them") {
  join("1", "a", "a");
  std::vector<std::shared_ptr<observed_call>> calls{call("a"), call("a"), call("a")};
  protocol.tell({{{"a"}, {"compiler"}}, "cancel_stage", {}, {}}, now);
  CHECK(last_sent<link_call>()->id.value == 2);
  receive("1", "a", {link_answer{.id = {1}}});
  CHECK(calls[0]->outcome->has_value());
  REQUIRE(last_sent<link_tell>());
  CHECK(last_sent<link_tell>()->message == "cancel_stage");
  CHECK(std::get<link_call>(sent.at(sent.size() - 2).header.content).id.value == 3);
}

TEST_CASE_FIXTURE(coordinator, "progress reaches who waits, of open calls only") {
  join("1", "a", "a"), join("2", "b", "b");
  auto mine = call("a");
  receive("1", "a", {link_progress{{1}, 0.5, "half"}});
  receive("2", "b", {link_progress{{1}, 0.5, "of another node"}});
  receive("1", "a", {link_progress{{9}, 0.5, "of no call"}});
  CHECK(mine->progress == std::vector<std::string>{"half"});
}

TEST_CASE_FIXTURE(coordinator, "one node cannot answer what another was asked") {
  join("1", "a", "a"), join("2", "b", "b");
  auto to_a = call("a");
  receive("2", "b", {link_answer{.id = {1}}});
  receive("1", "b", {link_answer{.id = {1}}});  // with another key on its connection
  CHECK_FALSE(to_a->outcome);
  receive("1", "a", {link_answer{.id = {1}}});
  CHECK(to_a->outcome);
}

TEST_CASE_FIXTURE(coordinator, "frames before the hello, and what is no frame, are reported and ignored") {
  receive("1", "a", {link_call{.id = {1}, .actor = {"compiler"}}});
  receive("1", "a", {link_answer{.id = {1}}});
  receive("1", "a", {link_tell{.actor = {"members"}}});
  receive("1", "a", {link_goodbye{}});
  receive("1", "a", {link_progress{}});
  protocol.received({{"1"}, 1, {"a"}, wire::bytes(3, std::byte{0xc1}), {}}, now);
  CHECK(sent.empty());
  REQUIRE(events.size() == 6);
  for (const auto& x : events) CHECK(x.kind == link_event_kind::bad_frame);
}

TEST_CASE_FIXTURE(coordinator, "a node gets no more calls open than twice its window, and no id twice") {
  std::vector<incoming_call> served;
  protocol.offer({"blobs"}, [&](incoming_call x) { served.push_back(std::move(x)); });
  join("1", "a", "a");
  for (std::uint64_t id = 1; id <= 5; ++id) receive("1", "a", {link_call{{id}, {"blobs"}, "read_blob", 1min}});
  CHECK(served.size() == 4);
  CHECK(served[0].node.value == "a");
  REQUIRE(last_sent<link_answer>());
  CHECK(last_sent<link_answer>()->failure->code == failure_code::overloaded);
  receive("1", "a", {link_call{{4}, {"blobs"}, "read_blob", 1min}});
  CHECK(served.size() == 4);
  CHECK(events.back().kind == link_event_kind::bad_frame);
}

TEST_CASE_FIXTURE(coordinator, "an answer goes out once, and not beyond the bound on a body") {
  std::vector<call_token> served;
  protocol.offer({"blobs"}, [&](const incoming_call& x) { served.push_back(x.token); });
  join("1", "a", "a");
  receive("1", "a", {link_call{{1}, {"blobs"}, "read_blob", 1min}});
  receive("1", "a", {link_call{{2}, {"tuner"}, "tune", 1min}});
  CHECK(*last_sent<link_answer>()->failure == failure{failure_code::unknown_actor, R"(no actor "tuner")"});
  protocol.answer(served.at(0), wire::bytes(1001));
  CHECK(last_sent<link_answer>()->failure->code == failure_code::overloaded);
  auto before = sent.size();
  protocol.answer(served.at(0), wire::bytes{});
  CHECK(sent.size() == before);
  CHECK(call("a", wire::bytes(1001))->outcome->error().code == failure_code::overloaded);
}

TEST_CASE_FIXTURE(coordinator, "a call that is not answered in time ends, and its late answer is ignored") {
  join("1", "a", "a");
  auto mine = call("a");
  CHECK(protocol.expire(now + 59s) == now + 60s);
  CHECK_FALSE(mine->outcome);
  protocol.expire(now + 60s);
  REQUIRE(mine->outcome);
  CHECK(mine->outcome->error().code == failure_code::deadline_exceeded);
  receive("1", "a", {link_answer{.id = {1}}});
  CHECK(mine->outcome->error().code == failure_code::deadline_exceeded);
}

// -- leaving ----------------------------------------------------------------------------------------------------------

TEST_CASE("who leaves gives back what it was asked, and what was asked of it meanwhile is no attempt") {
  dialling_node node;
  node.protocol.offer({"compiler"}, [](const incoming_call&) {});
  node.receive("1", "coordinator", {link_welcome{.version = spoken_version, .window = 4}});
  node.receive("1", "coordinator", {link_call{{7}, {"compiler"}, "stage_request", 1min}});
  node.protocol.leave({failure_code::interrupted, "it was stopped"});
  REQUIRE(node.sent.size() == 2);
  CHECK(std::get<link_answer>(node.sent[0].header.content).failure->code == failure_code::interrupted);
  CHECK(std::get<link_goodbye>(node.sent[1].header.content).reason.detail == "it was stopped");
  CHECK(node.protocol.is_awaited());
  node.receive("1", "coordinator", {link_goodbye{}});
  CHECK_FALSE(node.protocol.is_awaited());
  CHECK(node.sent.size() == 2);
  CHECK(node.events.back().kind == link_event_kind::joined);  // and nothing of its own end

  coordinator other;
  other.join("1", "a", "a");
  auto mine = other.call("a");
  other.receive("1", "a", {link_goodbye{{failure_code::interrupted, "it was stopped"}}});
  CHECK(mine->outcome->error() == failure{failure_code::interrupted, R"(node "a": it left: it was stopped)"});
  CHECK(other.last_sent<link_goodbye>());
  CHECK(other.call("a")->outcome->error().code == failure_code::node_lost);
}

TEST_CASE_FIXTURE(coordinator, "a closed link fails what is open and keeps no handler") {
  auto handler = std::make_shared<int>();
  protocol.offer({"blobs"}, [handler](const incoming_call&) {});
  join("1", "a", "a");
  auto mine = call("a");
  protocol.close();
  CHECK(mine->outcome->error().code == failure_code::node_lost);
  protocol.offer({"blobs"}, [handler](const incoming_call&) {});
  CHECK(handler.use_count() == 1);
}

}  // namespace link_protocol_test
