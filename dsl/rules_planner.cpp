#include "dsl/rules_planner.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"

namespace dsl {

namespace {

using messages::plan;
using messages::plan_reply;

const recipe* covering(const language& language, const graph_index& graph, std::span<const std::string> nodes) {
  for (const auto& x : language.recipes())
    if (x->covers(graph, nodes)) return x.get();
  return nullptr;
}

/// "not covered: aten.a, aten.b", or nothing if each node alone has a recipe.
std::string not_covered(const language& language, const graph_index& graph) {
  std::set<std::string> operators;
  for (const auto& node : graph.graph().nodes) {
    if (covering(language, graph, std::span{&node.name, 1}) == nullptr) operators.insert(node.op);
  }
  std::string text;
  for (const auto& op : operators) text += (text.empty() ? "not covered: " : ", ") + op;
  return text;
}

/// The whole graph where one recipe takes it, else as much as one takes, in order.
plan gather(const language& language, const graph_index& graph) {
  plan result;
  auto open = [&](const std::string& node, const recipe& with) {
    result.groups.push_back({"g" + std::to_string(result.groups.size()), std::string{with.name()}, {node}, {}});
  };
  for (const auto& node : graph.graph().nodes) {
    if (!result.groups.empty()) {
      auto& group = result.groups.back();
      group.nodes.push_back(node.name);
      if (const auto* wider = covering(language, graph, group.nodes)) {
        group.recipe = wider->name();
        continue;
      }
      group.nodes.pop_back();
    }
    open(node.name, *covering(language, graph, std::span{&node.name, 1}));
  }
  return result;
}

/// Views and copies may have no recipe alone, but one together with what they belong to.
std::optional<plan> whole(const language& language, const graph_index& graph) {
  std::vector<std::string> all;
  for (const auto& node : graph.graph().nodes) all.push_back(node.name);
  const auto* one = covering(language, graph, all);
  if (one == nullptr) return std::nullopt;
  return plan{1, {}, {{"g0", std::string{one->name()}, std::move(all), {}}}};
}

/// The i-th preset of each group's recipe; nothing where no recipe has so many.
std::optional<plan> with_preset(const plan& bare, const language& language, std::size_t i) {
  auto result = bare;
  bool any = false;
  for (auto& group : result.groups) {
    const auto& presets = language.files().recipe(group.recipe)->manifest.presets;
    any = any || i < presets.size();
    const auto& preset = presets[std::min(i, presets.size() - 1)];
    group.knobs = preset.knobs;
    if (result.remark.empty() || i < presets.size()) result.remark = preset.remark;
  }
  return any ? std::optional{std::move(result)} : std::nullopt;
}

plan_reply refuse(std::string remark) { return {{}, std::move(remark)}; }

}  // namespace

plan_reply rules_plan(const messages::plan_request& request, const messages::op_graph& graph,
                      const language& language) {
  if (auto ok = check(graph); !ok) return refuse(ok.error().detail);
  if (graph.nodes.empty()) return refuse("not covered: the task computes nothing");
  graph_index index{graph};
  auto one = whole(language, index);
  if (auto missing = one ? std::string{} : not_covered(language, index); !missing.empty())
    return refuse(std::move(missing));
  auto bare = one ? *std::move(one) : gather(language, index);
  plan_reply reply;
  std::string problem = "no plan was wanted";
  for (std::size_t i = 0; reply.plans.size() < request.wanted; ++i) {
    auto x = with_preset(bare, language, i);
    if (!x) break;
    auto problems = check_plan(*x, index, language, request.about.device);
    if (problems.empty()) {
      reply.plans.push_back(*std::move(x));
    } else {
      problem = to_string(problems);
    }
  }
  if (reply.plans.empty()) reply.remark = problem;
  return reply;
}

}  // namespace dsl
