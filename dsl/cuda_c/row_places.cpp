#include "dsl/cuda_c/row_places.hpp"

#include <algorithm>

#include "dsl/knobs.hpp"

namespace dsl::cuda_c {

namespace {

constexpr std::int64_t streamed_from = 32 << 20;

row_tensor place_one(const reduction_nest& nest, const nest_tensor& x) {
  std::span sizes{nest.sizes};
  std::span steps{x.steps};
  return {x, way{sizes.first(nest.kept), steps.first(nest.kept)},
          way{sizes.subspan(nest.kept), steps.subspan(nest.kept)}};
}

}  // namespace

void place_tensors(row_layout& x) {
  const auto& nest = x.nest;
  x.rows = nest.kept_count();
  x.count = nest.reduced_count();
  std::set<std::string> written;
  for (const auto* results : {&nest.each_kept, &nest.each_element, &nest.once})
    for (const auto& target : results->targets) {
      x.targets.push_back(place_one(nest, target));
      written.insert(target.name);
    }
  std::vector<messages::tensor_spec> specs;
  for (const auto& operand : nest.operands) {
    x.operands.push_back(place_one(nest, operand));
    x.operands.back().in_place = !operand.is_position() && written.contains(operand.name);
  }
  for (const auto* all : {&x.operands, &x.targets})
    for (const auto& one : *all)
      if (!one.tensor.is_position()) specs.push_back(one.tensor.spec);
  x.small = is_small(std::max({x.rows * x.count, x.rows, x.count}), specs);
}

/// The operands that each pass over a row reads.
std::vector<std::set<std::uint32_t>> passes_of(const reduction_nest& x) {
  std::vector<std::set<std::uint32_t>> passes;
  auto add = [&](const messages::expression& e) {
    auto& pass = passes.emplace_back();
    for (const auto& node : e.nodes)
      if (node.operand && *node.operand < x.operands.size()) pass.insert(*node.operand);
  };
  for (const auto& stage : x.stages) add(stage.bodies);
  if (!x.each_element.targets.empty()) add(x.each_element.values);
  return passes;
}

std::int64_t find_kept(row_layout& x, bool (*can)(const row_tensor&)) {
  auto passes = passes_of(x.nest);
  std::int64_t bytes = 0;
  for (std::uint32_t i = 0; i < x.operands.size(); ++i) {
    auto& one = x.operands[i];
    if (one.tensor.is_position() || !can(one)) continue;
    one.kept = std::ranges::count_if(passes, [&](const auto& pass) { return pass.contains(i); }) > 1;
    if (one.kept) bytes += bytes_of(one.tensor);
  }
  return bytes;
}

bool streams_past_caches(const row_layout& x, const messages::knob_values& knobs) {
  if (!x.applies() || !knobs.contains("streaming_stores")) return false;
  const auto& wish = word_knob(knobs, "streaming_stores");
  if (wish != "auto") return wish == "on";
  std::int64_t bytes = 0;
  for (const auto& target : x.nest.each_element.targets) bytes += x.rows * x.count * bytes_of(target);
  return bytes >= streamed_from;
}

}  // namespace dsl::cuda_c
