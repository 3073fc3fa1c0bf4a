#pragma once
// A coordinator or a node inside the test process: a link with the log of its events.

#include <doctest/doctest.h>
#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "actors/links/link.hpp"

namespace testing {

using link_kind = messages::link_event_kind;

/// Joins, losses and refusals that a link reported, to wait for.
class link_log {
public:
  void add(const messages::link_event& event) {
    std::lock_guard lock{mutex_};
    events_.push_back(event);
    changed_.notify_all();
  }

  /// Takes the first event of a kind; fails the test if none comes.
  messages::link_event wait_for(link_kind what) {
    std::unique_lock lock{mutex_};
    auto found = events_.end();
    auto arrived = [&] {
      found = std::ranges::find(events_, what, &messages::link_event::kind);
      return found != events_.end();
    };
    REQUIRE_MESSAGE(changed_.wait_for(lock, std::chrono::seconds{20}, arrived), "no such event came");
    auto event = *found;
    events_.erase(found);
    return event;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<messages::link_event> events_;
};

/// Quick to notice a silent peer.
inline actors::links::link_options quick_link(
    const actors::links::key_pair& keys, std::variant<actors::links::coordinator_role, actors::links::node_role> role,
    std::string address = "tcp://127.0.0.1:*") {
  using namespace std::literals;
  return {.address = std::move(address), .keys = keys, .role = std::move(role), .heartbeat = 200ms, .silence = 1s};
}

/// A link, not yet started, with its log.
struct link_peer {
  explicit link_peer(actors::links::link_options options) {
    options.on_event = [this](const messages::link_event& event) { log.add(event); };
    auto opened = actors::links::link::open(options);
    REQUIRE_MESSAGE(opened.has_value(), opened.error().detail);
    link = std::move(*opened);
  }
  link_log log;
  std::unique_ptr<actors::links::link> link;
};

/// Keys of a coordinator that admits the nodes "a" and "b".
struct keys_of_three {
  actors::links::key_pair coordinator = actors::links::make_key_pair(), a = actors::links::make_key_pair(),
                          b = actors::links::make_key_pair();

  actors::links::coordinator_role role() const {
    return {[known = std::map<messages::public_key, messages::node_name>{{a.open, {"a"}}, {b.open, {"b"}}}](
                const messages::public_key& key) {
      auto found = known.find(key);
      return found != known.end() ? std::optional{found->second} : std::nullopt;
    }};
  }
};

}  // namespace testing
