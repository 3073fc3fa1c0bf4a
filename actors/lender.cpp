#include "actors/lender.hpp"

#include <map>

#include "actors/exporter.hpp"
#include "actors/members.hpp"
#include "actors/stage_porter.hpp"
#include "messages/records/membership.hpp"

namespace actors {

namespace {

using namespace messages;

class lender_state {
public:
  using pointer = lender_actor::stateful_pointer<lender_state>;
  static inline const char* name = "lender";

  explicit lender_state(pointer self) : self_(self) {}
  ~lender_state() { stop_all(); }

  lender_actor::behavior_type start(const blobs::blob_store& store, const lender_options& options) {
    store_ = store;
    options_ = options;
    return {
        [this](const resource_offer& x) { announce(x); }, [this](const resource_joined& x) { join(x); },
        [this](const resource_left& x) { leave(x); },     [this](const stage_progress& x) { pass_on(x); },
        [this](const link_event& x) { take(x); },
    };
  }

private:
  struct resource {
    resource_offer offer;
    stage_runner_actor runner;  ///< once it has been ready
    bool ready = false;
    stage_runner_actor porter;  ///< while it is lent
    exporter_actor exporter;
  };

  void announce(const resource_offer& x) {
    resources_[x.name].offer = x;
    say(lent_resource{x, false});
  }

  void join(const resource_joined& x) {
    auto& mine = resources_[x.offer.name];
    bool is_new = mine.runner != x.runner;
    mine.offer = x.offer;
    mine.runner = x.runner;
    mine.ready = true;
    if (!joined_) return;
    if (is_new || !mine.porter) lend(mine);
    say(lent_resource{x.offer, true});
  }

  void leave(const resource_left& x) {
    resources_[x.name].ready = false;
    say(withdrawn_resource{x.name, x.reason});
  }

  void pass_on(const stage_progress& x) {
    for (const auto& [name, mine] : resources_)
      if (mine.exporter) self_->send(mine.exporter, x);
  }

  void take(const link_event& x) {
    if (x.kind == link_event_kind::joined) say_all();
    if (x.kind == link_event_kind::lost) joined_ = false, stop_all();
  }

  void say_all() {
    joined_ = true;
    for (auto& [name, mine] : resources_) {
      if (mine.ready && !mine.porter) lend(mine);
      say(lent_resource{mine.offer, mine.ready});
    }
  }

  void lend(resource& mine) {
    stop(mine);
    auto& system = self_->home_system();
    mine.porter = spawn_stage_porter(system, *store_, {mine.runner, options_.courier});
    mine.exporter = export_actor(system, *options_.link, {mine.offer.name.value}, mine.porter);
  }

  void stop_all() {
    for (auto& [name, mine] : resources_) stop(mine);
  }

  void stop(resource& mine) {
    if (!mine.porter) return;
    options_.link->withdraw({mine.offer.name.value});
    caf::anon_send_exit(mine.porter, caf::exit_reason::user_shutdown);
    mine.porter = stage_runner_actor{};
    mine.exporter = exporter_actor{};
  }

  template <class Message>
  void say(const Message& x) {
    if (joined_) options_.link->tell({{logic::coordinator_name, members_name}, Message::wire_name, wire::pack(x), {}});
  }

  pointer self_;
  std::optional<blobs::blob_store> store_;
  lender_options options_;
  std::map<resource_name, resource> resources_;
  bool joined_ = false;
};

}  // namespace

lender_actor spawn_lender(caf::actor_system& system, const blobs::blob_store& store, const lender_options& options) {
  return spawn_state<lender_state>(system, store, options);
}

}  // namespace actors
