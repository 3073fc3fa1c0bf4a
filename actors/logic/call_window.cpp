#include "actors/logic/call_window.hpp"

#include <algorithm>

namespace actors::logic {

using messages::failure_code;

void call_window::add(messages::request_id id, outgoing_call call, call_waiter who, instant now) {
  if (waiting_.size() >= limits_.backlog)
    return who.done(messages::fail(failure_code::overloaded, std::to_string(open_.size()) + " calls to node \""
                                                                 + call.to.node.value + "\" are open"));
  auto deadline = now + std::min(call.timeout, limits_.longest);
  open_.emplace(id, open_call{std::move(who), deadline, std::move(call)});
  waiting_.insert(id);
  deadlines_.emplace(deadline, id);
}

void call_window::add_tell(messages::request_id id, outgoing_call call) {
  if (waiting_.size() >= limits_.backlog) return;  // whoever tells so much is not heard in any case
  open_.emplace(id, open_call{{}, std::nullopt, std::move(call)});
  waiting_.insert(id);
}

std::optional<call_window::ready_call> call_window::next(instant now) {
  if (waiting_.empty()) return std::nullopt;
  auto id = *waiting_.begin();
  auto place = open_.find(id);
  bool is_tell = !place->second.who.done;
  if (!is_tell && under_way() >= limits_.window) return std::nullopt;
  waiting_.erase(waiting_.begin());
  ready_call ready{id, std::move(*place->second.unsent), is_tell};
  place->second.unsent.reset();
  if (is_tell)
    open_.erase(place);
  else
    ready.call.timeout = std::chrono::ceil<std::chrono::milliseconds>(*place->second.deadline - now);
  return ready;
}

void call_window::finish(messages::request_id id, call_outcome outcome) {
  if (auto call = open_.find(id); call != open_.end() && !call->second.unsent) end(call, std::move(outcome));
}

void call_window::progress(messages::request_id id, double share, const std::string& text) {
  auto call = open_.find(id);
  if (call != open_.end() && !call->second.unsent && call->second.who.progressed)
    call->second.who.progressed(share, text);
}

void call_window::expire(instant now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now)
    end(open_.find(deadlines_.begin()->second), messages::fail(failure_code::deadline_exceeded, "no answer in time"));
}

void call_window::fail_all(const messages::failure& reason) {
  while (!open_.empty()) end(open_.begin(), tl::unexpected{reason});
}

std::optional<instant> call_window::next_deadline() const {
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void call_window::end(std::map<messages::request_id, open_call>::iterator call, call_outcome outcome) {
  auto ended = open_.extract(call);
  waiting_.erase(ended.key());
  if (ended.mapped().deadline) deadlines_.erase({*ended.mapped().deadline, ended.key()});
  if (ended.mapped().who.done) ended.mapped().who.done(std::move(outcome));
}

}  // namespace actors::logic
