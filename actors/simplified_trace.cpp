#include "actors/simplified_trace.hpp"

#include <algorithm>

#include "dsl/algebra/simplify.hpp"
#include "dsl/floor.hpp"

namespace actors {

using namespace messages;

namespace {

using dsl::algebra::simplified;

/// Of the first shape and all others; none where a rule's work can't be relied on, or none fired.
expected<std::vector<simplified>> simplify_all(const traced& trace, const blobs::blob_store& store) {
  std::vector<blob_hash> graphs{trace.graph};
  for (const auto& other : trace.others) graphs.push_back(other.graph);
  std::vector<simplified> all;
  for (const auto& hash : graphs) {
    auto graph = store.get_record<op_graph>(hash);
    if (!graph) return tl::unexpected{graph.error()};
    auto smaller = dsl::algebra::simplify(*graph);
    if (!smaller) return std::vector<simplified>{};
    all.push_back(*std::move(smaller));
  }
  if (std::ranges::all_of(all, [](const auto& x) { return x.rules.empty(); })) all.clear();
  return all;
}

/// One plan must be about the nodes of every shape.
bool same_nodes(const op_graph& a, const op_graph& b) {
  auto same = [](const graph_node& x, const graph_node& y) {
    return x.name == y.name && x.op == y.op && x.overload == y.overload;
  };
  return std::ranges::equal(a.nodes, b.nodes, same);
}

}  // namespace

expected<traced> simplified_trace(traced trace, const blobs::blob_store& store) {
  auto all = simplify_all(trace, store);
  if (!all) return tl::unexpected{all.error()};
  auto alike = [&](const auto& x) { return same_nodes(x.graph, all->front().graph); };
  if (all->empty() || !std::ranges::all_of(*all, alike)) return trace;
  for (std::size_t i = 0; i < all->size(); ++i) {
    auto blob = store.put_record((*all)[i].graph);
    if (!blob) return tl::unexpected{blob.error()};
    (i == 0 ? trace.simplified : trace.others[i - 1].simplified) = *blob;
    auto bytes = dsl::input_bytes(dsl::graph_index{(*all)[i].graph});
    trace.input_bytes.insert(trace.input_bytes.end(), bytes.begin(), bytes.end());
  }
  trace.rules = std::move(all->front().rules);
  return trace;
}

}  // namespace actors
