#include "actors/cli/place.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>

#include "actors/executors.hpp"
#include "actors/logic/strategy.hpp"
#include "configs/offers.hpp"
#include "configs/python_check.hpp"
#include "configs/state_folder.hpp"
#include "configs/wording.hpp"

namespace actors::cli {

using namespace messages;
namespace fs = std::filesystem;

expected<place> find_place() {
  auto install = configs::find_install();
  if (!install) return tl::unexpected{install.error()};
  auto registry = load_registry(*install);
  if (!registry) return tl::unexpected{registry.error()};
  place here{*install, *registry, {}};
  here.known.device_kinds = device_kinds();
  for (const auto& x : (*registry)->languages()) here.known.dsls.push_back(x.manifest.name);
  here.known.strategies = logic::search_strategies();
  here.known.implementations = {"rules"};
  return here;
}

expected<system_place> open_system(const place& where, const common_options& common) {
  auto file = where.system_file(common.system);
  if (!file) return tl::unexpected{file.error()};
  auto config = configs::load_system_config(*file, where.known);
  if (!config) return tl::unexpected{config.error()};
  auto state = where.open_state(config->state_folder);
  if (!state) return tl::unexpected{state.error()};
  return system_place{where, *file, *config, *state};
}

expected<fs::path> place::open_state(const std::string& configured) const {
  auto folder = configs::state_folder_of(configured, configs::surroundings::of_this_process());
  if (!folder) return folder;
  return configs::open_state_folder(*folder);
}

namespace {

/// What the command's system config says of the state folder; empty: nothing.
expected<std::string> configured_state(const place& where, const common_options& common) {
  if (common.system.empty()) return std::string{};
  auto file = where.system_file(common.system);
  if (!file) return tl::unexpected{file.error()};
  auto config = configs::load_system_config(*file, where.known);
  if (!config) return tl::unexpected{config.error()};
  return config->state_folder;
}

}  // namespace

expected<fs::path> place::state_of(const common_options& common) const {
  auto configured = configured_state(*this, common);
  if (!configured) return tl::unexpected{configured.error()};
  return open_state(*configured);
}

expected<fs::path> place::state_to_read(const common_options& common) const {
  auto configured = configured_state(*this, common);
  if (!configured) return tl::unexpected{configured.error()};
  auto folder = configs::state_folder_of(*configured, configs::surroundings::of_this_process());
  if (!folder) return folder;
  return configs::state_folder_to_read(*folder);
}

expected<fs::path> place::system_file(const std::string& name) const {
  return configs::system_file(name.empty() ? "local" : name, fs::current_path(), install.systems());
}

expected<configs::found_python> look_for_python(const place& where, const common_options& common,
                                                const configs::system_config& config, bool quick) {
  configs::python_check_options check{.quick = quick, .script = where.install.check_python()};
  auto places = configs::python_places(common.python, config.worker.python, where.install,
                                       configs::surroundings::of_this_process());
  return configs::find_python(places, [&](const fs::path& x) { return configs::check_python(x, check); });
}

expected<void> check_tasks(const place& where, const common_options& common, const configs::system_config& config,
                           const std::vector<configs::task_to_check>& tasks) {
  if (!needs_workers(config)) return {};
  auto python = look_for_python(where, common, config, true);
  if (!python) return tl::unexpected{python.error()};
  return configs::check_tasks(tasks, {.python = python->place.path, .script = where.install.check_task()});
}

expected<void> check_dsls(const place& where, const std::vector<std::string>& dsls) {
  const auto& known = where.known.dsls;
  for (const auto& dsl : dsls)
    if (std::ranges::find(known, dsl) == known.end())
      return fail(failure_code::bad_input,
                  "--dsl: there is no DSL " + configs::in_quotes(dsl) + "; known: " + configs::listed(known));
  return {};
}

expected<void> check_devices(const configs::system_config& config, const std::vector<std::string>& devices) {
  for (const auto& device : devices)
    if (auto missing = configs::missing_device(device, config); !missing.empty())
      return fail(failure_code::bad_input, "--device: " + missing);
  for (const auto& device : devices)
    if (auto there = check_presence(device); !there)
      return fail(failure_code::bad_input, "--device: " + there.error().detail);
  return {};
}

void take_up_devices(const place& where, const fs::path& system_file, configs::system_config& config,
                     const std::vector<std::string>& devices) {
  std::error_code error;
  if (!fs::equivalent(system_file, where.install.systems() / "local.yaml", error)) return;
  if (std::ranges::none_of(devices, is_named_by_commands)) return;
  std::vector<configs::device_options> named;
  for (const auto& device : devices) {
    auto has_name = [&](const auto& x) { return x.name == device; };
    if (std::ranges::any_of(named, has_name)) continue;
    auto known = std::ranges::find_if(config.devices, has_name);
    if (known != config.devices.end())
      named.push_back(*known);
    else if (is_named_by_commands(device))
      named.push_back({.name = device});
  }
  config.devices = std::move(named);
}

fs::path kernelmesh_guard() {
  return configs::surroundings::of_this_process().executable.parent_path() / "kernelmesh-guard";
}

expected<node_options> set_up_node(const place& where, const common_options& common,
                                   const configs::system_config& config, const fs::path& state) {
  node_options setup{.config = config, .install = where.install, .state_folder = state};
  setup.guard = kernelmesh_guard();
  if (common.unsafe_no_sandbox) setup.config.sandbox.level = configs::sandbox_need::unsafe_none;
  if (!needs_workers(config)) return setup;
  auto found = look_for_python(where, common, config, true);
  if (!found) return tl::unexpected{found.error()};
  setup.python = found->place.path;
  return setup;
}

run_id new_run_id() {
  auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char day[32], id[64];
  std::strftime(day, sizeof day, "%Y%m%d-%H%M%S", &parts);
  std::snprintf(id, sizeof id, "%s-%04x", day, std::random_device{}() & 0xffffu);
  return {id};
}

}  // namespace actors::cli
