#ifndef KERNELMESH_MESSAGES_RECORDS_RESOURCE_HPP
#define KERNELMESH_MESSAGES_RECORDS_RESOURCE_HPP
// What a node lends to the scheduler.

#include <cstdint>
#include <string>
#include <vector>

#include "messages/records/failure.hpp"
#include "messages/records/ids.hpp"
#include "messages/records/verdict.hpp"

namespace messages {

/// What a compiler or device_runner can be granted.
struct resource_offer {
  resource_name name;
  node_name node;
  std::vector<stage_kind> kinds;
  std::vector<std::string> dsls;   ///< empty: any (stages that are bound to a device)
  device_name device;              ///< empty: none is needed (compilers)
  std::uint32_t slots = 1;         ///< stages that run side by side in the shared lane
  std::uint32_t prefetch = 0;      ///< granted beyond that, so that the next one lies ready; at most 2
  bool uses_node_cores = true;     ///< its work disturbs an exclusive stage of a CPU device on the same node
  bool exclusive_on_node = false;  ///< its own exclusive stages (time, profile) keep the whole node's cores free

  void fields(auto& f) {
    f("name", name);
    f("node", node);
    f("kinds", kinds);
    f("dsls", dsls);
    f("device", device);
    f("slots", slots);
    f("prefetch", prefetch);
    f("uses_node_cores", uses_node_cores);
    f("exclusive_on_node", exclusive_on_node);
  }
  friend bool operator==(const resource_offer&, const resource_offer&) = default;
};

/// The resource can take no more; what it had runs elsewhere.
struct resource_left {
  static constexpr auto wire_name = "resource_left";
  resource_name name;
  failure reason;  ///< goes to those who wait for it and have no other

  void fields(auto& f) {
    f("name", name);
    f("reason", reason);
  }
  friend bool operator==(const resource_left&, const resource_left&) = default;
};

struct resources_request {
  static constexpr auto wire_name = "resources_request";
  void fields(auto&) {}
  friend bool operator==(const resources_request&, const resources_request&) = default;
};

struct resource_state {
  resource_offer offer;
  bool ready = false;
  std::uint32_t running = 0;

  void fields(auto& f) {
    f("offer", offer);
    f("ready", ready);
    f("running", running);
  }
  friend bool operator==(const resource_state&, const resource_state&) = default;
};

struct resources_reply {
  static constexpr auto wire_name = "resources_reply";
  std::vector<resource_state> resources;
  std::uint32_t waiting = 0;  ///< stages in queues

  void fields(auto& f) {
    f("resources", resources);
    f("waiting", waiting);
  }
  friend bool operator==(const resources_reply&, const resources_reply&) = default;
};

}  // namespace messages

#endif
