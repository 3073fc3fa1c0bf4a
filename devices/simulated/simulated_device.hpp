#pragma once
// A device without Python or hardware, for tests and rehearsals of whole runs.

#include <memory>

#include "devices/executor.hpp"
#include "devices/simulated/simulation.hpp"
#include "devices/timer.hpp"
#include "messages/blobs/blob_store.hpp"

namespace devices::simulated {

struct simulated_device_options {
  messages::device_name name{"simulated:0"};
  simulation_options world;

  messages::expected<void> validate() const { return world.validate(); }
};

/// Trace gives the op graph of a ReLU over [1024, 1024], whatever the task says; verify and time give what the
/// simulation says of the candidate and its knobs; other stages end with `no_resource`.
/// A request that names no task or manifest is taken as one without name or knobs.
/// @param time outlives the device
messages::expected<std::unique_ptr<executor>> make_simulated_device(const blobs::blob_store& store, timer& time,
                                                                    const simulated_device_options& options);

}  // namespace devices::simulated
