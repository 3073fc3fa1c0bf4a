#pragma once
// What an executor reports, awaited.

#include "devices/executor.hpp"
#include "tests/devices/worker/workers.hpp"

namespace tests {

struct executor_reports {
  mailbox<int> ready;
  mailbox<messages::failure> down;
  mailbox<messages::stage_progress> progress;

  devices::executor_events events() {
    return {.ready = [this] { ready.put(1); }, .down = [this](messages::failure x) { down.put(std::move(x)); }};
  }

  /// Runs a stage to its end.
  messages::stage_outcome run(devices::executor& on, const messages::stage_request& request) {
    mailbox<messages::stage_outcome> outcomes;
    on.run(request, {.ended = [&](messages::stage_outcome x) { outcomes.put(std::move(x)); },
                     .progress = [this](messages::stage_progress x) { progress.put(std::move(x)); }});
    return outcomes.await();
  }
};

/// The finding of that kind, which the outcome must be.
template <class T>
T finding_of(const messages::stage_outcome& outcome) {
  if (auto failed = std::get_if<messages::failure>(&outcome)) FAIL("a failure: ", failed->detail);
  auto verdict = std::get_if<messages::verdict>(&outcome);
  REQUIRE(verdict != nullptr);
  if (auto rejected = std::get_if<messages::rejected>(&verdict->finding);
      rejected && !std::is_same_v<T, messages::rejected>)
    FAIL("rejected: ", rejected->failure.message);
  REQUIRE(std::holds_alternative<T>(verdict->finding));
  return std::get<T>(verdict->finding);
}

inline messages::failure failure_of(const messages::stage_outcome& outcome) {
  REQUIRE(std::holds_alternative<messages::failure>(outcome));
  return std::get<messages::failure>(outcome);
}

}  // namespace tests
