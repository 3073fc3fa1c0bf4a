#include "actors/logic/tune.hpp"

#include <algorithm>

#include "actors/logic/knob_search.hpp"
#include "actors/logic/search_round.hpp"

namespace actors::logic {

using namespace messages;

namespace {

std::string path_of(const plan_group& group, const std::string& knob) { return group.name + '.' + knob; }

/// The rule with its knobs' names in the group.
knob_rule within(const plan_group& group, knob_rule rule) {
  for (auto& product : rule.products)
    for (auto& name : product) name = path_of(group, name);
  for (auto& name : rule.multiple) name = path_of(group, name);
  knob_values where;
  for (const auto& [name, value] : rule.where) where[path_of(group, name)] = value;
  rule.where = std::move(where);
  return rule;
}

/// The same groups, whatever their knobs.
bool same_groups(const plan& a, const plan& b) {
  return std::ranges::equal(a.groups, b.groups, [](const plan_group& x, const plan_group& y) {
    return x.name == y.name && x.recipe == y.recipe && x.nodes == y.nodes;
  });
}

knob_values knobs_of(const plan& x) {
  knob_values all;
  for (const auto& group : x.groups)
    for (const auto& [name, value] : group.knobs) all[path_of(group, name)] = value;
  return all;
}

plan with_knobs(plan x, const knob_values& knobs) {
  x.remark = "knobs chosen by what others of their kind gave";
  for (auto& group : x.groups) {
    group.knobs.clear();
    auto start = path_of(group, "");
    for (const auto& [path, value] : knobs)
      if (path.starts_with(start)) group.knobs[path.substr(start.size())] = value;
  }
  return x;
}

class round_of_tune final : public search_round {
public:
  using search_round::search_round;

private:
  ask_planner planner_question() const override { return {{"plan"}, job().spec.strategy.earlier_plans}; }

  /// Those that wait for a compiler do not keep the device busy: as many again may be on their way to it.
  bool full() const override {
    auto width = job().spec.strategy.width;
    auto on_device = static_cast<std::uint32_t>(std::ranges::count_if(job().candidates, [&](const auto& x) {
      auto next = stage_after(x);
      return next && next->kind != stage_kind::compile;
    }));
    return on_device >= width || live() - std::min(live(), on_device) >= width || enough_evaluations();
  }

  std::optional<send_stage> stage_after(const candidate_state& candidate) const override {
    auto next = next_stage(job(), candidate);
    auto best = job().best();
    if (candidate.rejection || candidate.broken || candidate.steps.contains(timing_step::full)) return std::nullopt;
    if (!job().spec.time || (next && next->kind != stage_kind::time)) return next;
    if (candidate.steps.contains(timing_step::screen) && best && is_slower(candidate, *best)) return std::nullopt;
    auto full = timing_of(job(), candidate, timing_step::full);
    bool short_look = best && job().spec.strategy.screening < 1 && !candidate.steps.contains(timing_step::screen);
    if (!short_look || open().contains(key_of(full))) return full;  // it is out since before there was a best one
    return timing_of(job(), candidate, timing_step::screen);
  }

  void improve(const candidate_state& best) override {
    auto space = joint_space(best.made.plan, job().plans->spaces);
    if (space.axes.empty()) return vary(best);
    knob_grid grid{space};
    auto wanted = job().spec.strategy.width + open().size();  // those that are asked for already come first
    for (const auto& knobs : propose(grid, tried(best.made.plan), wanted, {.seed = job().spec.seed})) {
      auto plan = with_knobs(best.made.plan, knobs);
      start({code_question(plan), plan, best.id(), 0});
    }
  }

  /// Each setting that the coder was asked for, by what came of the program that it gave.
  std::vector<tried_setting> tried(const plan& alike) const {
    std::vector<tried_setting> all;
    for (const auto& [question, received] : job().replies) {
      auto reply = std::get_if<code_reply>(&received.reply);
      if (!reply || !same_groups(reply->plan, alike)) continue;
      auto made = reply->manifest ? job().find(identify(*reply->manifest)) : nullptr;
      all.push_back(outcome_of(knobs_of(reply->plan), made));
    }
    return all;
  }

  static tried_setting outcome_of(knob_values knobs, const candidate_state* made) {
    using state = tried_setting::state;
    if (!made || made->rejection || made->broken) return {std::move(knobs), state::failed};
    if (made->speedup() <= 0) return {std::move(knobs), state::under_way};
    return {std::move(knobs), state::measured, 1 / made->speedup()};
  }
};

}  // namespace

knob_space joint_space(const plan& plan, const std::map<std::string, knob_space>& spaces) {
  knob_space all;
  for (const auto& group : plan.groups) {
    auto space = spaces.find(group.recipe);
    if (space == spaces.end()) continue;
    for (auto axis : space->second.axes) {
      axis.name = path_of(group, axis.name);
      if (axis.values.size() > 1) all.axes.push_back(std::move(axis));
    }
    for (const auto& rule : space->second.rules) all.rules.push_back(within(group, rule));
  }
  return all;
}

std::vector<action> tune_strategy::ask(const job_state& job, const open_actions& open) const {
  return round_of_tune{job, open}.decide();
}

}  // namespace actors::logic
