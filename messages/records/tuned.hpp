#ifndef KERNELMESH_MESSAGES_RECORDS_TUNED_HPP
#define KERNELMESH_MESSAGES_RECORDS_TUNED_HPP
// What earlier jobs found: version 1 of the files in STATE/tuned. Form and rules: actors/JOURNAL.md.

#include <cstdint>
#include <string>
#include <vector>

#include "messages/records/ids.hpp"
#include "messages/records/plan.hpp"

namespace messages {

/// The best plan of one job.
struct tuned_plan {
  run_id run;
  std::string task_name;
  std::string graph;               ///< hash of the op graph with its shapes, without names
  double bytes = 0;                ///< that the graph moves at least: how alike other shapes are
  std::vector<std::string> nodes;  ///< of the graph, in its order: the plan's names
  messages::plan plan;
  double speedup = 0;  ///< over eager

  void fields(auto& f) {
    f("run", run);
    f("task_name", task_name);
    f("graph", graph);
    f("bytes", bytes);
    f("nodes", nodes);
    f("plan", plan);
    f("speedup", speedup);
  }
  friend bool operator==(const tuned_plan&, const tuned_plan&) = default;
};

/// Of one structure on one device in one DSL; the last one kept comes last.
struct tuned_plans_file {
  std::uint32_t version = 1;
  std::vector<tuned_plan> plans;

  void fields(auto& f) {
    f("version", version);
    f("plans", plans);
  }
  friend bool operator==(const tuned_plans_file&, const tuned_plans_file&) = default;
};

}  // namespace messages

#endif
