#pragma once
// Where a command works: the install, the state folder, and what configs may name.

#include <filesystem>
#include <memory>
#include <string>

#include "actors/cli/options.hpp"
#include "actors/system.hpp"
#include "configs/python_search.hpp"
#include "configs/run_config.hpp"
#include "configs/task_check.hpp"

namespace actors::cli {

struct place {
  configs::install_paths install;
  std::shared_ptr<const dsl::registry> registry;
  configs::known_names known;

  /// The state folder, made where it is missing. @param configured of the system config
  messages::expected<std::filesystem::path> open_state(const std::string& configured) const;

  /// As the system config that the command names says; without one as open_state({}).
  messages::expected<std::filesystem::path> state_of(const common_options& common) const;

  /// The same for commands that only read: it need not be writable.
  messages::expected<std::filesystem::path> state_to_read(const common_options& common) const;

  /// `name` is a name or a path; empty: local.
  messages::expected<std::filesystem::path> system_file(const std::string& name) const;
};

messages::expected<place> find_place();

/// What a command that makes a run of flags works with: the system config that it names, and its state folder.
struct system_place {
  place where;
  std::filesystem::path system_file;
  configs::system_config config;
  std::filesystem::path state;
};

messages::expected<system_place> open_system(const place& where, const common_options& common);

/// The interpreter for workers, checked. @param quick versions from metadata, without importing torch
messages::expected<configs::found_python> look_for_python(const place& where, const common_options& common,
                                                          const configs::system_config& config, bool quick);

/// Looks at the text of tasks with the workers' Python; not at all where the config needs no workers. Failures:
/// bad_input, FILE:LINE where there is one; misconfigured (no such Python).
messages::expected<void> check_tasks(const place& where, const common_options& common,
                                     const configs::system_config& config,
                                     const std::vector<configs::task_to_check>& tasks);

/// The devices that a command names, each with every DSL that it names and that writes for the device; with no DSL
/// named, all that do. Failure: bad_input, which names the flag --dsl and the DSLs that there are: one that is unknown,
/// one that writes for none of the devices, a device for which none writes.
messages::expected<std::vector<messages::target>> targets_of(const place& where,
                                                             const std::vector<std::string>& devices,
                                                             const std::vector<std::string>& dsls);

/// Failure: bad_input, which names the flag --device and the devices that there are.
messages::expected<void> check_devices(const configs::system_config& config, const std::vector<std::string>& devices);

/// The config of this machine, where no other one is named, has the devices and compilers that a command names: devices
/// of kinds that only some machines have come in, and what is not named starts no workers then.
void take_up(const place& where, const std::filesystem::path& system_file, configs::system_config& config,
             const std::vector<messages::target>& targets);

/// Of a run config: with what its targets name, as `take_up` says.
messages::expected<configs::system_config> system_of(const place& where, const configs::run_config& config);

/// Devices of targets are there, and each of their DSLs has kernels that run on them. Failure: misconfigured,
/// FILE:LINE.
/// @param system with `listen`, devices may be on other machines: they are not looked for on this one
messages::expected<void> check_fit(const place& where, const configs::run_config& config,
                                   const configs::system_config& system);

/// The program that lies beside this one.
std::filesystem::path kernelmesh_guard();

/// What a node needs, all but `on_event`: the workers' Python is checked, none where the config needs no workers.
/// Failure: misconfigured, with the remedy.
messages::expected<node_options> set_up_node(const place& where, const common_options& common,
                                             const configs::system_config& config, const std::filesystem::path& state);

/// "20261128-061502-9f3a": sorts by time, and two at once differ.
messages::run_id new_run_id();

}  // namespace actors::cli
