#include "dsl/rules_planner.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "dsl/coverage.hpp"
#include "dsl/floor.hpp"
#include "dsl/grouping.hpp"
#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"
#include "dsl/plan_cost.hpp"

namespace dsl {

namespace {

using messages::plan;
using messages::plan_group;
using messages::plan_reply;

/// What may be fused, the boldest first. Where two give the same groups the first one counts.
const std::vector<fusion_options>& choices() {
  static const std::vector<fusion_options> all{
      {.remark = "as much as possible in one kernel"},
      {.shared = false, .remark = "what several kernels read is computed before them"},
      {.prologues = false, .remark = "kernels begin at reductions, pools, scans and products"},
      {.epilogues = false, .remark = "kernels end at reductions, pools, scans and products"},
      {.prologues = false, .epilogues = false, .remark = "reductions, pools, scans and products are kernels alone"},
  };
  return all;
}

bool has_kernel(const std::vector<node_group>& groups) {
  return std::ranges::any_of(groups, [](const auto& x) { return x.by != nullptr; });
}

/// Nodes that are in no kernel.
std::vector<std::string> left_over(const std::vector<node_group>& groups) {
  std::vector<std::string> nodes;
  for (const auto& group : groups)
    if (group.by == nullptr) nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
  return nodes;
}

/// All of a tensor in another form: what comes before or after computes through it.
bool only_reforms(const messages::graph_node& node) {
  static const std::set<std::string_view> part{
      "aten.slice",    "aten.select", "aten.split",      "aten.split_with_sizes",
      "aten.diagonal", "aten.unbind", "aten.as_strided", "aten.unfold"};
  return is_view(node) && !part.contains(node.op);
}

/// "aten.a, aten.b", those that only reform a tensor where there is nothing else.
std::string operators_of(const graph_index& graph, const std::vector<std::string>& nodes) {
  std::set<std::string> operators, views;
  for (const auto& name : nodes) {
    const auto& node = *graph.node(name);
    (only_reforms(node) ? views : operators).insert(node.op);
  }
  std::string text;
  for (const auto& op : operators.empty() ? views : operators) text += (text.empty() ? "" : ", ") + op;
  return text;
}

/// Where numbers are drawn, the task is likely not what was meant.
std::string drawing_hint(const graph_index& graph, const std::vector<std::string>& nodes) {
  bool drops = std::ranges::any_of(nodes, [&](const auto& x) {
    return graph.node(x)->op == "aten.bernoulli" || graph.node(x)->op == "aten.native_dropout";
  });
  return drops ? "; if this is dropout in training mode, call self.eval() at the end of Model's __init__ or set p=0"
               : "";
}

/// What has no kernel, and whether a library would help.
std::string not_covered(const graph_index& graph, const coverage& who, const std::vector<node_group>& groups,
                        bool several_shapes) {
  auto nodes = left_over(groups);
  auto known = std::ranges::all_of(nodes, [&](const auto& x) { return who.library_knows(x); });
  bool would_help = known && !who.library_allowed() && has_kernel(groups);
  if (who.library_allowed() && !known) std::erase_if(nodes, [&](const auto& x) { return who.library_knows(x); });
  std::string hint = several_shapes ? "; in a task with several shapes nothing is left to a library"
                                    : "; --allow-library-calls would leave this to the library";
  return "not covered: " + operators_of(graph, nodes) + (would_help ? hint : "") + drawing_hint(graph, nodes);
}

/// Groups that have no kernel are the library's; neighbours among them are one.
plan plan_of(const graph_index& graph, std::vector<node_group> groups, const coverage& who, std::string remark) {
  auto left = operators_of(graph, left_over(groups));
  if (!left.empty()) remark += "; left to the library: " + left;
  plan result{1, std::move(remark), {}};
  bool library_before = false;
  for (auto& group : groups) {
    if (group.by == nullptr && library_before) {
      std::ranges::move(group.nodes, std::back_inserter(result.groups.back().nodes));
      continue;
    }
    library_before = group.by == nullptr;
    const auto* by = group.by ? group.by : who.library(group.nodes.front());
    result.groups.push_back(
        {"g" + std::to_string(result.groups.size()), std::string{by->name()}, std::move(group.nodes), {}});
  }
  return result;
}

std::vector<node_group> groups_of(const graph_index& graph, const coverage& who, const fusion_options& how) {
  std::vector<std::string> all;
  for (const auto& node : graph.graph().nodes) all.push_back(node.name);
  const auto* one = how == choices().front() ? who.kernel(all) : nullptr;
  if (one != nullptr) return {{one, std::move(all)}};
  return group_nodes(
      graph, [&](std::span<const std::string> nodes) { return who.kernel(nodes); }, how);
}

/// Different ways to put nodes into groups, the cheapest by the roofline first; knobs are still to come.
std::vector<plan> groupings(const graph_index& graph, const coverage& who, const cost_options& costs) {
  std::vector<std::vector<node_group>> known;
  std::vector<std::pair<double, plan>> found;
  for (const auto& how : choices()) {
    auto groups = groups_of(graph, who, how);
    if (std::ranges::find(known, groups) != known.end()) continue;
    known.push_back(groups);
    bool whole = std::ranges::all_of(left_over(groups), [&](const auto& x) { return who.library(x) != nullptr; });
    if (!whole || !has_kernel(groups)) continue;
    auto x = plan_of(graph, std::move(groups), who, how.remark);
    auto seconds = cost_of(x, graph, costs).seconds;
    found.emplace_back(seconds, std::move(x));
  }
  std::ranges::stable_sort(found, {}, [](const auto& x) { return x.first; });
  std::vector<plan> result;
  for (auto& [seconds, x] : found) result.push_back(std::move(x));
  return result;
}

/// The i-th preset of each group's recipe; nothing where no recipe has so many.
std::optional<plan> with_preset(const plan& bare, const language& language, std::size_t i) {
  auto result = bare;
  std::string remark;
  bool any = i == 0;
  for (auto& group : result.groups) {
    const auto& presets = language.files().recipe(group.recipe)->manifest.presets;
    if (presets.empty()) continue;
    any = any || i < presets.size();
    const auto& preset = presets[std::min(i, presets.size() - 1)];
    group.knobs = preset.knobs;
    if (remark.empty() || i < presets.size()) remark = preset.remark;
  }
  if (result.groups.size() == 1) result.remark.clear();
  if (!remark.empty()) result.remark += (result.remark.empty() ? "" : "; ") + remark;
  return any ? std::optional{std::move(result)} : std::nullopt;
}

/// Each grouping once before any comes again with other knobs: knobs are what a tuner changes by itself.
std::vector<plan> with_presets(const std::vector<plan>& bare, const language& language) {
  std::vector<plan> result;
  for (std::size_t i = 0, before = 0;; ++i, before = result.size()) {
    for (const auto& x : bare)
      if (auto whole = with_preset(x, language, i)) result.push_back(*std::move(whole));
    if (result.size() == before) return result;
  }
}

plan_reply without_plan(std::string remark) { return {{}, std::move(remark)}; }

/// What is wrong with a plan for any shape; empty: nothing.
std::string problems_of(const plan& x, std::span<const graph_index> shapes, const language& language,
                        const messages::device_info& device) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto problems = check_plan(x, shapes[i], language, device);
    if (problems.empty()) continue;
    return (i == 0 ? "" : "shape " + std::to_string(i + 1) + ": ") + to_string(problems);
  }
  return {};
}

}  // namespace

