#include "dsl/floor.hpp"

#include <algorithm>
#include <set>

#include "dsl/node_arguments.hpp"

namespace dsl {

using messages::graph_node;
using messages::tensor_spec;

namespace {

const std::set<std::string_view> views{
    "aten.view",    "aten._unsafe_view", "aten.reshape",  "aten.permute", "aten.transpose",    "aten.t",
    "aten.mT",      "aten.unsqueeze",    "aten.squeeze",  "aten.expand",  "aten.expand_as",    "aten.slice",
    "aten.select",  "aten.narrow",       "aten.diagonal", "aten.unfold",  "aten.as_strided",   "aten.split",
    "aten.chunk",   "aten.unbind",       "aten.detach",   "aten.alias",   "aten.movedim",      "aten.split_with_sizes",
    "aten.numpy_T", "aten.view_as",      "aten.real",     "aten.imag",    "aten.view_as_real",
};
const std::set<std::string_view> partial_reads{"aten.index", "aten.index_select", "aten.gather", "aten.embedding",
                                               "aten.take"};

/// Distinct ones: what a stride of 0 repeats counts once.
std::uint64_t distinct(const tensor_spec& spec) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < spec.shape.size(); ++i)
    if (spec.strides[i] != 0 || spec.shape[i] == 0) count *= static_cast<std::uint64_t>(spec.shape[i]);
  return count;
}

std::uint64_t size_of(const tensor_spec& spec) { return distinct(spec) * messages::bytes_of(spec.dtype); }

std::string_view first_tensor(const graph_node& node) {
  auto used = tensors_used(node);
  return used.empty() ? std::string_view{} : used.front();
}

bool writes(const graph_node& node) { return node.op.ends_with('_'); }

/// Elements of each tensor that its users read.
class reads {
public:
  explicit reads(const graph_index& graph) : graph_(graph) {}

  std::uint64_t of(std::string_view name) {
    if (auto known = memo_.find(name); known != memo_.end()) return known->second;
    std::uint64_t sum = 0;
    const auto& spec = *graph_.spec(name);
    for (const auto* user : graph_.users(name)) sum += by(*user, name, spec);
    return memo_[std::string{name}] = std::min(sum, distinct(spec));
  }

private:
  std::uint64_t by(const graph_node& user, std::string_view name, const tensor_spec& spec) {
    bool first = first_tensor(user) == name;
    if (is_view(user)) return of(user.name);
    if (first && writes(user)) return 0;
    if (first && partial_reads.contains(user.op)) return distinct(user.output);
    return distinct(spec);
  }

  const graph_index& graph_;
  std::map<std::string, std::uint64_t, std::less<>> memo_;
};

std::string_view seen_through_views(const graph_index& graph, std::string_view name) {
  for (const auto* node = graph.node(name); node != nullptr && is_view(*node); node = graph.node(name))
    name = first_tensor(*node);
  return name;
}

std::uint64_t written_bytes(const graph_index& graph) {
  std::set<std::string_view> written;
  for (const auto& output : graph.graph().outputs)
    if (graph.node(seen_through_views(graph, output)) != nullptr) written.insert(output);
  for (const auto& node : graph.graph().nodes)
    if (writes(node)) written.insert(node.name);
  std::uint64_t sum = 0;
  for (auto name : written) sum += size_of(*graph.spec(name));
  return sum;
}

// -- FLOPs ------------------------------------------------------------------------------------------------------------

std::string_view argument(const graph_node& node, std::string_view name) {
  const auto* found = find_argument(node, name);
  const auto* tensor = found ? value_name(*found) : nullptr;
  return tensor ? std::string_view{*tensor} : std::string_view{};
}

/// Per multiply-add 2: the first operand's elements, each as often as it is used.
std::uint64_t product_flops(const tensor_spec& left, const tensor_spec& right) {
  return 2 * static_cast<std::uint64_t>(elements(left.shape)) * static_cast<std::uint64_t>(right.shape.back());
}

/// Of the output, or of a transposed one's input, each element takes the weight of one channel of the other side.
std::uint64_t convolution_flops(const graph_node& node, const tensor_spec& input, const tensor_spec& weight) {
  const auto& many = flag_argument(node, "transposed", false).value_or(false) ? input : node.output;
  auto a_channel = elements(weight.shape) / std::max<std::int64_t>(weight.shape[0], 1);
  return 2 * static_cast<std::uint64_t>(elements(many.shape)) * static_cast<std::uint64_t>(a_channel);
}

}  // namespace

bool is_view(const graph_node& node) { return views.contains(node.op); }

graph_floor floor_of(const graph_index& graph) {
  graph_floor floor;
  reads read{graph};
  for (const auto& value : graph.graph().values) {
    auto bytes = read.of(value.name) * messages::bytes_of(value.spec.dtype);
    floor.read.emplace(value.name, bytes);
    floor.bytes += bytes;
  }
  floor.bytes += written_bytes(graph);
  for (const auto& node : graph.graph().nodes) floor.flops += node.flops;
  return floor;
}

std::vector<std::uint64_t> input_bytes(const graph_index& graph) {
  auto floor = floor_of(graph);
  std::vector<const messages::graph_value*> inputs;
  for (const auto& value : graph.graph().values)
    if (value.origin == messages::value_origin::input) inputs.push_back(&value);
  std::ranges::sort(inputs, {}, &messages::graph_value::index);
  std::vector<std::uint64_t> bytes;
  for (const auto* value : inputs) bytes.push_back(floor.read.at(value->name));
  return bytes;
}

std::uint64_t count_flops(const graph_node& node, const spec_of& spec) {
  if (is_view(node)) return 0;
  if (node.op == "aten.mm" || node.op == "aten.bmm")
    return product_flops(spec(argument(node, "self")), spec(argument(node, "mat2")));
  if (node.op == "aten.addmm") return product_flops(spec(argument(node, "mat1")), spec(argument(node, "mat2")));
  if (node.op == "aten.convolution")
    return convolution_flops(node, spec(argument(node, "input")), spec(argument(node, "weight")));
  auto most = elements(node.output.shape);
  for (auto used : tensors_used(node)) most = std::max(most, elements(spec(used).shape));
  return static_cast<std::uint64_t>(most);
}

}  // namespace dsl
