#pragma once
// A language whose recipes only say what they cover, for planners.

#include <memory>
#include <set>

#include "dsl/floor.hpp"
#include "dsl/lowering.hpp"
#include "dsl/recipe.hpp"

namespace dsl::testing {

inline bool is_pointwise(const messages::graph_node& node) { return find_lowering(node.op) != nullptr; }

/// Covers groups with between `least` and `most` nodes that are not pointwise, all of them of these operators.
class fake_recipe final : public recipe {
public:
  fake_recipe(std::string name, std::set<std::string> anchors, std::size_t least, std::size_t most)
      : name_(std::move(name)), anchors_(std::move(anchors)), least_(least), most_(most) {}

  std::string_view name() const override { return name_; }

  messages::expected<void> covers(const graph_index& graph, std::span<const std::string> nodes) const override {
    std::size_t count = 0;
    for (const auto& name : nodes) {
      const auto& node = *graph.node(name);
      if (is_pointwise(node)) continue;
      ++count;
      if (!anchors_.empty() && !anchors_.contains(node.op)) return refused();
    }
    if (count < least_ || count > most_) return refused();
    return {};
  }

  messages::expected<group_text> render(const group_order&) const override { return refused(); }

private:
  static tl::unexpected<messages::failure> refused() {
    return messages::fail(messages::failure_code::bad_input, "another group");
  }

  std::string name_;
  std::set<std::string> anchors_;  ///< empty: any
  std::size_t least_, most_;
};

class fake_language final : public language {
public:
  fake_language() : language({}, {}) {}

  void add(std::string name, std::set<std::string> anchors, std::size_t least, std::size_t most) {
    recipe_manifest manifest{.name = name, .presets = {{"standard", "", {}}}, .library = name == "library"};
    files_.recipes.push_back({manifest, {}, {}});
    recipes_.push_back(std::make_unique<fake_recipe>(std::move(name), std::move(anchors), least, most));
  }

  messages::expected<program> assemble(const graph_index&, std::span<const group_text>,
                                       const std::string&) const override {
    return messages::fail(messages::failure_code::bad_input, "writes nothing");
  }
  messages::expected<std::string> export_candidate(const export_order&) const override {
    return messages::fail(messages::failure_code::bad_input, "writes nothing");
  }
};

/// [pointwise*] reduction [pointwise*], pointwise chains, and transposed products.
inline fake_language small_language(bool library = false) {
  fake_language x;
  x.add("reduce", {"aten.sum"}, 1, 1);
  x.add("map", {}, 0, 0);
  x.add("gemm", {"aten.mm", "aten.t", "aten.permute"}, 2, 3);
  if (library) x.add("library", {}, 0, 1000);
  return x;
}

}  // namespace dsl::testing
