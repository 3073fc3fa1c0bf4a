#pragma once
// A node that lends what it has to a coordinator: the other kind of node beside system.hpp's.

#include <functional>
#include <memory>

#include "actors/system.hpp"
#include "messages/records/keys.hpp"
#include "messages/records/link_call.hpp"

namespace actors {

struct join_options {
  messages::join_ticket ticket;
  std::function<void(const messages::link_event&)> on_link;  ///< joined, lost, refused; on the link's thread: quick
};

class joined_node {
public:
  /// Starts its runners and dials; its name is options.config.node, heartbeats are options.config.listen's. Failures:
  /// misconfigured, storage.
  static messages::expected<std::unique_ptr<joined_node>> start(const node_options& options, const join_options& join);

  /// Gives back what runs, says goodbye and ends all actors and worker processes, within seconds.
  ~joined_node();

private:
  struct tree;
  explicit joined_node(std::unique_ptr<tree> x);
  std::unique_ptr<tree> tree_;
};

}  // namespace actors
