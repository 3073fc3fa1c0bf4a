#include "dsl/plan_checker.hpp"

#include <map>
#include <set>

#include "dsl/coverage.hpp"
#include "dsl/knobs.hpp"
#include "dsl/manifest_rules.hpp"

namespace dsl {

namespace {

/// One pass over a plan; each member looks at one rule.
class checker {
public:
  checker(const messages::plan& plan, const graph_index& graph, const language& language,
          const messages::device_info& device)
      : plan_(plan), graph_(graph), language_(language), device_(device) {}

  std::vector<plan_problem> run() && {
    if (plan_.version != 1) say("version", "is " + std::to_string(plan_.version) + ", but only 1 is known");
    if (plan_.groups.empty()) say("groups", "is empty");
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) check_group(i);
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) check_order(i);
    for (std::size_t i = 0; i < plan_.groups.size(); ++i) check_changes(i);
    for (const auto& node : graph_.graph().nodes) {
      if (!owner_.contains(node.name)) say("groups", "node " + node.name + " is in no group");
    }
    return std::move(problems_);
  }

private:
  void say(std::string path, std::string problem) { problems_.push_back({std::move(path), std::move(problem)}); }

  static std::string at(std::size_t group, std::string_view key) {
    return "groups[" + std::to_string(group) + "]." + std::string{key};
  }

  void check_group(std::size_t i) {
    const auto& group = plan_.groups[i];
    if (!is_identifier(group.name)) say(at(i, "name"), '"' + group.name.substr(0, 64) + "\" is not an identifier");
    if (!names_.insert(group.name).second) say(at(i, "name"), '"' + group.name.substr(0, 64) + "\" stands twice");
    auto before = problems_.size();
    check_nodes(i);
    bool nodes_stand = problems_.size() == before;
    const auto* files = language_.files().recipe(group.recipe);
    const auto* implementation = language_.find(group.recipe);
    if (files == nullptr || implementation == nullptr) {
      say(at(i, "recipe"), language_.name() + " has no recipe \"" + group.recipe.substr(0, 64) + '"');
      return;
    }
    check_knobs(i, files->manifest);
    if (!nodes_stand) return;
    if (!files->manifest.library && touches_complex(graph_, group.nodes)) say(at(i, "nodes"), "hold complex numbers");
    if (auto ok = implementation->covers(graph_, group.nodes); !ok) say(at(i, "nodes"), ok.error().detail);
  }

  void check_nodes(std::size_t i) {
    if (plan_.groups[i].nodes.empty()) say(at(i, "nodes"), "is empty");
    for (const auto& name : plan_.groups[i].nodes) {
      if (graph_.node(name) == nullptr) {
        say(at(i, "nodes"), "the graph has no node \"" + name.substr(0, 64) + '"');
      } else if (auto [where, fresh] = owner_.emplace(name, i); !fresh) {
        say(at(i, "nodes"), "node " + name + " is in groups[" + std::to_string(where->second) + "] too");
      }
    }
  }

  void check_knobs(std::size_t i, const recipe_manifest& recipe) {
    for (const auto& [name, value] : plan_.groups[i].knobs) {
      auto path = at(i, "knobs." + name.substr(0, 64));
      const auto* knob = find_knob(recipe, name);
      if (knob == nullptr) {
        say(path, "recipe " + recipe.name + " has no such knob");
      } else if (!lists(*knob, value)) {
        say(path, to_text(value) + " is not among the values " + values_of(*knob));
      }
    }
    check_limits(i, recipe);
  }

  /// Defaults too: a device may be too small for them.
  void check_limits(std::size_t i, const recipe_manifest& recipe) {
    auto all = complete(recipe, plan_.groups[i].knobs);
    for (const auto& [name, value] : all) {
      if (!within_limits(*find_knob(recipe, name), value, device_)) {
        say(at(i, "knobs." + name), to_text(value) + " is beyond the limits of " + device_.name.value);
      }
    }
    if (const auto* broken = broken_constraint(recipe, all, device_)) {
      say(at(i, "knobs"), "these values do not go together: " + broken->why);
    }
  }

  void check_order(std::size_t i) {
    for (const auto& name : plan_.groups[i].nodes) {
      const auto* node = graph_.node(name);
      if (node == nullptr) continue;
      for (auto used : tensors_used(*node)) {
        auto owner = owner_.find(std::string{used});
        if (owner == owner_.end() || owner->second <= i) continue;
        say(at(i, "nodes"),
            name + " uses " + owner->first + " of groups[" + std::to_string(owner->second) + "], which runs later");
      }
    }
  }

  /// Who reads a buffer before a node of the group changes it must not run after the group.
  void check_changes(std::size_t i) {
    for (const auto& name : plan_.groups[i].nodes) {
      const auto* node = graph_.node(name);
      if (node == nullptr) continue;
      for (auto changed : changed_by(*node)) {
        for (const auto* reader : graph_.users(changed)) {
          auto owner = owner_.find(reader->name);
          bool before = graph_.position(*reader) < graph_.position(*node);
          if (!before || owner == owner_.end() || owner->second <= i) continue;
          say(at(i, "nodes"), name + " changes " + std::string{changed} + ", which " + reader->name + " of groups["
                                  + std::to_string(owner->second) + "] reads before");
        }
      }
    }
  }

  const messages::plan& plan_;
  const graph_index& graph_;
  const language& language_;
  const messages::device_info& device_;
  std::set<std::string> names_;
  std::map<std::string, std::size_t> owner_;
  std::vector<plan_problem> problems_;
};

}  // namespace

std::vector<plan_problem> check_plan(const messages::plan& plan, const graph_index& graph, const language& language,
                                     const messages::device_info& device) {
  return checker{plan, graph, language, device}.run();
}

std::string to_string(std::span<const plan_problem> problems) {
  std::string text;
  for (const auto& x : problems) text += (text.empty() ? "" : "; ") + x.path + ": " + x.problem;
  return text;
}

}  // namespace dsl
