#pragma once
// Whether a system can do what a run asks for.

#include <string>
#include <vector>

#include "configs/run_config.hpp"
#include "configs/system_config.hpp"
#include "messages/records/run.hpp"

namespace configs {

/// Targets and agents of the run that the system config does not offer, one sentence each; empty if all are there. A
/// device of another node is one of them. Where nodes may join (`listen`) they may bring devices and compilers, so none
/// is missing. A job without a DSL needs no compiler.
std::vector<std::string> missing_offers(const messages::run_spec& spec, const system_config& system);

/// Failure: misconfigured, with FILE:LINE of each target's device that the system config does not have.
messages::expected<void> check_targets(const run_config& config, const system_config& system);

/// Says what of "cpu:0" or "NODE/cpu:0" the system config does not have, and what it has; empty if it is there.
std::string missing_device(const std::string& device, const system_config& system);

}  // namespace configs
