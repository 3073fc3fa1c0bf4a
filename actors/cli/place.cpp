#include "actors/cli/place.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <set>

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

namespace {

using configs::in_quotes, configs::listed;

std::string kind_of(const std::string& device) { return configs::kind_of(device.substr(device.find('/') + 1)); }

/// DSLs that write for the kind, of those that are named; of all where none is.
std::vector<std::string> writers(const place& where, const std::string& kind, const std::vector<std::string>& named) {
  std::vector<std::string> out;
  for (const auto& x : where.registry->languages()) {
    bool wanted = named.empty() || std::ranges::find(named, x.manifest.name) != named.end();
    if (wanted && x.targets(kind)) out.push_back(x.manifest.name);
  }
  return out;
}

/// The first device of each kind that some DSL writes for.
std::vector<std::string> usual_devices(const place& where) {
  std::set<std::string> all;
  for (const auto& x : where.registry->languages())
    for (const auto& kind : x.manifest.devices) all.insert(kind + ":0");
  return {all.begin(), all.end()};
}

std::string no_kernel(const place& where, const std::string& device, const std::vector<std::string>& dsls) {
  auto all = writers(where, kind_of(device), {});
  return "no kernel in " + listed(dsls) + " runs on " + in_quotes(device) + "; those in " + listed(all) + " do";
}

}  // namespace

expected<std::vector<target>> targets_of(const place& where, const std::vector<std::string>& devices,
                                         const std::vector<std::string>& dsls) {
  for (const auto& dsl : dsls)
    if (!where.registry->find(dsl))
      return fail(failure_code::bad_input,
                  "--dsl: there is no DSL " + in_quotes(dsl) + "; known: " + listed(where.known.dsls));
  std::vector<target> out;
  std::set<std::string> used;
  for (const auto& device : std::set(devices.begin(), devices.end())) {
    auto fit = writers(where, kind_of(device), dsls);
    if (fit.empty() && writers(where, kind_of(device), {}).empty())
      return fail(failure_code::bad_input, "--device: no DSL has kernels that run on " + in_quotes(device)
                                               + "; they run on " + listed(usual_devices(where)));
    if (fit.empty()) return fail(failure_code::bad_input, "--dsl: " + no_kernel(where, device, dsls));
    for (const auto& dsl : fit) out.push_back({{device}, dsl, ""});
    used.insert(fit.begin(), fit.end());
  }
  for (const auto& dsl : dsls)
    if (!used.contains(dsl))
      return fail(failure_code::bad_input, "--dsl: no kernel in " + in_quotes(dsl) + " runs on " + listed(devices)
                                               + "; they run on "
                                               + listed(where.registry->find(dsl)->manifest.devices));
  return out;
}

expected<void> check_devices(const configs::system_config& config, const std::vector<std::string>& devices) {
  for (const auto& device : devices)
    if (auto missing = configs::missing_device(device, config); !missing.empty())
      return fail(failure_code::bad_input, "--device: " + missing);
  for (const auto& device : devices)
    if (auto there = check_presence(device); !there)
      return fail(there.error().code, "--device: " + there.error().detail);
  return {};
}

void take_up(const place& where, const fs::path& system_file, configs::system_config& config,
             const std::vector<target>& targets) {
  std::error_code error;
  if (!fs::equivalent(system_file, where.install.systems() / "local.yaml", error)) return;
  std::set<std::string> devices, dsls;
  for (const auto& x : targets) {
    devices.insert(x.device.value);
    if (!x.dsl.empty()) dsls.insert(x.dsl);
  }
  for (const auto& dsl : dsls)
    if (std::ranges::find(config.compilers, dsl, &configs::compiler_options::dsl) == config.compilers.end())
      config.compilers.push_back({.dsl = dsl});
  if (std::ranges::none_of(devices, is_named_by_commands)) return;
  std::erase_if(config.compilers, [&](const auto& x) { return !dsls.contains(x.dsl); });
  std::vector<configs::device_options> named;
  for (const auto& device : devices) {
    auto known = std::ranges::find(config.devices, device, &configs::device_options::name);
    if (known != config.devices.end())
      named.push_back(*known);
    else if (is_named_by_commands(device))
      named.push_back({.name = device});
  }
  config.devices = std::move(named);
}

expected<configs::system_config> system_of(const place& where, const configs::run_config& config) {
  auto system = configs::system_of(config, where.install.systems(), where.known);
  auto* name = std::get_if<std::string>(&config.system);
  if (!system || !name) return system;
  auto file = configs::system_file(*name, config.base(), where.install.systems());
  if (!file) return tl::unexpected{file.error()};
  std::vector<target> targets;
  for (const auto& x : config.targets)
    for (const auto& device : x.device)
      for (const auto& dsl : x.dsl) targets.push_back({{device}, dsl, x.arch});
  take_up(where, *file, *system, targets);
  return system;
}

expected<void> check_fit(const place& where, const configs::run_config& config, const configs::system_config& system) {
  bool here = system.listen.address.empty();
  configs::problem_list problems{config.file.string()};
  for (const auto& x : config.targets)
    for (const auto& device : x.device) {
      if (auto there = check_presence(device); here && !there) problems.add(x.at, there.error().detail);
      for (const auto& dsl : x.dsl)
        if (!where.registry->find(dsl)->targets(kind_of(device))) problems.add(x.at, no_kernel(where, device, {dsl}));
    }
  if (problems.empty()) return {};
  return tl::unexpected{problems.as_failure()};
}

fs::path kernelmesh_guard() {
  return configs::surroundings::of_this_process().executable.parent_path() / "kernelmesh-guard";
}

expected<node_options> set_up_node(const place& where, const common_options& common,
                                   const configs::system_config& config, const fs::path& state) {
  node_options setup{.config = config, .install = where.install, .state_folder = state};
  setup.guard = kernelmesh_guard();
  setup.build = "kernelmesh " KERNELMESH_VERSION;
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
