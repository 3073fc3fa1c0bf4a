#pragma once
// Runs stages in a simulation: waits, fails and goes down as it says. What a finished stage found out is its craft.

#include <functional>
#include <memory>
#include <string>

#include "devices/executor.hpp"
#include "devices/simulated/simulation.hpp"
#include "devices/timer.hpp"

namespace devices::simulated {

/// Called from the thread that runs a stage or the timer's, one at a time.
using simulated_craft = std::function<messages::stage_outcome(const messages::stage_request&)>;

/// Has no thread: a stage without latency ends inside `run`, everything else inside the timer's calls.
class simulated_executor final : public executor {
public:
  /// @param time outlives the executor
  simulated_executor(const simulation_options& options, std::string name, std::string toolchain, timer& time,
                     simulated_craft craft);
  ~simulated_executor() override;

  void start(executor_events events) override;
  void run(const messages::stage_request& request, stage_events events) override;
  void cancel(const messages::stage_id& stage) override;
  std::string toolchain() const override { return toolchain_; }

private:
  struct core;
  std::shared_ptr<core> core_;  // calls of the timer may come after our end
  std::string toolchain_;
};

}  // namespace devices::simulated
