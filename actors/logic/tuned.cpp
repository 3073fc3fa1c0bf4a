#include "actors/logic/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "messages/records/content_hash.hpp"

namespace actors::logic {

using namespace messages;

namespace {

/// Names by place: "v0" for the first value, "n0" for the first node.
std::map<std::string, std::string> places_of(const op_graph& graph) {
  std::map<std::string, std::string> places;
  for (std::size_t i = 0; i < graph.values.size(); ++i) places[graph.values[i].name] = "v" + std::to_string(i);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) places[graph.nodes[i].name] = "n" + std::to_string(i);
  return places;
}

/// What is the same for tasks that differ in names and, unless `with_shapes`, in the sizes of their dimensions.
class likeness {
public:
  likeness(op_graph graph, bool with_shapes)
      : places_(places_of(graph)), with_shapes_(with_shapes), graph_(std::move(graph)) {}

  std::string hash() && {
    graph_.task.clear();
    if (!with_shapes_) graph_.floor_bytes = graph_.flops = 0;
    for (auto& value : graph_.values) {
      rename(value.name);
      forget_sizes(value.spec);
    }
    for (auto& node : graph_.nodes) {
      rename(node.name);
      forget_sizes(node.output);
      if (!with_shapes_) node.flops = 0;
      for (auto& argument : node.arguments) forget(argument);
    }
    for (auto& output : graph_.outputs) rename(output);
    return content_hash(graph_);
  }

private:
  void rename(std::string& name) const {
    if (auto place = places_.find(name); place != places_.end()) name = place->second;
  }

  void forget_sizes(tensor_spec& spec) const {
    if (with_shapes_) return;
    std::ranges::fill(spec.shape, 0);
    spec.strides.clear();
  }

  /// Lists of numbers are mostly sizes.
  void forget(graph_argument& x) const {
    if (auto value = std::get_if<value_argument>(&x.content)) rename(value->name);
    if (auto values = std::get_if<values_argument>(&x.content))
      for (auto& name : values->names) rename(name);
    if (auto numbers = std::get_if<integers_argument>(&x.content); numbers && !with_shapes_)
      std::ranges::fill(numbers->numbers, 0);
  }

  std::map<std::string, std::string> places_;
  bool with_shapes_;
  op_graph graph_;
};

/// The plan for a graph whose nodes stand at the same places under other names; nothing if it has others.
std::optional<plan> renamed(const tuned_plan& known, const op_graph& graph) {
  if (known.nodes.size() != graph.nodes.size()) return std::nullopt;
  auto plan = known.plan;
  for (auto& group : plan.groups)
    for (auto& node : group.nodes) {
      auto place = std::ranges::find(known.nodes, node) - known.nodes.begin();
      if (static_cast<std::size_t>(place) == known.nodes.size()) return std::nullopt;
      node = graph.nodes[static_cast<std::size_t>(place)].name;
    }
  return plan;
}

}  // namespace

std::string tuned_key(const op_graph& graph, const std::string& dsl, const device_info& device) {
  auto structure = likeness{graph, false}.hash();
  return content_hash(structure + '\n' + dsl + '\n' + device.kind + '\n' + device.model + '\n' + device.arch);
}

std::string graph_key(const op_graph& graph) { return likeness{graph, true}.hash(); }

std::optional<known_plan> choose_earlier(const tuned_plans_file& known, const op_graph& graph, const run_id& own) {
  auto key = graph_key(graph);
  auto bytes = static_cast<double>(graph.floor_bytes);
  const tuned_plan* best = nullptr;
  auto distance = [&](const tuned_plan& x) {
    return x.graph == key ? -1 : std::abs(std::log((x.bytes + 1) / (bytes + 1)));
  };
  for (const auto& x : known.plans)
    if (x.run != own && renamed(x, graph) && (!best || distance(x) <= distance(*best))) best = &x;
  if (!best) return std::nullopt;
  known_plan found{*renamed(*best, graph), {best->run, best->task_name, best->graph == key, best->speedup}};
  found.plan.remark = "the best of run " + best->run.value + (found.from.same_shapes ? "" : ", on other shapes");
  return found;
}

void keep(tuned_plans_file& known, tuned_plan news, std::size_t most) {
  std::erase_if(known.plans, [&](const auto& x) { return x.run == news.run && x.graph == news.graph; });
  known.plans.push_back(std::move(news));
  if (known.plans.size() > most)
    known.plans.erase(known.plans.begin(), known.plans.end() - static_cast<std::ptrdiff_t>(most));
}

}  // namespace actors::logic
