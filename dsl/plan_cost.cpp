#include "dsl/plan_cost.hpp"

#include <algorithm>
#include <set>

#include "dsl/floor.hpp"

namespace dsl {

namespace {

bool is_wanted_outside(const graph_index& graph, std::string_view node, const std::set<std::string_view>& group) {
  auto outside = [&](const auto* user) { return !group.contains(user->name); };
  return graph.is_output(node) || std::ranges::any_of(graph.users(node), outside) || graph.users(node).empty();
}

/// 0 for a group of views alone.
std::uint64_t bytes_of_group(const graph_index& graph, const messages::plan_group& group) {
  std::set<std::string_view> inside{group.nodes.begin(), group.nodes.end()};
  std::set<std::string_view> read;
  std::uint64_t bytes = 0;
  bool works = false;
  for (auto name : inside) {
    const auto* node = graph.node(name);
    if (node == nullptr) continue;
    works = works || !is_view(*node);
    for (auto used : tensors_used(*node))
      if (!inside.contains(used) && read.insert(used).second) bytes += bytes_of_tensor(*graph.spec(used));
    if (!is_view(*node) && is_wanted_outside(graph, name, inside)) bytes += bytes_of_tensor(node->output);
  }
  return works ? bytes : 0;
}

bool works(const graph_index& graph, const messages::plan_group& group) {
  return std::ranges::any_of(group.nodes, [&](const auto& name) {
    const auto* node = graph.node(name);
    return node != nullptr && !is_view(*node);
  });
}

}  // namespace

cost_options cost_options::of(const messages::device_info& device) {
  cost_options options;
  if (device.copy_bytes_per_second > 0) options.bytes_per_second = device.copy_bytes_per_second;
  return options;
}

std::uint64_t bytes_of_tensor(const messages::tensor_spec& spec) {
  std::uint64_t count = messages::bytes_of(spec.dtype);
  for (std::size_t i = 0; i < spec.shape.size(); ++i)
    if (spec.strides[i] != 0 || spec.shape[i] == 0) count *= static_cast<std::uint64_t>(spec.shape[i]);
  return count;
}

plan_cost cost_of(const messages::plan& plan, const graph_index& graph, const cost_options& options) {
  plan_cost cost;
  for (const auto& group : plan.groups) {
    cost.bytes += bytes_of_group(graph, group);
    cost.launches += works(graph, group) ? 1 : 0;
  }
  cost.seconds = static_cast<double>(cost.bytes) / options.bytes_per_second
                 + static_cast<double>(cost.launches) * options.launch_seconds;
  return cost;
}

}  // namespace dsl