plan_reply rules_plan(const messages::plan_request& request, const messages::op_graph& graph,
                      const language& language) {
  return rules_plan(request, {&graph, 1}, language);
}

plan_reply rules_plan(const messages::plan_request& request, std::span<const messages::op_graph> graphs,
                      const language& language) {
  for (const auto& graph : graphs)
    if (auto ok = check(graph); !ok) return without_plan(ok.error().detail);
  if (graphs.front().nodes.empty()) return without_plan("not covered: the task computes nothing");
  if (request.wanted == 0) return without_plan("no plan was wanted");
  std::vector<graph_index> shapes(graphs.begin(), graphs.end());
  const auto& index = shapes.front();
  bool library = request.allow_library_calls && shapes.size() == 1;
  coverage who{language, index, library};
  auto costs = cost_options::of(request.about.device);
  auto bare = groupings(index, who, costs);
  if (bare.empty()) bare = groupings(index, {language, index, library, false}, costs);
  if (bare.empty())
    return without_plan(not_covered(index, who, groups_of(index, who, choices().front()), shapes.size() > 1));
  plan_reply reply;
  std::string problem;
  for (auto& x : with_presets(bare, language)) {
    auto found = problems_of(x, shapes, language, request.about.device);
    if (!found.empty()) problem = found;
    if (found.empty() && reply.plans.size() < request.wanted) reply.plans.push_back(std::move(x));
  }
  if (reply.plans.empty()) reply.remark = problem;
  return reply;
}

}  // namespace dsl
