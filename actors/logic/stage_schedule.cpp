#include "actors/logic/stage_schedule.hpp"

#include <algorithm>
#include <utility>

namespace actors::logic {

using namespace messages;
using std::chrono::milliseconds;

namespace {

milliseconds between(instant from, instant to) { return std::chrono::duration_cast<milliseconds>(to - from); }

/// A second try would end the same way.
bool worth_a_retry(failure_code code) {
  return code != failure_code::bad_input && code != failure_code::not_found && code != failure_code::misconfigured;
}

std::string name_of(stage_kind kind) { return std::string{enum_names(kind)[static_cast<std::size_t>(kind)]}; }

}  // namespace

bool stage_schedule::exclusive(stage_kind kind) { return kind == stage_kind::time || kind == stage_kind::profile; }

bool stage_schedule::fits(const resource_offer& offer, const queue_key& key) {
  if (std::ranges::find(offer.kinds, key.kind) == offer.kinds.end()) return false;
  bool named = offer.device == key.device || key.device.value == offer.node.value + '/' + offer.device.value;
  if (!offer.device.value.empty() && !named) return false;
  return offer.dsls.empty() || std::ranges::find(offer.dsls, key.dsl) != offer.dsls.end();
}

stage_schedule::queue_key stage_schedule::key_of(const stage_request& request) {
  return {request.kind, request.target.device, request.target.dsl};
}

// -- what comes in ----------------------------------------------------------------------------------------------------

void stage_schedule::submit(stage_request request, instant now) {
  auto [place, added] = stages_.try_emplace(request.stage);
  if (!added) return;
  auto& what = place->second;
  what.submitted = what.not_before = now;
  what.request = std::move(request);
  what.request.attempt = 1;
  what.order = ++last_order_;
  enqueue(what, now);
  dispatch(now);
}

void stage_schedule::cancel(const stage_id& id, instant now) {
  auto place = stages_.find(id);
  if (place == stages_.end()) return;
  auto& what = place->second;
  if (!what.runs_on) return finish_waiting(id, cancelled{}, now);
  what.cancelled = true;
  effects_.emplace_back(revoke{*what.runs_on, id});
}

void stage_schedule::announce(const resource_offer& offer, instant) {
  resources_.try_emplace(offer.name, resource{.offer = offer, .running = {}}).first->second.present = true;
  nodes_[offer.node].resources.insert(offer.name);
}

void stage_schedule::join(const resource_offer& offer, instant now) {
  if (auto known = resources_.find(offer.name); known != resources_.end() && !known->second.running.empty())
    leave(offer.name, {failure_code::actor_lost, offer.name.value + " was replaced"}, now);
  auto& at = resources_[offer.name];
  at.offer = offer;
  nodes_[offer.node].resources.insert(offer.name);
  at.ready = at.present = true;
  dispatch(now);
}

void stage_schedule::leave(const resource_name& name, const failure& reason, instant now) {
  auto place = resources_.find(name);
  if (place == resources_.end()) return;
  place->second.ready = place->second.present = false;
  for (const auto& id : std::set<stage_id>{place->second.running}) failed(id, reason, now);
  rest(name, reason, now);
}

void stage_schedule::rest(const resource_name& name, const failure& reason, instant now) {
  auto place = resources_.find(name);
  if (place == resources_.end()) return;
  auto& at = place->second;
  at.ready = at.present = false;
  at.last_failure = reason;
  for (const auto& [key, waiting] : queues_)
    if (fits(at.offer, key))
      for (const auto& [order, id] : waiting) arm(stages_.at(id), now);
  dispatch(now);
}

void stage_schedule::ended(const resource_name& name, const stage_result& result, instant now) {
  auto place = stages_.find(result.stage);
  if (place == stages_.end()) return;
  auto& what = place->second;
  if (what.runs_on != name || what.request.attempt != result.attempt) return;
  auto reason = std::get_if<failure>(&result.outcome);
  if (reason && !what.cancelled) {
    failed(result.stage, *reason, now);
  } else {
    auto done = result;
    if (reason) done.outcome = messages::cancelled{};
    done.resource = name;
    done.queued = what.queued;
    take_back(what);
    finish(result.stage, std::move(done));
  }
  dispatch(now);
}

void stage_schedule::tick(instant now) {
  while (!wakes_.empty() && wakes_.begin()->first <= now) {
    auto id = wakes_.begin()->second;
    disarm(stages_.at(id));
    wake(id, now);
  }
  dispatch(now);
}

void stage_schedule::wake(const stage_id& id, instant now) {
  auto& what = stages_.at(id);
  bool late = now >= what.deadline;
  if (what.runs_on && late) {
    effects_.emplace_back(revoke{*what.runs_on, id});
    failed(id, {failure_code::deadline_exceeded, what.runs_on->value + " did not answer in time"}, now);
  } else if (late) {
    finish_waiting(id, failure{failure_code::deadline_exceeded, "it waited longer than its queue limit"}, now);
  } else if (!what.runs_on && nobody_came(what, now)) {
    finish_waiting(id, why_nobody(key_of(what.request)), now);
  } else {
    arm(what, now);
  }
}

std::optional<instant> stage_schedule::next_deadline() const {
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->first;
}

resources_reply stage_schedule::resources() const {
  resources_reply reply;
  for (const auto& [name, at] : resources_)
    reply.resources.push_back({at.offer, at.ready, static_cast<std::uint32_t>(at.running.size())});
  for (const auto& [key, waiting] : queues_) reply.waiting += static_cast<std::uint32_t>(waiting.size());
  return reply;
}

// -- who gets what ----------------------------------------------------------------------------------------------------

void stage_schedule::dispatch(instant now) {
  while (dispatch_one(now)) {
  }
}

/// Exclusive stages first: they are the end of a candidate's way, and shared ones would keep a node busy for ever.
bool stage_schedule::dispatch_one(instant now) {
  for (bool exclusive_turn : {true, false})
    for (auto& [key, waiting] : queues_) {
      if (exclusive(key.kind) != exclusive_turn || waiting.empty()) continue;
      for (auto& [name, at] : resources_) {
        if (!at.ready || !fits(at.offer, key) || !lane_free(at, exclusive_turn)) continue;
        if (!exclusive_turn && must_leave_room(at, now)) continue;
        auto id = first_ready(waiting, at, now);
        if (!id) continue;
        give(at, stages_.at(*id), now);
        return true;
      }
    }
  return false;
}

bool stage_schedule::lane_free(const resource& at, bool exclusive_stage) const {
  if (at.exclusive_runs) return false;
  if (!exclusive_stage && at.running.size() >= at.offer.slots + at.offer.prefetch) return false;
  if (exclusive_stage && !at.running.empty()) return false;
  const auto& where = nodes_.at(at.offer.node);
  if (where.alone && at.offer.uses_node_cores) return false;
  return !(exclusive_stage && at.offer.exclusive_on_node && where.core_stages > 0);
}

/// Does a stage wait that needs this resource, or its node's cores, for itself?
bool stage_schedule::must_leave_room(const resource& at, instant now) const {
  if (exclusive_waits_for(at, now)) return true;
  if (!at.offer.uses_node_cores) return false;
  return std::ranges::any_of(nodes_.at(at.offer.node).resources, [&](const resource_name& name) {
    const auto& other = resources_.at(name);
    return other.offer.exclusive_on_node && exclusive_waits_for(other, now);
  });
}

bool stage_schedule::exclusive_waits_for(const resource& at, instant now) const {
  return at.ready && std::ranges::any_of(queues_, [&](const auto& x) {
           const auto& [key, waiting] = x;
           return exclusive(key.kind) && fits(at.offer, key) && first_ready(waiting, at, now);
         });
}

/// The one that waits longest, but not where it failed last if it could run elsewhere.
std::optional<stage_id> stage_schedule::first_ready(const queue& waiting, const resource& at, instant now) const {
  for (const auto& [order, id] : waiting) {
    const auto& what = stages_.at(id);
    if (what.not_before > now) continue;
    if (what.avoid == at.offer.name && another_fits(at, key_of(what.request))) continue;
    return id;
  }
  return std::nullopt;
}

bool stage_schedule::another_fits(const resource& than, const queue_key& key) const {
  return std::ranges::any_of(resources_, [&](const auto& known) {
    const auto& other = known.second;
    return &other != &than && other.ready && fits(other.offer, key);
  });
}

void stage_schedule::give(resource& to, stage& what, instant now) {
  dequeue(what);
  what.queued += between(what.waits_since, now);
  what.runs_on = to.offer.name;
  auto ahead = to.running.size() / std::max(1u, to.offer.slots);  // prefetched: it waits for those
  what.deadline = now + what.request.run_limit * (1 + static_cast<int>(ahead)) + options_.lease_margin;
  arm(what, now);
  to.running.insert(what.request.stage);
  to.exclusive_runs = exclusive(what.request.kind);
  count(to, what, true);
  effects_.emplace_back(grant{to.offer.name, what.request});
}

void stage_schedule::take_back(stage& what) {
  auto& from = resources_.at(*what.runs_on);
  from.running.erase(what.request.stage);
  from.exclusive_runs = false;
  count(from, what, false);
  what.avoid = std::exchange(what.runs_on, std::nullopt);
}

void stage_schedule::count(const resource& at, const stage& what, bool starts) {
  auto& where = nodes_.at(at.offer.node);
  if (at.offer.uses_node_cores) starts ? ++where.core_stages : --where.core_stages;
  if (at.offer.exclusive_on_node && exclusive(what.request.kind)) where.alone = starts;
}

void stage_schedule::enqueue(stage& what, instant now) {
  what.waits_since = now;
  what.deadline = now + what.request.queue_limit - what.queued;  // a limit on all its waits together
  queues_[key_of(what.request)].emplace(what.order, what.request.stage);
  arm(what, now);
}

/// Sets when time alone changes something for the stage.
void stage_schedule::arm(stage& what, instant now) {
  disarm(what);
  auto at = what.deadline;
  if (!what.runs_on) {
    if (what.not_before > now) at = std::min(at, what.not_before);
    if (somebody_could(key_of(what.request)))
      what.nobody_since.reset();
    else
      at = std::min(at, what.nobody_since.value_or(now) + options_.no_resource_grace),
      what.nobody_since = what.nobody_since.value_or(now);
  }
  what.wake = at;
  wakes_.emplace(at, what.request.stage);
}

void stage_schedule::disarm(stage& what) {
  if (what.wake) wakes_.erase({*what.wake, what.request.stage});
  what.wake.reset();
}

bool stage_schedule::nobody_came(const stage& what, instant now) const {
  return what.nobody_since && now - *what.nobody_since >= options_.no_resource_grace
         && !somebody_could(key_of(what.request));
}

void stage_schedule::dequeue(const stage& what) {
  auto waiting = queues_.find(key_of(what.request));
  waiting->second.erase(what.order);
  if (waiting->second.empty()) queues_.erase(waiting);
}

// -- how it ends ------------------------------------------------------------------------------------------------------

void stage_schedule::failed(const stage_id& id, const failure& reason, instant now) {
  auto& what = stages_.at(id);
  auto where = *what.runs_on;
  take_back(what);
  if (what.cancelled) return finish_waiting(id, messages::cancelled{}, now);
  bool began = reason.code != failure_code::interrupted;  // else it only waited there: somebody else's attempt
  bool once = what.request.kind == stage_kind::profile;   // a job that is done waits for it
  if (began && (once || what.request.attempt >= options_.attempts || !worth_a_retry(reason.code))) {
    stage_result result{id, what.request.attempt, what.request.kind, what.request.candidate, reason, where};
    result.queued = what.queued;
    return finish(id, std::move(result));
  }
  auto delay = options_.retry_delay * (1 << std::min(what.request.attempt - 1, 10u));
  if (began) ++what.request.attempt;
  what.not_before = now + delay;
  enqueue(what, now);
}

/// Of a stage that does not run.
void stage_schedule::finish_waiting(const stage_id& id, stage_outcome outcome, instant now) {
  auto& what = stages_.at(id);
  if (auto waiting = queues_.find(key_of(what.request));
      waiting != queues_.end() && waiting->second.contains(what.order)) {
    what.queued += between(what.waits_since, now);
    dequeue(what);
  }
  stage_result result{id, what.request.attempt, what.request.kind, what.request.candidate, std::move(outcome), {}};
  result.queued = what.queued;
  finish(id, std::move(result));
}

void stage_schedule::finish(const stage_id& id, stage_result result) {
  disarm(stages_.at(id));
  stages_.erase(id);
  effects_.emplace_back(settle{std::move(result)});
}

bool stage_schedule::somebody_could(const queue_key& key) const {
  return std::ranges::any_of(resources_, [&](const auto& x) { return x.second.present && fits(x.second.offer, key); });
}

failure stage_schedule::why_nobody(const queue_key& key) const {
  for (const auto& [name, at] : resources_)
    if (fits(at.offer, key)) return at.last_failure;
  auto what = '"' + name_of(key.kind) + "\" on " + key.device.value;
  if (!key.dsl.empty()) what += " in " + key.dsl;
  return {failure_code::no_resource, "nothing here offers " + what + "; see the config's devices and compilers"};
}

}  // namespace actors::logic
