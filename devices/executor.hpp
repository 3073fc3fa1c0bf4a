#pragma once
// Whoever really does the work of a stage: a device with its workers, a compiler, a simulation. Plain code; an actor
// stands in front of each.

#include <functional>
#include <string>

#include "messages/records/stage.hpp"

namespace devices {

/// What an executor reports, from any thread. Whoever gets them only posts.
struct stage_events {
  /// Exactly once. The failure `interrupted` gives a stage back that had not begun: no attempt of it is lost.
  std::function<void(messages::stage_outcome)> ended;
  std::function<void(messages::stage_progress)> progress;  ///< any number, before `ended`
};

/// Reports of the executor itself, from any thread.
struct executor_events {
  /// It can take stages. Comes again after `down`.
  std::function<void()> ready;
  /// It cannot take stages for now, and why; stages that ran have ended with failures. It tries by itself to come back.
  /// The failure `interrupted`: it was asked to give something up, which is no loss.
  std::function<void(messages::failure)> down;
};

/// Does what it is told at once, side by side: which stages may overlap is decided by the scheduler.
/// Every member may be called from any thread. The destructor ends all work and processes; nothing is reported after
/// it.
class executor {
public:
  virtual ~executor() = default;

  /// Starts it. Not called twice.
  virtual void start(executor_events events) = 0;

  /// Runs one attempt of a stage. Blobs are read from and put into the store that the executor was made with.
  virtual void run(const messages::stage_request& request, stage_events events) = 0;

  /// Gives up a stage: it ends as `cancelled`, unless it has ended already. Unknown stages are ignored.
  virtual void cancel(const messages::stage_id& stage) = 0;

  /// Of what it builds with, "g++ 12.2.0"; part of cache keys; empty before `ready` and for devices.
  virtual std::string toolchain() const { return {}; }
};

}  // namespace devices
