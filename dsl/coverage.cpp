#include "dsl/coverage.hpp"

#include <algorithm>

namespace dsl {

bool touches_complex(const graph_index& graph, std::span<const std::string> nodes) {
  auto complex = [&](std::string_view name) {
    const auto* spec = graph.spec(name);
    return spec != nullptr && is_complex(spec->dtype);
  };
  return std::ranges::any_of(nodes, [&](const auto& name) {
    const auto* node = graph.node(name);
    return node != nullptr && (complex(name) || std::ranges::any_of(tensors_used(*node), complex));
  });
}

const recipe* coverage::find(std::span<const std::string> nodes, bool library) const {
  if (!library && touches_complex(graph_, nodes)) return nullptr;
  for (const auto& x : language_.recipes()) {
    const auto* files = language_.files().recipe(x->name());
    if (files == nullptr || files->manifest.library != library || (files->manifest.yields && yielding_)) continue;
    if (x->covers(graph_, nodes)) return x.get();
  }
  return nullptr;
}

const recipe* coverage::kernel(std::span<const std::string> nodes) const { return find(nodes, false); }

const recipe* coverage::library(const std::string& node) const {
  return allow_library_ ? find({&node, 1}, true) : nullptr;
}

bool coverage::library_knows(const std::string& node) const { return find({&node, 1}, true) != nullptr; }

}  // namespace dsl
