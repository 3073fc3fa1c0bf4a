#include "actors/members.hpp"

#include <algorithm>
#include <map>

#include "actors/proxy.hpp"
#include "messages/records/event.hpp"
#include "messages/records/membership.hpp"

namespace actors {

namespace {

using namespace messages;

/// Of one node. A machine has fewer devices and languages.
constexpr std::size_t most_resources = 256;
constexpr std::size_t longest_name = 128;
constexpr std::uint32_t most_slots = 4096;
constexpr std::uint32_t most_prefetch = 2;

/// Complaints about frames of one node, of all its connections.
constexpr std::uint32_t most_complaints = 10;

/// Clocks that differ less are not worth a word.
constexpr std::chrono::milliseconds worth_a_word{1'000};

class members_state {
public:
  using pointer = members_actor::stateful_pointer<members_state>;
  static inline const char* name = "members";

  explicit members_state(pointer self) : self_(self) {}
  ~members_state() {
    for (auto& [node, resources] : lent_)
      for (auto& [name, proxy] : resources) end(proxy);
  }

  members_actor::behavior_type start(const members_options& options) {
    options_ = options;
    return {[this](const incoming_call& x) { take(x); }, [this](const link_event& x) { take(x); }};
  }

private:
  void take(const incoming_call& x) {
    if (x.token.id.value != 0)
      return options_.link->answer(x.token, fail(failure_code::unknown_actor, "nothing is asked here, only told"));
    if (x.message == lent_resource::wire_name)
      read<lent_resource>(x);
    else if (x.message == withdrawn_resource::wire_name)
      read<withdrawn_resource>(x);
    else
      complain(x.node, "it tells a \"" + x.message.substr(0, 64) + '"');
  }

  template <class Message>
  void read(const incoming_call& x) {
    auto message = wire::unpack<Message>(x.body);
    if (message)
      on(x.node, *message);
    else
      complain(x.node, to_string(message.error()));
  }

  void on(const node_name& node, const lent_resource& x) {
    if (auto why = why_not(node, x.offer); !why.empty()) return complain(node, why);
    if (!x.ready) return self_->send(options_.scheduler, x.offer);
    auto& proxy = lent_[node][x.offer.name];
    if (!proxy)
      proxy = spawn_proxy<stage_runner_actor>(self_->home_system(), *options_.link, {node, {x.offer.name.value}},
                                              {.progress = options_.monitor});
    self_->send(options_.scheduler, resource_joined{x.offer, proxy});
  }

  void on(const node_name& node, const withdrawn_resource& x) {
    if (lent_[node].contains(x.name)) self_->send(options_.scheduler, resource_left{x.name, x.reason});
  }

  /// Empty: the node may lend it.
  std::string why_not(const node_name& node, const resource_offer& x) const {
    auto mine = lent_.find(node);
    auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
    const auto& called = x.name.value;
    bool own = x.node == node && called.starts_with(node.value + '/') && called.size() <= longest_name;
    if (!own || !std::ranges::all_of(called, printable))
      return "it lends \"" + x.name.value.substr(0, 80) + "\", which does not bear its name";
    if (mine != lent_.end() && mine->second.size() >= most_resources && !mine->second.contains(x.name))
      return "it lends more than " + std::to_string(most_resources) + " resources";
    if (x.slots == 0 || x.slots > most_slots || x.prefetch > most_prefetch)
      return "it lends " + x.name.value + " with slots or grants out of range";
    return {};
  }

  void take(const link_event& x) {
    switch (x.kind) {
      case link_event_kind::joined: return tell(event_kind::node_joined, x.node, clocks(x.clock_offset));
      case link_event_kind::lost: return lost(x);
      case link_event_kind::refused: return tell(event_kind::node_refused, x.node, x.detail);
      default: return complain(x.node, "what it sends can't be read: " + x.detail);
    }
  }

  void lost(const link_event& x) {
    if (auto resources = lent_.extract(x.node))
      for (auto& [name, proxy] : resources.mapped()) end(proxy);
    tell(event_kind::node_lost, x.node, x.detail);
  }

  static std::string clocks(std::chrono::milliseconds offset) {
    if (std::chrono::abs(offset) < worth_a_word) return {};
    auto seconds = std::to_string(std::chrono::abs(offset).count() / 1000);
    return "its clock is " + seconds + " s " + (offset.count() > 0 ? "ahead" : "behind");
  }

  /// The scheduler hears of it as of any runner that ends.
  void end(const stage_runner_actor& proxy) {
    if (proxy) caf::anon_send_exit(proxy, caf::exit_reason::user_shutdown);
  }

  void complain(const node_name& node, const std::string& what) {
    if (++complaints_[node] <= most_complaints) tell(event_kind::warning, {"node " + node.value}, what);
  }

  void tell(event_kind kind, const node_name& node, std::string text) {
    self_->send(options_.monitor, event{.kind = kind, .subject = node.value, .text = std::move(text)});
  }

  pointer self_;
  members_options options_;
  std::map<node_name, std::map<resource_name, stage_runner_actor>> lent_;
  std::map<node_name, std::uint32_t> complaints_;
};

}  // namespace

members_actor spawn_members(caf::actor_system& system, const members_options& options) {
  return spawn_state<members_state>(system, options);
}

}  // namespace actors
