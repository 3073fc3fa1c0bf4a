#pragma once
// Which recipes may compute what: kernels, and a library only where that is allowed and nothing else covers a node.

#include "dsl/recipe.hpp"

namespace dsl {

/// Whether one of them makes or takes complex numbers, with which no kernel computes.
bool touches_complex(const graph_index& graph, std::span<const std::string> nodes);

/// Borrows language and graph.
class coverage {
public:
  /// With `yielding`, recipes that a library outdoes do not count where library calls are allowed.
  coverage(const language& language, const graph_index& graph, bool allow_library, bool yielding = true)
      : language_(language), graph_(graph), allow_library_(allow_library), yielding_(allow_library && yielding) {}

  /// The most specific recipe for kernels that takes these nodes as one group; null: none.
  const recipe* kernel(std::span<const std::string> nodes) const;

  /// The library's recipe for a node; null: there is none, or it is not allowed.
  const recipe* library(const std::string& node) const;

  /// Whether there would be one.
  bool library_knows(const std::string& node) const;
  bool library_allowed() const { return allow_library_; }

private:
  const recipe* find(std::span<const std::string> nodes, bool library) const;

  const language& language_;
  const graph_index& graph_;
  bool allow_library_;
  bool yielding_;
};

}  // namespace dsl
