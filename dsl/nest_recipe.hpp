#pragma once
// What recipes of reductions have in common, whatever the language: which nests each family of them takes.

#include "dsl/nest_places.hpp"
#include "dsl/recipe.hpp"

namespace dsl {

enum class nest_family : std::uint8_t { rows_to_results, rows_to_rows, columns };

class nest_recipe : public recipe {
public:
  nest_recipe(const recipe_files& files, nest_family mine) : files_(files), mine_(mine) {}

  std::string_view name() const override { return files_.manifest.name; }

  messages::expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override;

protected:
  /// Of a nest of this family: what a language has to add. `bad_input` says why it can't be computed.
  virtual messages::expected<void> takes(const reduction_nest&) const { return {}; }

  recipe_files files_;
  nest_family mine_;
};

}  // namespace dsl
