#include "dsl/coverage.hpp"

#include <algorithm>
#include <set>

namespace dsl {

namespace {

std::string listed(const std::set<std::string>& operators) {
  std::string text;
  for (const auto& op : operators) text += (text.empty() ? "" : ", ") + op;
  return text;
}

}  // namespace

const recipe* coverage::find(std::span<const std::string> nodes, bool library) const {
  for (const auto& x : language_.recipes()) {
    if (language_.files().recipe(x->name())->manifest.library == library && x->covers(graph_, nodes)) return x.get();
  }
  return nullptr;
}

const recipe* coverage::kernel(std::span<const std::string> nodes) const { return find(nodes, false); }

bool coverage::is_library(const std::string& node) const { return kernel({&node, 1}) == nullptr; }

const recipe* coverage::library(const std::string& node) const {
  return allow_library_ ? find({&node, 1}, true) : nullptr;
}

std::string coverage::missing() const {
  std::set<std::string> left;     // for a library
  std::set<std::string> missing;  // nobody computes them
  bool any_kernel = false;
  for (const auto& node : graph_.graph().nodes) {
    if (!is_library(node.name)) {
      any_kernel = true;
    } else if (find({&node.name, 1}, true) == nullptr) {
      missing.insert(node.op);
    } else {
      left.insert(node.op);
    }
  }
  bool would_help = !allow_library_ && missing.empty() && any_kernel;
  if (!allow_library_ || !any_kernel) missing.merge(left);
  if (missing.empty()) return {};
  return "not covered: " + listed(missing)
         + (would_help ? "; --allow-library-calls would leave this to the library" : "");
}

std::string coverage::left_to_library() const {
  std::set<std::string> operators;
  for (const auto& node : graph_.graph().nodes)
    if (node.flops > 0 && is_library(node.name)) operators.insert(node.op);
  return listed(operators);
}

}  // namespace dsl
