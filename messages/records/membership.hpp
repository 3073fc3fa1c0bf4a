#ifndef KERNELMESH_MESSAGES_RECORDS_MEMBERSHIP_HPP
#define KERNELMESH_MESSAGES_RECORDS_MEMBERSHIP_HPP
// What a node tells the coordinator that it joined: what it lends. Told anew after each join.

#include "messages/records/resource.hpp"

namespace messages {

/// A resource of the sender. Its stages go to the actor that the sender offers under the resource's name.
struct lent_resource {
  static constexpr auto wire_name = "lent_resource";
  resource_offer offer;  ///< its node is the sender, and its name begins with the node and a slash
  bool ready = false;    ///< false: it will come, stages may wait for it

  void fields(auto& f) {
    f("offer", offer);
    f("ready", ready);
  }
  friend bool operator==(const lent_resource&, const lent_resource&) = default;
};

/// It takes nothing for now. How the stages that it has end, it says itself.
struct withdrawn_resource {
  static constexpr auto wire_name = "withdrawn_resource";
  resource_name name;
  failure reason;

  void fields(auto& f) {
    f("name", name);
    f("reason", reason);
  }
  friend bool operator==(const withdrawn_resource&, const withdrawn_resource&) = default;
};

}  // namespace messages

#endif
