#pragma once
// The model of a device that only pretends: how long it takes, how often it fails.

#include <cstdint>

#include "messages/records/verdict.hpp"

namespace configs {

/// Milliseconds a stage takes on average, by its kind.
struct simulated_latency {
  double trace = 2, static_check = 0.5, compile = 10, verify = 5, time = 10, profile = 10;
  double of(messages::stage_kind kind) const;
  void keys(auto& k);
};

/// Probabilities that one attempt of a stage ends so.
struct simulated_failures {
  double infrastructure = 0;  ///< this attempt fails, the device goes on
  double down = 0;            ///< the device goes down and comes back
  double hang = 0;            ///< it never ends by itself
  double compile_error = 0;   ///< of compile
  double wrong_values = 0;    ///< of verify
  double crash = 0;           ///< of verify and time
  void keys(auto& k);
};

struct simulated_options {
  simulated_latency latency_ms;
  double jitter = 0.2;  ///< a latency varies by so much of itself, up and down
  simulated_failures failures;
  std::uint64_t seed = 1;  ///< same seed, same behaviour
  void keys(auto& k);
};

}  // namespace configs
