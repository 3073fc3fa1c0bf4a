#pragma once
// One model as it can be asked: its server, what is known of it, its key.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llm_client/secret.hpp"
#include "messages/records/language_model.hpp"

namespace llm_client {

struct model {
  std::string name;  ///< in the config
  configs::llm_provider_options server;
  std::string served_as;  ///< what the server calls it
  configs::model_facts facts;
  secret key;
};

/// Names of parameters that a request goes without, as they stand in its body.
using parameter_set = std::set<std::string>;

/// The models of a config. One whose key is not there is among `unusable`, with the reason; the others work.
struct model_list {
  std::map<std::string, std::shared_ptr<const model>> usable;
  std::map<std::string, messages::failure> unusable;
};
model_list load_models(const configs::llm_options& options, const std::vector<configs::facts_table>& tables,
                       const configs::surroundings& around);

/// Those of the config in their order, then the one of the install. Failures: misconfigured, storage.
messages::expected<std::vector<configs::facts_table>> load_tables(const configs::llm_options& options,
                                                                  const std::filesystem::path& of_install);

}  // namespace llm_client
