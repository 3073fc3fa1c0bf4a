#pragma once
// A compiler without a toolchain, for tests and rehearsals of whole runs.

#include <memory>
#include <string>

#include "devices/executor.hpp"
#include "devices/simulated/simulation.hpp"
#include "devices/timer.hpp"
#include "messages/blobs/blob_store.hpp"

namespace devices::simulated {

struct simulated_compiler_options {
  std::string dsl = "cpp";  ///< for messages
  simulation_options world;

  messages::expected<void> validate() const { return world.validate(); }
};

/// Compile puts a small artifact into the store, static finds nothing; other stages end with `no_resource`.
/// @param time outlives the compiler
messages::expected<std::unique_ptr<executor>> make_simulated_compiler(const blobs::blob_store& store, timer& time,
                                                                      const simulated_compiler_options& options);

}  // namespace devices::simulated
