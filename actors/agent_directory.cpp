#include "actors/agent_directory.hpp"

#include "actors/agent_pool.hpp"
#include "actors/coder.hpp"
#include "actors/debugger.hpp"
#include "actors/planner.hpp"

namespace actors {

using namespace messages;

namespace {

template <class Handle>
using agent_makers = std::map<std::string, Handle (*)(caf::actor_system&, const rules_agent_options&)>;

/// A new implementation is a line in `makers`.
template <class Handle>
agent_choices<Handle> spawn_pools(caf::actor_system& system, const configs::agent_options& options,
                                  const rules_agent_options& rules, const agent_makers<Handle>& makers) {
  agent_choices<Handle> choices;
  if (!options.implementations.empty()) choices.standard = options.implementations.front();
  for (const auto& name : options.implementations)
    if (auto make = makers.find(name); make != makers.end())  // the config was checked against the known ones
      choices.known[name] =
          spawn_agent_pool<Handle>(system, {.size = options.pool},
                                   [rules, make = make->second](caf::actor_system& s) { return make(s, rules); });
  return choices;
}

template <class Handle>
expected<Handle> pick(const agent_choices<Handle>& choices, const std::map<std::string, std::string>& names,
                      const std::string& role) {
  auto wanted = names.find(role);
  auto name = wanted == names.end() ? choices.standard : wanted->second;
  if (auto found = choices.known.find(name); found != choices.known.end()) return found->second;
  std::string list;
  for (const auto& [other, handle] : choices.known) list += (list.empty() ? "" : ", ") + other;
  return fail(failure_code::misconfigured, "there is no " + role + " \"" + name + "\"; known: " + list);
}

template <class Handle>
void end(agent_choices<Handle>& choices) {
  for (const auto& [name, x] : choices.known) caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  choices.known.clear();
}

}  // namespace

agent_directory spawn_agents(caf::actor_system& system, const configs::agents_options& options,
                             const rules_agent_options& rules) {
  return {spawn_pools<planner_actor>(system, options.planner, rules, {{"rules", spawn_rules_planner}}),
          spawn_pools<coder_actor>(system, options.coder, rules, {{"rules", spawn_rules_coder}}),
          spawn_pools<debugger_actor>(system, options.debugger, rules, {{"rules", spawn_rules_debugger}})};
}

expected<job_agents> agent_directory::find(const std::map<std::string, std::string>& names) const {
  auto planner = pick(planners, names, "planner");
  if (!planner) return tl::unexpected{planner.error()};
  auto coder = pick(coders, names, "coder");
  if (!coder) return tl::unexpected{coder.error()};
  auto debugger = pick(debuggers, names, "debugger");
  if (!debugger) return tl::unexpected{debugger.error()};
  return job_agents{*planner, *coder, *debugger};
}

void agent_directory::end_all() {
  end(planners);
  end(coders);
  end(debuggers);
}

}  // namespace actors
