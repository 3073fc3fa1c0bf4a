#include "actors/members.hpp"

#include "actors/monitor.hpp"
#include "actors/scheduler.hpp"
#include "messages/records/membership.hpp"
#include "messages/wire/wire.hpp"
#include "tests/support/deterministic.hpp"
#include "tests/support/link_peer.hpp"

namespace members_test {

using namespace messages;
using namespace std::literals;

namespace {

struct coordinator : testing::deterministic {
  testing::keys_of_three keys;
  testing::link_peer peer{testing::quick_link(keys.coordinator, keys.role())};  // never started: every call is lost
  std::vector<event> told;
  monitor_actor monitor = actors::spawn_monitor(system, {.on_event = [this](const event& x) { told.push_back(x); }});
  scheduler_actor scheduler_handle = actors::spawn_scheduler(system, monitor, {.attempts = 1});
  members_actor members = actors::spawn_members(system, {scheduler_handle, monitor, peer.link.get()});

  ~coordinator() {
    peer.link->close();
    auto end = [this](const auto& x) { self->send_exit(x, caf::exit_reason::user_shutdown); };
    end(members), end(scheduler_handle), end(monitor);
    run();
  }
  template <class Message>
  void tell(const std::string& node, const Message& x) {
    self->send(members, incoming_call{{}, {node}, Message::wire_name, wire::pack(x), {}});
    run();
  }
  void tell(link_event_kind kind, const std::string& node, std::string detail = {}) {
    self->send(members, link_event{kind, {node}, std::move(detail), {}});
    run();
  }
  std::vector<resource_state> resources() {
    return answer_to<resources_reply>(self->request(scheduler_handle, 1min, resources_request{}))->resources;
  }
  std::vector<event> of_kind(event_kind kind) const {
    std::vector<event> found;
    std::ranges::copy_if(told, std::back_inserter(found), [&](const event& x) { return x.kind == kind; });
    return found;
  }
};

const resource_offer compiler{{"a/compiler.cpp"}, {"a"}, {stage_kind::compile}, {"cpp"}};

}  // namespace

TEST_CASE_FIXTURE(coordinator,
                  "what a node lends is the scheduler's until the node is lost, and again when it is back") {
  tell(link_event_kind::joined, "a");
  tell("a", lent_resource{compiler, false});
  REQUIRE(resources().size() == 1);
  CHECK_FALSE(resources()[0].ready);
  tell("a", lent_resource{compiler, true});
  CHECK(resources()[0].ready);
  tell(link_event_kind::lost, "a", "the connection went down");
  CHECK_FALSE(resources()[0].ready);
  CHECK(of_kind(event_kind::node_lost).at(0).text == "the connection went down");
  tell("a", lent_resource{compiler, true});
  CHECK(resources()[0].ready);
}

TEST_CASE_FIXTURE(coordinator, "a node withdraws what is its own") {
  tell("a", lent_resource{compiler, true});
  tell("b", withdrawn_resource{compiler.name, {failure_code::worker_lost, "of another node"}});
  CHECK(resources()[0].ready);
  tell("a", withdrawn_resource{compiler.name, {failure_code::worker_lost, "it crashed"}});
  CHECK_FALSE(resources()[0].ready);
}

TEST_CASE_FIXTURE(coordinator, "a node lends nothing under another's name, nor what is out of range") {
  auto stolen = compiler, wide = compiler, odd = compiler;
  odd.name = {"a/\x1b[2J"};
  stolen.node = {"b"};
  wide.slots = 1'000'000;
  tell("a", lent_resource{stolen, true});
  tell("b", lent_resource{compiler, true});
  tell("a", lent_resource{wide, true});
  tell("a", lent_resource{odd, true});
  tell("a", reminder{});
  self->send(members, incoming_call{{}, {"a"}, lent_resource::wire_name, wire::bytes(1, std::byte{0xc1}), {}});
  run();
  CHECK(resources().empty());
  auto warnings = of_kind(event_kind::warning);
  REQUIRE(warnings.size() == 6);
  CHECK(warnings[0].text == "it lends \"a/compiler.cpp\", which does not bear its name");
}

TEST_CASE_FIXTURE(coordinator, "a node that sends garbage without end is complained of a few times only") {
  for (int i = 0; i < 1000; ++i) tell(link_event_kind::bad_frame, "a", "no map");
  CHECK(of_kind(event_kind::warning).size() == 10);
}

}  // namespace members_test
