#include "llm_client/router.hpp"

#include <doctest/doctest.h>

namespace router_test {

using namespace llm_client;
using namespace std::chrono_literals;
using kind = messages::llm_failure_kind;

namespace {

/// Two servers: one with the models a and b, one with c. Randomness is always at its end.
struct played {
  configs::llm_retry_options options;
  router routes{options, {{"a", "one"}, {"b", "one"}, {"c", "two"}}, [] { return 1.0; }};
  route_time now{1h};

  explicit played(configs::llm_retry_options with = {}) : options(with) {}

  messages::llm_failure failure(kind k, std::optional<std::chrono::milliseconds> patience = {}) const {
    return {.kind = k, .detail = "it failed", .retry_after = patience};
  }

  /// "a", "wait 2000", "end KIND"
  std::string next(exchange& x) {
    auto step = routes.next(x, now);
    if (auto* send = std::get_if<send_step>(&step)) return sent = *send, send->model;
    if (auto* wait = std::get_if<wait_step>(&step)) {
      auto time = std::chrono::duration_cast<std::chrono::milliseconds>(wait->until - now);
      return now = wait->until, "wait " + std::to_string(time.count());
    }
    ended = std::get<end_step>(step).failure;
    return "end " + std::string{enum_names(ended.kind)[static_cast<std::size_t>(ended.kind)]};
  }

  /// All steps of a request whose every attempt fails so.
  std::string play(exchange& x, const messages::llm_failure& f) {
    std::string steps;
    for (int i = 0; i < 100; ++i) {
      auto step = next(x);
      steps += (steps.empty() ? "" : ", ") + step;
      if (step.starts_with("end")) return steps;
      if (!step.starts_with("wait")) routes.failed(x, sent, f, now);
    }
    return steps + ", ...";
  }

  void fail(exchange& x, const messages::llm_failure& f) { routes.failed(x, sent, f, now); }

