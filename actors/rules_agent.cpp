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

expected<std::vector<op_graph>> graphs_of(const rules_agent_options& options, const question_context& about) {
  std::vector<blob_hash> hashes{about.graph};
  hashes.insert(hashes.end(), about.other_graphs.begin(), about.other_graphs.end());
  std::vector<op_graph> graphs;
  for (const auto& hash : hashes) {
    auto graph = options.store->get_record<op_graph>(hash);
    if (!graph) return tl::unexpected{graph.error()};
    graphs.push_back(*std::move(graph));
  }
  return graphs;
}

}  // namespace actors
