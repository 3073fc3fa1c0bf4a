#pragma once
// From a config's devices and compilers to executors: the one place that lists the kinds of device.

#include <filesystem>
#include <memory>

#include "actors/stage_runner.hpp"
#include "configs/system_config.hpp"
#include "devices/worker/worker_hub.hpp"
#include "devices/worker/worker_python.hpp"
#include "dsl/manifest.hpp"
#include "messages/blobs/blob_store.hpp"

namespace actors {

/// What executors are made with. The hub is there only if some executor needs worker processes.
struct executor_surroundings {
  blobs::blob_store store;
  std::shared_ptr<devices::worker::worker_hub> hub;
  devices::worker::worker_python python;
  std::shared_ptr<const dsl::registry> languages;
  std::filesystem::path calibrations;  ///< folder for what devices were found to do
};

/// How stages of a device may overlap.
struct device_lanes {
  std::uint32_t slots = 1;
  bool uses_node_cores = true;
  bool exclusive_on_node = false;
  bool may_prefetch = true;  ///< false: what waits beside a stage that ends the judge would pay for it
};

struct device_plan {
  executor_factory make;
  device_lanes lanes;
};

/// Names of the kinds of device that are built in.
std::vector<std::string> device_kinds();

/// Names of the config's devices whose work is done by worker processes.
std::vector<std::string> devices_with_workers(const configs::system_config& config);

/// Is it of a kind that only some machines have, so that no config names one by default? Its number is looked for when
/// a command names it.
bool is_named_by_commands(const std::string& device);

/// Is there such a device on this machine, of a kind that only some machines have? Failure: misconfigured, with what
/// there is.
messages::expected<void> check_presence(const std::string& device);

bool needs_workers(const configs::system_config& config);

/// Failures: misconfigured, with the known kinds or DSLs.
messages::expected<device_plan> plan_device(const configs::device_options& device, const executor_surroundings& around);
messages::expected<executor_factory> plan_compiler(const configs::compiler_options& compiler,
                                                   const executor_surroundings& around);

}  // namespace actors