  send_step sent;
  messages::llm_failure ended;
};

}  // namespace

TEST_CASE("waits double up to their bound, and attempts end") {
  played p{{.attempts = 4, .breaker_failures = 100}};
  exchange x{{"a"}};
  CHECK(p.play(x, p.failure(kind::server_error)) == "a, wait 1000, a, wait 2000, a, wait 4000, a, end server_error");
  CHECK(p.ended.detail == "it failed; it was the last of 4 attempts");
  exchange y{{"a"}};
  p.options.longest_wait = 1500ms;
  router bounded{p.options, {}, [] { return 0.5; }};
  p.routes = bounded;
  CHECK(p.play(y, p.failure(kind::overloaded)) == "a, wait 500, a, wait 750, a, wait 750, a, end overloaded");
}

TEST_CASE("attempts are shared among the models of the list") {
  played p{{.attempts = 3, .breaker_failures = 100}};
  exchange x{{"a", "c"}};
  CHECK(p.play(x, p.failure(kind::cut_stream)) == "a, wait 1000, a, c, end cut_stream");
}

TEST_CASE("what waiting does not help goes to the next model at once, and ends at the last") {
  for (auto k : {kind::quota_exhausted, kind::unauthorized, kind::not_found, kind::tls_failed, kind::content_filter,
                 kind::redirected, kind::total_timeout, kind::bad_request}) {
    played p;
    exchange x{{"a", "c"}};
    CHECK(p.play(x, p.failure(k)).starts_with("a, c, end "));
  }
}

TEST_CASE("what only the caller can help is not tried again, nor elsewhere") {
  for (auto k : {kind::context_too_long, kind::output_limit, kind::cancelled}) {
    played p;
    exchange x{{"a", "c"}};
    CHECK(p.play(x, p.failure(k)).starts_with("a, end "));
    CHECK(remedy_of(k) == remedy::caller);
  }
}

TEST_CASE("a Retry-After is the least, with jitter above it, and pauses the whole key") {
  played p;
  exchange x{{"a"}}, other{{"b"}}, elsewhere{{"c"}};
  CHECK(p.next(x) == "a");
  p.fail(x, p.failure(kind::rate_limited, 20s));
  CHECK(p.next(elsewhere) == "c");
  auto begin = p.now;
  CHECK(p.next(other).starts_with("wait "));
  CHECK(p.now - begin >= 20s);
  CHECK(p.next(other) == "b");
  p.now = begin;
  CHECK(p.next(x) == "wait 21000");
}

TEST_CASE("a server that asks for more patience than the longest wait is left for the next model") {
  played p;
  exchange x{{"a", "c"}}, last{{"a"}};
  CHECK(p.next(x) == "a");
  p.fail(x, p.failure(kind::rate_limited, 5min));
  CHECK(p.next(x) == "c");
  CHECK(p.next(last) == "end no_model");
  CHECK(p.ended.detail == "no model can be asked now; it failed");
  p.now += 5min;
  CHECK(p.next(last) == "a");
}

TEST_CASE("a key without money rests, and its other models with it") {
  played p;
  exchange x{{"a", "b", "c"}};
  CHECK(p.next(x) == "a");
  p.fail(x, p.failure(kind::quota_exhausted));
  CHECK(p.next(x) == "c");
  exchange later{{"b"}};
  CHECK(p.next(later) == "end no_model");
  p.now += p.options.quota_rest;
  exchange after{{"b"}};
  CHECK(p.next(after) == "b");
}

TEST_CASE("a model that fails in a row rests; then one request tries it, and others only after it worked") {
  played p{{.attempts = 2, .breaker_failures = 2}};
  exchange x{{"a"}};
  CHECK(p.play(x, p.failure(kind::server_error)).starts_with("a, wait"));
  exchange with_other{{"a", "c"}}, alone{{"a"}}, next{{"a"}};
  CHECK(p.next(with_other) == "c");
  CHECK(p.next(alone).starts_with("wait 3"));
  CHECK(p.next(alone) == "a");
  exchange meanwhile{{"a", "c"}};
  CHECK(p.next(meanwhile) == "c");
  p.routes.succeeded("a");
  CHECK(p.next(next) == "a");
}

TEST_CASE("failures by chance break nothing and wait for nothing") {
  played p{{.attempts = 4, .breaker_failures = 1}};
  exchange x{{"a"}};
  CHECK(p.play(x, p.failure(kind::schema_mismatch)) == "a, a, a, a, end schema_mismatch");
}

TEST_CASE("a refused parameter is dropped once, costs no attempt and is remembered by its model") {
  played p{{.attempts = 1}};
  auto refused = p.failure(kind::parameter_refused);
  refused.parameter = "temperature";
  exchange x{{"a"}};
  CHECK(p.next(x) == "a");
  CHECK(p.sent.without.empty());
  p.fail(x, refused);
  CHECK(p.next(x) == "a");
  CHECK(p.sent.without == parameter_set{"temperature"});
  p.fail(x, refused);
  CHECK(p.next(x) == "end parameter_refused");
  exchange later{{"a"}}, of_another{{"c"}};
  CHECK(p.next(later) == "a");
  CHECK(p.sent.without.contains("temperature"));
  CHECK(p.next(of_another) == "c");
  CHECK(p.sent.without.empty());
  CHECK(p.routes.refused().at("a").contains("temperature"));
}

TEST_CASE("a request does not wait for ever for pauses that others make longer") {
  played p;
  exchange patient{{"a"}};
  for (int i = 0; i < 100; ++i) {
    exchange x{{"b"}};
    send_step sent{"b", {}};
    p.routes.failed(x, sent, p.failure(kind::rate_limited, 50s), p.now);
    if (p.next(patient).starts_with("end")) break;
    p.now -= 10s;
    CHECK(i < 50);
  }
  CHECK(p.ended.kind == kind::no_model);
}

}  // namespace router_test
