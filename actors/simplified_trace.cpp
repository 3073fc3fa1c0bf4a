#include "actors/simplified_trace.hpp"

#include "dsl/algebra/simplify.hpp"
#include "dsl/floor.hpp"

namespace actors {

using namespace messages;

expected<traced> simplified_trace(traced trace, const blobs::blob_store& store) {
  auto graph = store.get_record<op_graph>(trace.graph);
  if (!graph) return tl::unexpected{graph.error()};
  auto smaller = dsl::algebra::simplify(*graph);
  if (!smaller || smaller->rules.empty()) return trace;
  auto blob = store.put_record(smaller->graph);
  if (!blob) return tl::unexpected{blob.error()};
  trace.simplified = *blob;
  trace.rules = std::move(smaller->rules);
  trace.input_bytes = dsl::input_bytes(dsl::graph_index{smaller->graph});
  return trace;
}

}  // namespace actors
