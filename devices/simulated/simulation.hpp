#pragma once
// The world that simulated devices and compilers live in: how long things take, what goes wrong, how good a candidate
// is. Everything follows from the seed and the names of things, so a run can be repeated.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "messages/records/failure.hpp"
#include "messages/records/plan.hpp"
#include "messages/records/stage.hpp"

namespace devices::simulated {

struct simulation_options {
  std::uint64_t seed = 0;
  std::map<messages::stage_kind, std::chrono::microseconds> latency;  ///< of kinds not named: 0
  double jitter = 0.2;                                                ///< of a latency, relative, to both sides; 0 to 1

  // Of an attempt of a stage. Probabilities, 0 to 1; together at most 1.
  double infrastructure_failure = 0;  ///< it ends with a failure after its latency
  double down = 0;                    ///< the whole executor is lost halfway, and is back after `down_for`
  double hang = 0;                    ///< nothing happens until the run limit
  std::chrono::milliseconds down_for{1'000};

  // Of a candidate, in every attempt the same.
  double compile_error = 0;
  double wrong_values = 0;
  double crash = 0;

  messages::expected<void> validate() const;
};

enum class attempt_fate : std::uint8_t { finishes, fails, goes_down, hangs };

/// Pure.
class simulation {
public:
  explicit simulation(const simulation_options& options) : options_(options) {}

  attempt_fate fate_of(const messages::stage_request& request) const;
  std::chrono::microseconds latency_of(const messages::stage_request& request) const;

  bool has_compile_error(const messages::candidate_id& x) const { return happens(options_.compile_error, "c", x); }
  bool has_wrong_values(const messages::candidate_id& x) const { return happens(options_.wrong_values, "w", x); }
  bool crashes(const messages::candidate_id& x) const { return happens(options_.crash, "x", x); }

  /// Time of one call. Each knob has a best value that a search can find; the candidate itself matters a little too.
  double candidate_ms(const messages::candidate_id& candidate, const messages::knob_values& knobs) const;
  double eager_ms() const { return 1.0; }

  const simulation_options& options() const { return options_; }

private:
  double dice(std::string_view what, std::string_view of) const;  // 0 to 1, without 1
  bool happens(double probability, std::string_view what, const messages::candidate_id& x) const {
    return dice(what, x.value) < probability;
  }
  double slowdown(const std::string& knob, const messages::knob_value& value) const;

  simulation_options options_;
};

}  // namespace devices::simulated
