#pragma once
// What a plan should take by the roofline: bytes between its groups and launches. A model for putting plans in order,
// never a result.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsl/op_graph.hpp"
#include "messages/records/device.hpp"
#include "messages/records/plan.hpp"

namespace dsl {

struct cost_options {
  double bytes_per_second = 1e10;  ///< read plus write; of a device that was not measured
  double launch_seconds = 5e-6;    ///< until a group's work begins on all cores

  /// With what is known of the device.
  static cost_options of(const messages::device_info& device);
};

struct plan_cost {
  std::uint64_t bytes = 0;   ///< that all groups read and write
  std::size_t launches = 0;  ///< groups that do more than look at memory in another way
  double seconds = 0;
  friend bool operator==(const plan_cost&, const plan_cost&) = default;
};

/// Each group reads every tensor from outside of it once, what is repeated with a stride of 0 only once, and writes
/// what other groups or the caller want. Groups of views alone move nothing.
/// @param plan of this graph: nodes that it does not have are left out
plan_cost cost_of(const messages::plan& plan, const graph_index& graph, const cost_options& options = {});

/// Bytes of a tensor's distinct elements.
std::uint64_t bytes_of_tensor(const messages::tensor_spec& spec);

}  // namespace dsl
