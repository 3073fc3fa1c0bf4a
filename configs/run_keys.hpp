#pragma once
// The keys of a run config with their ranges; goes with run_config.hpp.

#include "configs/known_baselines.hpp"
#include "configs/run_config.hpp"
#include "configs/section.hpp"
#include "configs/system_keys.hpp"

namespace configs {

/// Without its limits, which have a section of their own.
template <>
struct keys_of<messages::strategy_options> {
  static void visit(auto& k, messages::strategy_options& x) {
    k("name", x.name, short_name{}, one_of{k.known().strategies});
    k("width", x.width, in_range{1, 256});
    k("patience", x.patience, in_range{1, 100'000});
    k("repairs", x.repairs, in_range{0, 1'000});
    k("enough_roofline_share", x.enough_roofline_share, in_range{0.0, 10.0});
    k("screening", x.screening, in_range{0.01, 1.0});
    k("earlier_plans", x.earlier_plans);
  }
};

template <>
struct keys_of<messages::judge_options> {
  static void visit(auto& k, messages::judge_options& x) {
    using namespace std::chrono_literals;
    k("draws", x.draws, in_range{5, 1'000});
    k("policy", x.policy, one_of{judge_policies()});
    k("baselines", x.baselines, one_of{known_baselines()});
    k("allow_library_calls", x.allow_library_calls);
    k("call_limit", x.call_limit, durations(100ms, 1h));
    k("timing_budget", x.timing_budget, durations(10ms, 1h));
    k("wanted_interval", x.wanted_interval, in_range{0.0001, 1.0});
  }
};

void task_entry::keys(auto& k) {
  k.required("path", path, not_empty{});
  k("dtype", dtype);
  k("overrides", overrides);
}

void target_entry::keys(auto& k) {
  k.required("device", device, device_form{.node_allowed = true});  // which there are, the system config says
  k.required("dsl", dsl, short_name{}, one_of{k.known().dsls});
  k("arch", arch);
}

void job_limits::keys(auto& k) {
  using namespace std::chrono_literals;
  k("time", time, durations(1s, 720h));
  k("evaluations", evaluations, in_range{1, 1'000'000});
}

void agent_choice::keys(auto& k) {
  one_of implementations{k.known().implementations};
  k("planner", planner, short_name{}, implementations);
  k("coder", coder, short_name{}, implementations);
  k("debugger", debugger, short_name{}, implementations);
}

/// What a variant can say, and the run for all of them.
void variant_options(auto& k, variant_entry& x) {
  k("strategy", x.strategy);
  k("limits", x.limits);
  k("agents", x.agents);
  k("judge", x.judge);
  k("timing", x.timing);
}

void variant_entry::keys(auto& k) {
  k.required("name", name, short_name{});
  variant_options(k, *this);
}

void run_config::keys(auto& k) {
  k.required("name", name, short_name{});
  k("system", system);
  k("dtype", dtype);
  k.need("tasks", "a list of Python files");
  k.from("tasks", tasks, task_entry{.dtype = dtype});
  k.need("targets", "a list such as [{device: cpu:0, dsl: cpp}]");
  k("targets", targets);
  variant_options(k, shared);
  k.from("variants", variants, shared);
  k("repeats", repeats, in_range{1, 1'000});
  k("seed", seed, any_seed);
  k("parallel_jobs", parallel_jobs, in_range{1, 1'024});
  k("out", out, not_empty{});
  auto variant = repeated(variants, &variant_entry::name);
  k.check(variant.empty(), "variants", "has two with the name " + in_quotes(variant) + "; rename one of them");
}

}  // namespace configs
