#include "configs/offers.hpp"

#include <algorithm>

#include "configs/wording.hpp"

namespace configs {

namespace {

template <class T>
std::vector<std::string> names(const std::vector<T>& list, std::string T::*name) {
  std::vector<std::string> out;
  for (auto& x : list) out.push_back(x.*name);
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

void add_once(std::vector<std::string>& list, std::string sentence) {
  if (!contains(list, sentence)) list.push_back(std::move(sentence));
}

std::vector<std::string> implementations_of(const std::string& role, const agents_options& agents) {
  if (role == "planner") return agents.planner.implementations;
  if (role == "coder") return agents.coder.implementations;
  return agents.debugger.implementations;
}

}  // namespace

std::string missing_device(const std::string& device, const system_config& system) {
  if (!system.listen.address.empty()) return "";  // a node may bring it
  auto slash = device.find('/');
  if (slash != std::string::npos && device.substr(0, slash) != system.node)
    return "no node " + in_quotes(device.substr(0, slash)) + " in the system config; its node is "
           + in_quotes(system.node);
  auto plain = device.substr(slash + 1);  // npos + 1 is 0
  auto devices = names(system.devices, &device_options::name);
  if (contains(devices, plain)) return "";
  return "no device " + in_quotes(plain) + " in the system config; it has "
         + (devices.empty() ? "none" : listed(devices));
}

messages::expected<void> check_targets(const run_config& config, const system_config& system) {
  problem_list problems{config.file.string()};
  for (const auto& target : config.targets)
    for (const auto& device : target.device)
      if (auto missing = missing_device(device, system); !missing.empty()) problems.add(target.at, missing);
  if (problems.empty()) return {};
  return tl::unexpected{problems.as_failure()};
}

std::vector<std::string> missing_offers(const messages::run_spec& spec, const system_config& system) {
  auto dsls = names(system.compilers, &compiler_options::dsl);
  std::vector<std::string> out;
  for (auto& job : spec.jobs) {
    if (auto missing = missing_device(job.target.device.value, system); !missing.empty()) add_once(out, missing);
    bool may_come = !system.listen.address.empty();
    if (auto& dsl = job.target.dsl; !may_come && !dsl.empty() && !contains(dsls, dsl))
      add_once(out, "no compiler for " + in_quotes(job.target.dsl) + " in the system config; it has "
                        + (dsls.empty() ? "none" : listed(dsls)));
    for (auto& [role, implementation] : job.agents)
      if (auto offered = implementations_of(role, system.agents); !contains(offered, implementation))
        add_once(out,
                 "no " + role + " " + in_quotes(implementation) + " in the system config; it has " + listed(offered));
  }
  return out;
}

}  // namespace configs
