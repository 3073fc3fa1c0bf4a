#include "llm_client/router.hpp"

#include <algorithm>

namespace llm_client {

namespace {

using kind_of_failure = messages::llm_failure_kind;
using route_pause = std::chrono::milliseconds;

constexpr std::uint32_t most_waits = 20;  // for pauses that others make longer and longer

/// Failures after which the same request may do at once: chance, not load, made them.
bool by_chance(kind_of_failure kind) {
  return kind == kind_of_failure::schema_mismatch || kind == kind_of_failure::empty_reply
         || kind == kind_of_failure::tool_call;
}

}  // namespace

remedy remedy_of(kind_of_failure kind) {
  switch (kind) {
    case kind_of_failure::rate_limited:
    case kind_of_failure::overloaded:
    case kind_of_failure::server_error:
    case kind_of_failure::name_not_found:
    case kind_of_failure::connection_failed:
    case kind_of_failure::connect_timeout:
    case kind_of_failure::first_token_timeout:
    case kind_of_failure::idle_timeout:
    case kind_of_failure::cut_stream:
    case kind_of_failure::malformed_reply:
    case kind_of_failure::empty_reply:
    case kind_of_failure::schema_mismatch:
    case kind_of_failure::tool_call: return remedy::wait;
    case kind_of_failure::quota_exhausted:
    case kind_of_failure::unauthorized:
    case kind_of_failure::forbidden:
    case kind_of_failure::not_found:
    case kind_of_failure::bad_request:
    case kind_of_failure::request_too_large:
    case kind_of_failure::content_filter:
    case kind_of_failure::refused_by_model:
    case kind_of_failure::tls_failed:
    case kind_of_failure::redirected:
    case kind_of_failure::total_timeout: return remedy::next_model;
    case kind_of_failure::parameter_refused: return remedy::drop_parameter;
    case kind_of_failure::unknown:
    case kind_of_failure::context_too_long:
    case kind_of_failure::output_limit:
    case kind_of_failure::cancelled:
    case kind_of_failure::no_model: break;
  }
  return remedy::caller;
}

void exchange::move_on() {
  ++at_;
  tries_ = 0;
  not_before_ = {};
}

router::router(configs::llm_retry_options options, std::map<std::string, std::string> server_of,
               std::function<double()> random)
    : options_(options), server_of_(std::move(server_of)), random_(std::move(random)) {}

// -- what to do next --------------------------------------------------------------------------------------------------

route_step router::next(exchange& x, route_time now) {
  if (x.over_ || x.attempts_ >= options_.attempts) return end(x, now);
  auto earliest = now + options_.longest_wait;
  bool somebody = false;
  for (auto place = x.at_; place < x.models_.size(); ++place) {
    auto ready = readiness_of(x, place, now);
    if (ready.at <= now) return send(x, place, now);
    if (ready.at > now + options_.longest_wait) continue;
    if (ready.worth_waiting) return wait(x, ready.at, now);
    somebody = true;
    earliest = std::min(earliest, ready.at);
  }
  return somebody ? wait(x, earliest, now) : end(x, now);
}

router::readiness router::readiness_of(const exchange& x, std::size_t place, route_time now) const {
  readiness out;
  if (place == x.at_) out.at = x.not_before_;
  auto consider = [&](const std::map<std::string, health>& all, const std::string& name) {
    auto found = all.find(name);
    if (found == all.end() || found->second.rests_until <= now) return;
    out.at = std::max(out.at, found->second.rests_until);
    if (found->second.hopeless) out.worth_waiting = false;
  };
  consider(models_, x.models_[place]);
  if (auto server = server_of_.find(x.models_[place]); server != server_of_.end()) consider(servers_, server->second);
  return out;
}

route_step router::send(exchange& x, std::size_t place, route_time now) {
  while (x.at_ < place) x.move_on();
  ++x.attempts_;
  ++x.tries_;
  x.waits_ = 0;
  const auto& name = x.models_[place];
  // A model that rested is tried by one request; the others wait for what comes of it.
  if (auto& model = models_[name]; model.failures >= options_.breaker_failures)
    model.rests_until = now + options_.breaker_rest;
  return send_step{name, refused_[name]};
}

route_step router::wait(exchange& x, route_time until, route_time now) {
  if (++x.waits_ > most_waits) return end(x, now);
  // All that wait for the same pause must not come at its end together.
  auto apart = until > x.not_before_
                   ? std::min<route_pause>(options_.first_wait, std::chrono::ceil<route_pause>(until - now))
                   : route_pause{0};
  return wait_step{until + std::chrono::duration_cast<route_pause>(random_() * apart)};
}

route_step router::end(exchange& x, route_time now) const {
  if (x.last_) {
    auto failure = *x.last_;
    if (x.attempts_ > 1) failure.detail += "; it was the last of " + std::to_string(x.attempts_) + " attempts";
    return end_step{std::move(failure)};
  }
  messages::llm_failure failure{.kind = kind_of_failure::no_model, .detail = "no model can be asked now"};
  for (const auto& name : x.models_) {
    auto server = server_of_.find(name);
    for (const auto* all : {&models_, &servers_}) {
      auto found = all->find(all == &models_ ? name : server == server_of_.end() ? "" : server->second);
      if (found != all->end() && found->second.rests_until > now) failure.detail += "; " + found->second.why;
    }
  }
  return end_step{std::move(failure)};
}

// -- what became of it ------------------------------------------------------------------------------------------------

void router::failed(exchange& x, const send_step& sent, const messages::llm_failure& failure, route_time now) {
  x.last_ = failure;
  note_failure(sent.model, failure, now);
  switch (remedy_of(failure.kind)) {
    case remedy::caller: x.over_ = true; break;
    case remedy::drop_parameter: drop(x, sent, failure); break;
    case remedy::next_model: x.move_on(); break;
    case remedy::wait: wait_or_move_on(x, failure, now); break;
  }
}

void router::succeeded(const std::string& model) { models_[model] = {}; }

void router::note_failure(const std::string& model, const messages::llm_failure& failure, route_time now) {
  auto server = server_of_.find(model);
  auto& key = servers_[server == server_of_.end() ? model : server->second];
  auto& own = models_[model];
  switch (failure.kind) {
    case kind_of_failure::rate_limited:
      return rest(key, failure.retry_after.value_or(back_off(1)), false, failure.detail, now);
    case kind_of_failure::quota_exhausted:
    case kind_of_failure::unauthorized: return rest(key, options_.quota_rest, true, failure.detail, now);
    case kind_of_failure::forbidden:
    case kind_of_failure::not_found:
    case kind_of_failure::redirected: return rest(own, options_.quota_rest, true, failure.detail, now);
    default: break;
  }
  auto remedied = remedy_of(failure.kind);
  bool broken = (remedied == remedy::wait && !by_chance(failure.kind)) || failure.kind == kind_of_failure::tls_failed;
  if (broken && ++own.failures >= options_.breaker_failures)
    rest(own, options_.breaker_rest, true, failure.detail, now);
}

void router::rest(health& x, route_pause time, bool hopeless, const std::string& why, route_time now) {
  if (now + time < x.rests_until) return;
  x.rests_until = now + time;
  x.hopeless = hopeless;
  x.why = why;
}

void router::drop(exchange& x, const send_step& sent, const messages::llm_failure& failure) {
  if (failure.parameter.empty() || sent.without.contains(failure.parameter)) return x.move_on();  // it was not that
  refused_[sent.model].insert(failure.parameter);
  --x.attempts_;  // each parameter at most once: no loop
  --x.tries_;
}

void router::wait_or_move_on(exchange& x, const messages::llm_failure& failure, route_time now) {
  auto models = static_cast<std::uint32_t>(x.models_.size());
  auto share = (options_.attempts + models - 1) / models;
  auto patience = failure.retry_after.value_or(route_pause{0});
  bool last = x.at_ + 1 == x.models_.size();
  if (patience > options_.longest_wait || (x.tries_ >= share && !last)) return x.move_on();
  x.not_before_ = now + patience + (by_chance(failure.kind) ? route_pause{0} : back_off(x.tries_));
}

/// Full jitter: anything from nothing to the bound, which doubles.
route_pause router::back_off(std::uint32_t tries) {
  auto bound = options_.first_wait;
  for (std::uint32_t i = 1; i < tries && bound < options_.longest_wait; ++i) bound *= 2;
  return std::chrono::duration_cast<route_pause>(random_() * std::min(bound, options_.longest_wait));
}

}  // namespace llm_client
