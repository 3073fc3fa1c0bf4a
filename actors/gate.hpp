#pragma once
// The coordinator's door: where a system config says that nodes join.

#include <functional>
#include <memory>

#include "actors/links/link.hpp"
#include "actors/system.hpp"

namespace actors {

/// Whom a link tells of its peers. Set it before the link is started.
struct event_outlet {
  std::function<void(const messages::link_event&)> tell = [](const messages::link_event&) {};
};

struct gate {
  std::unique_ptr<links::link> link;
  std::shared_ptr<event_outlet> on_event;
};

/// Listens as config.listen says, with the keys of the state folder. Failures: misconfigured (no address; others could
/// reach it and no node has a key), storage, unreadable.
messages::expected<gate> open_gate(const node_options& options);

}  // namespace actors
