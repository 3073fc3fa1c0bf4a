#include "actors/rules_agent.hpp"

namespace actors {

using namespace messages;

expected<std::shared_ptr<const dsl::language>> language_of(const rules_agent_options& options,
                                                           const question_context& about) {
  if (auto found = options.languages->find(about.target.dsl)) return found;
  std::string known;
  for (const auto& x : options.languages->languages()) known += (known.empty() ? "" : ", ") + x->name();
  return fail(failure_code::bad_input, "there are no recipes in \"" + about.target.dsl + "\"; known: " + known);
}

expected<op_graph> graph_of(const rules_agent_options& options, const question_context& about) {
  return options.store->get_record<op_graph>(about.graph);
}

}  // namespace actors
