#include "llm_client/model.hpp"

namespace llm_client {

model_list load_models(const configs::llm_options& options, const std::vector<configs::facts_table>& tables,
                       const configs::surroundings& around) {
  model_list out;
  for (const auto& [name, x] : options.models) {
    model made{.name = name, .served_as = x.model.empty() ? name : x.model, .facts = x.facts};
    made.server = options.providers.at(x.provider);
    made.facts.complete_from(configs::facts_of(made.served_as, tables));
    auto key = load_key(made.server, around);
    if (!key) {
      out.unusable[name] = key.error();
      continue;
    }
    made.key = *std::move(key);
    out.usable[name] = std::make_shared<const model>(std::move(made));
  }
  return out;
}

messages::expected<std::vector<configs::facts_table>> load_tables(const configs::llm_options& options,
                                                                  const std::filesystem::path& of_install) {
  std::vector<configs::facts_table> out;
  std::vector<std::filesystem::path> files(options.facts.begin(), options.facts.end());
  files.push_back(of_install);
  for (const auto& file : files) {
    auto table = configs::load_facts(file);
    if (!table) return tl::unexpected{table.error()};
    out.push_back(*std::move(table));
  }
  return out;
}

}  // namespace llm_client
