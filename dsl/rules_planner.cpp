#include "dsl/rules_planner.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "dsl/coverage.hpp"
#include "dsl/knobs.hpp"
#include "dsl/plan_checker.hpp"

namespace dsl {

namespace {

using messages::plan;
using messages::plan_reply;

/// Puts nodes into groups, in the graph's order; what is the library's as early as it can run, so that views and
/// preparations do not part the kernels.
class gatherer {
public:
  gatherer(const coverage& who, const graph_index& graph) : who_(who), graph_(graph) {}

  plan gather() && {
    for (const auto& node : graph_.graph().nodes) {
      if (who_.is_library(node.name)) {
        add_to_library(node);
      } else {
        add_to_kernels(node.name);
      }
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].name = "g" + std::to_string(i);
    return {1, {}, std::move(groups_)};
  }

private:
  void add_to_kernels(const std::string& node) {
    if (!groups_.empty()) {
      auto& group = groups_.back();
      group.nodes.push_back(node);
      if (const auto* wider = who_.kernel(group.nodes)) {
        group.recipe = wider->name();
        return;
      }
      group.nodes.pop_back();
    }
    groups_.push_back({{}, std::string{who_.kernel({&node, 1})->name()}, {node}, {}});
  }

  void add_to_library(const messages::graph_node& node) {
    std::string name{who_.library(node.name)->name()};
    auto at = changed_by(node).empty() ? earliest(node) : groups_.size();
    if (at > 0 && groups_[at - 1].recipe == name) --at;
    if (at == groups_.size() || groups_[at].recipe != name)
      groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(at), messages::plan_group{{}, name, {}, {}});
    groups_[at].nodes.push_back(node.name);
  }

  /// The first place behind all groups that the node needs.
  std::size_t earliest(const messages::graph_node& node) const {
    std::set<std::string_view> needed;
    for (auto used : tensors_used(node)) {
      needed.insert(used);
      for (const auto* user : graph_.users(used)) {
        bool before = graph_.position(*user) < graph_.position(node);
        if (before && std::ranges::count(changed_by(*user), used) > 0) needed.insert(user->name);
      }
    }
    auto behind = std::ranges::find_if(groups_.rbegin(), groups_.rend(), [&](const messages::plan_group& group) {
      return std::ranges::any_of(group.nodes, [&](const auto& name) { return needed.contains(name); });
    });
    return static_cast<std::size_t>(groups_.rend() - behind);
  }

  const coverage& who_;
  const graph_index& graph_;
  std::vector<messages::plan_group> groups_;
};

/// Views may have no recipe alone, but one together with what they belong to.
std::optional<plan> whole(const coverage& who, const graph_index& graph) {
  std::vector<std::string> all;
  for (const auto& node : graph.graph().nodes) all.push_back(node.name);
  const auto* one = who.kernel(all);
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
    if (!preset.remark.empty() && (result.remark.empty() || i < presets.size())) result.remark = preset.remark;
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
  coverage who{language, index, request.allow_library_calls};
  auto one = whole(who, index);
  if (auto missing = one ? std::string{} : who.missing(); !missing.empty()) return refuse(std::move(missing));
  auto bare = one ? *one : gatherer{who, index}.gather();
  auto left = one ? std::string{} : who.left_to_library();
  plan_reply reply;
  std::string problem = "no plan was wanted";
  for (std::size_t i = 0; reply.plans.size() < request.wanted; ++i) {
    auto x = with_preset(bare, language, i);
    if (!x) break;
    if (!left.empty()) x->remark += "; left to the library: " + left;
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
