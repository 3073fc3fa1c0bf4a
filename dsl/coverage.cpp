#include "dsl/coverage.hpp"

namespace dsl {

const recipe* coverage::find(std::span<const std::string> nodes, bool library) const {
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
