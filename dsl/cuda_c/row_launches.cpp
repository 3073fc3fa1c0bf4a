#include "dsl/cuda_c/row_launches.hpp"

#include <algorithm>

#include "dsl/launch_program.hpp"

namespace dsl::cuda_c {

namespace {

using messages::buffer_kind;
using messages::kernel_parameter;

/// At least what a monoid's total takes.
constexpr std::uint64_t total_bytes = 24;

std::uint64_t bytes_of_parts(const nest_stage& stage, std::int64_t parts) {
  return std::max<std::uint64_t>(stage.reductions.size() * total_bytes * static_cast<std::uint64_t>(parts), 1);
}

kernel_parameter tensor_parameter(const group_text& group, const std::string& name) {
  auto place = std::ranges::find(group.writes, name);
  if (place != group.writes.end())
    return pointer_to(buffer_kind::output, static_cast<std::size_t>(place - group.writes.begin()));
  auto read = std::ranges::find(group.reads, name);
  return pointer_to(buffer_kind::argument, static_cast<std::size_t>(read - group.reads.begin()));
}

std::vector<kernel_parameter> parameters_of(const group_text& group, const row_layout& layout) {
  std::vector<kernel_parameter> all;
  for (const auto* tensors : {&layout.operands, &layout.targets})
    for (const auto& x : *tensors)
      if (!x.tensor.is_position()) all.push_back(tensor_parameter(group, x.tensor.name));
  for (std::size_t i = 0; i < group.scratch.size(); ++i) all.push_back(pointer_to(buffer_kind::scratch, i));
  return all;
}

messages::kernel_launch launch_of(std::string kernel, std::int64_t grid, std::int64_t threads,
                                  std::vector<kernel_parameter> parameters) {
  messages::kernel_launch x;
  x.kernel = std::move(kernel);
  x.grid.x = static_cast<std::uint32_t>(grid);
  x.block.x = static_cast<std::uint32_t>(threads);
  x.parameters = std::move(parameters);
  return x;
}

}  // namespace

std::vector<row_kernel> kernels_of(const row_layout& layout, const std::string& group) {
  auto stages = layout.nest.stages.size();
  auto name = "group_" + group;
  if (layout.team != team::split) return {{name, 0, stages, false, true}};
  std::vector<row_kernel> all;
  for (std::size_t i = 0; i < stages; ++i) all.push_back({name + '_' + std::to_string(i), i, 1, true, false});
  all.push_back({name, stages, 0, false, true});
  return all;
}

void add_launches(group_text& group, const row_layout& layout) {
  const auto& nest = layout.nest;
  if (layout.team == team::split)
    for (const auto& stage : nest.stages) group.scratch.push_back(bytes_of_parts(stage, layout.rows * layout.parts));
  if (nest.last) group.scratch.push_back(bytes_of_parts(*nest.last, layout.finals()));
  auto parameters = parameters_of(group, layout);
  if (layout.grid > 0) {
    for (const auto& kernel : kernels_of(layout, group.name)) {
      auto launch = launch_of(kernel.name, layout.grid, layout.threads, parameters);
      launch.cluster.x = static_cast<std::uint32_t>(layout.blocks);
      launch.shared_bytes = static_cast<std::uint32_t>(layout.shared_bytes);
      group.launches.emplace_back(std::move(launch));
    }
  }
  if (nest.last) group.launches.emplace_back(launch_of("group_" + group.name + "_last", 1, last_threads, parameters));
}

}  // namespace dsl::cuda_c
