#pragma once
// Decides which resource runs which stage when: queues, lanes, retries, leases. Plain code without a clock: each call
// says what time it is and collects effects for the caller to carry out.

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/resource.hpp"
#include "messages/records/stage.hpp"

namespace actors::logic {

struct schedule_options {
  std::uint32_t attempts = 4;  ///< of one stage; after the last infrastructure failure its asker gets it
  std::chrono::milliseconds retry_delay{100};            ///< before the second attempt; doubles with each
  std::chrono::milliseconds no_resource_grace{120'000};  ///< a stage that nobody can run waits so long for a newcomer
  std::chrono::milliseconds lease_margin{15'000};        ///< beyond the run limit; then the runner counts as hung
};

/// Of the monotonic clock.
using instant = std::chrono::steady_clock::time_point;

// -- effects ----------------------------------------------------------------------------------------------------------

/// Send the attempt to the resource.
struct grant {
  messages::resource_name resource;
  messages::stage_request request;
};

/// Tell the resource to give the stage up.
struct revoke {
  messages::resource_name resource;
  messages::stage_id stage;
};

/// Answer all who asked for the stage.
struct settle {
  messages::stage_result result;
};

using schedule_effect = std::variant<grant, revoke, settle>;

/// Shared lane: as many stages side by side as a resource has slots. Exclusive lane (time, profile): alone on its
/// resource, and where the offer says so alone on its node's cores: while one waits, nothing new starts there.
class stage_schedule {
public:
  explicit stage_schedule(const schedule_options& options = {}) : options_(options) {}

  /// A stage that is known is joined: nothing happens.
  void submit(messages::stage_request request, instant now);
  void cancel(const messages::stage_id& stage, instant now);

  /// Stages may wait for it, but it takes none yet.
  void announce(const messages::resource_offer& offer, instant now);
  void join(const messages::resource_offer& offer, instant now);
  /// It is gone with all that ran there.
  void leave(const messages::resource_name& name, const messages::failure& reason, instant now);
  /// It takes nothing for now. How its stages end it says itself, each in its turn.
  void rest(const messages::resource_name& name, const messages::failure& reason, instant now);

  /// The end of an attempt; results of attempts that were given up meanwhile are ignored.
  void ended(const messages::resource_name& name, const messages::stage_result& result, instant now);

  /// Limits that have passed. Call it at `next_deadline`.
  void tick(instant now);

  /// When `tick` has work at the earliest.
  std::optional<instant> next_deadline() const;

  std::vector<schedule_effect> take_effects() { return std::exchange(effects_, {}); }

  messages::resources_reply resources() const;

private:
  struct stage;
  struct resource {
    messages::resource_offer offer;
    bool ready = false;
    bool present = true;  ///< false after it left
    messages::failure last_failure;
    std::set<messages::stage_id> running;
    bool exclusive_runs = false;
  };
  struct stage {
    messages::stage_request request;
    instant submitted;
    instant waits_since;
    instant not_before;
    std::optional<messages::resource_name> runs_on;
    std::optional<messages::resource_name> avoid;  ///< failed there last
    instant deadline;                              ///< of the queue while it waits, of the lease while it runs
    std::optional<instant> nobody_since;           ///< nobody present could run it
    std::optional<instant> wake;                   ///< its entry in wakes_
    std::chrono::milliseconds queued{0};
    std::uint64_t order = 0;
    bool cancelled = false;
  };
  /// What happens on one node's cores.
  struct node {
    std::set<messages::resource_name> resources;
    std::uint32_t core_stages = 0;  ///< running on resources that use the node's cores
    bool alone = false;             ///< one of them has the cores for itself
  };
  /// What stages of one queue have in common: any resource fits all of them or none.
  struct queue_key {
    messages::stage_kind kind;
    messages::device_name device;
    std::string dsl;
    friend auto operator<=>(const queue_key&, const queue_key&) = default;
  };
  using queue = std::map<std::uint64_t, messages::stage_id>;

  static bool exclusive(messages::stage_kind kind);
  /// A device may be named with its node in front, "gpu-host-3/cuda:1".
  static bool fits(const messages::resource_offer& offer, const queue_key& key);
  static queue_key key_of(const messages::stage_request& request);

  void dispatch(instant now);
  bool dispatch_one(instant now);
  bool lane_free(const resource& at, bool exclusive_stage) const;
  bool must_leave_room(const resource& at, instant now) const;
  bool exclusive_waits_for(const resource& at, instant now) const;
  std::optional<messages::stage_id> first_ready(const queue& waiting, const resource& at, instant now) const;
  bool another_fits(const resource& than, const queue_key& key) const;
  void give(resource& to, stage& what, instant now);
  void take_back(stage& what);
  void count(const resource& at, const stage& what, bool starts);
  void enqueue(stage& what, instant now);
  void dequeue(const stage& what);
  void failed(const messages::stage_id& id, const messages::failure& reason, instant now);
  void finish(const messages::stage_id& id, messages::stage_result result);
  void finish_waiting(const messages::stage_id& id, messages::stage_outcome outcome, instant now);
  bool somebody_could(const queue_key& key) const;
  bool nobody_came(const stage& what, instant now) const;
  messages::failure why_nobody(const queue_key& key) const;
  void arm(stage& what, instant now);
  void disarm(stage& what);
  void wake(const messages::stage_id& id, instant now);

  schedule_options options_;
  std::map<messages::resource_name, resource> resources_;
  std::map<messages::node_name, node> nodes_;
  std::map<messages::stage_id, stage> stages_;
  std::map<queue_key, queue> queues_;
  std::set<std::pair<instant, messages::stage_id>> wakes_;  ///< one a stage: when time alone changes something
  std::vector<schedule_effect> effects_;
  std::uint64_t last_order_ = 0;
};

}  // namespace actors::logic
