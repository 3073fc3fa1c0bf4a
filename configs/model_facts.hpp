#pragma once
// What is known of models beyond what their servers say: prices, sizes, parameters that they refuse. Tables of
// patterns in YAML; MODELS.md explains each key.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/failure.hpp"

namespace configs {

/// Dollars a million tokens. What is not said is not known, which is not 0.
struct model_price {
  double input_usd = 0;
  double output_usd = 0;                   ///< reasoning is output
  std::optional<double> cached_input_usd;  ///< absent: as input
  std::optional<double> cache_write_usd;   ///< absent: as input
  std::string as_of;                       ///< "2026-11-29"
  void keys(auto& k);
};

/// How a request says how much to reason: not at all; a word; tokens; a word, with the amount left to the model.
enum class reasoning_form : std::uint8_t { none, effort, budget, adaptive };
constexpr auto enum_names(reasoning_form) {
  return std::to_array<std::string_view>({"none", "effort", "budget", "adaptive"});
}

/// What a server can be made to answer with: any text; some JSON; JSON of a schema.
enum class structured_form : std::uint8_t { none, object, schema };
constexpr auto enum_names(structured_form) { return std::to_array<std::string_view>({"none", "object", "schema"}); }

/// Prompts are cached not at all, by the server's own choice, or up to where the request marks it.
enum class cache_form : std::uint8_t { none, automatic, marked };
constexpr auto enum_names(cache_form) { return std::to_array<std::string_view>({"none", "automatic", "marked"}); }

struct model_facts {
  std::optional<std::uint64_t> context_tokens;  ///< prompt and answer together
  std::optional<std::uint64_t> output_tokens;   ///< the longest answer
  std::optional<model_price> price;
  std::vector<std::string> refuses;  ///< parameters that are left out from the start: "temperature"
  std::optional<reasoning_form> reasoning;
  std::optional<structured_form> structured;
  std::optional<cache_form> cache;

  /// Takes from the other what is not said here; refused parameters add up.
  void complete_from(const model_facts& other);
  void keys(auto& k);
};

struct facts_entry {
  std::vector<std::string> match;  ///< patterns of model names, '*' for anything; without regard to case
  model_facts facts;
  void keys(auto& k);
};

struct facts_table {
  std::vector<facts_entry> models;
  void keys(auto& k);
};

/// Everything that the tables say of a model; the first entry that says something counts.
model_facts facts_of(const std::string& model, const std::vector<facts_table>& tables);

/// Failures: misconfigured, storage.
messages::expected<facts_table> load_facts(const std::filesystem::path& file);

/// Dollars; nothing where the price is not known.
struct priced_tokens {
  std::uint64_t input = 0, cached_input = 0, cache_written = 0, output = 0;  ///< cached and written are part of input
};
std::optional<double> dollars(const std::optional<model_price>& price, const priced_tokens& tokens);

}  // namespace configs
