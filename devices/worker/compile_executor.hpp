#pragma once
// The compiler of one DSL: compile and static stages, done by a Python worker with the DSL's adapter.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "devices/executor.hpp"
#include "devices/worker/worker_family.hpp"
#include "messages/blobs/blob_store.hpp"

namespace devices::worker {

struct compile_executor_options {
  std::string dsl;                ///< for messages
  std::filesystem::path adapter;  ///< the DSL's adapter.py
  worker_python python;
  std::uint32_t side_by_side = 0;                 ///< builds at a time; 0: one a core
  std::chrono::milliseconds start_limit{60'000};  ///< of the worker

  messages::expected<void> validate() const;
};

/// A build that takes almost as long as its stage may run is ended, and the candidate rejected with `timeout`.
/// Each build has a private folder that goes away with it; the artifact goes into the store.
/// A static stage is a build whose warnings and errors are its findings; it rejects nothing.
messages::expected<std::unique_ptr<executor>> make_compile_executor(std::shared_ptr<worker_hub> hub,
                                                                    const blobs::blob_store& store,
                                                                    const compile_executor_options& options);

}  // namespace devices::worker
