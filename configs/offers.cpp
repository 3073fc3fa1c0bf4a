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

/// "cpu:0" of "NODE/cpu:0" on this node; empty where another node is meant.
std::string device_here(const std::string& device, const system_config& system) {
  auto slash = device.find('/');
  if (slash == std::string::npos) return device;
  return device.substr(0, slash) == system.node ? device.substr(slash + 1) : "";
}

std::vector<std::string> implementations_of(const std::string& role, const agents_options& agents) {
  if (role == "planner") return agents.planner.implementations;
  if (role == "coder") return agents.coder.implementations;
  return agents.debugger.implementations;
}

}  // namespace

std::vector<std::string> missing_offers(const messages::run_spec& spec, const system_config& system) {
  auto devices = names(system.devices, &device_options::name);
  auto dsls = names(system.compilers, &compiler_options::dsl);
  std::vector<std::string> out;
  for (auto& job : spec.jobs) {
    auto device = device_here(job.target.device.value, system);
    if (!device.empty() && !contains(devices, device))
      add_once(out, "no device " + in_quotes(device) + " in the system config; it has " + listed(devices));
    if (auto& dsl = job.target.dsl; !dsl.empty() && !contains(dsls, dsl))
      add_once(out, "no compiler for " + in_quotes(job.target.dsl) + " in the system config; it has " + listed(dsls));
    for (auto& [role, implementation] : job.agents)
      if (auto offered = implementations_of(role, system.agents); !contains(offered, implementation))
        add_once(out,
                 "no " + role + " " + in_quotes(implementation) + " in the system config; it has " + listed(offered));
  }
  return out;
}

}  // namespace configs
