#pragma once
// From a run config to its jobs.

#include <cstdint>

#include "configs/run_config.hpp"
#include "messages/blobs/blob_store.hpp"

namespace configs {

/// Jobs one run may have.
constexpr std::size_t most_jobs = 100'000;

/// Tasks x targets x variants x repeats, in this order, with ids such as "relu.cpu_0.cpp.default.1": the same config
/// gives the same ids and seeds. Tasks of one name get "relu-2"; a file that two entries or globs name alike counts
/// once. The tasks are put into the store. Failures: misconfigured (every problem of tasks and targets in one go),
/// storage.
messages::expected<messages::run_spec> resolve(const run_config& config, const messages::run_id& run,
                                               const blobs::blob_store& blobs);

/// Of one job; differs between jobs and between runs' seeds.
std::uint64_t seed_of(std::uint64_t run_seed, const messages::job_id& job);

}  // namespace configs
