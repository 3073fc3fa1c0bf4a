#ifndef KERNELMESH_MESSAGES_RECORDS_QUESTION_HPP
#define KERNELMESH_MESSAGES_RECORDS_QUESTION_HPP
// What a job asks its agents and what they answer. A reply is a fact: it is journaled before it is used.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/records/candidate.hpp"
#include "messages/records/device.hpp"
#include "messages/records/knob_space.hpp"
#include "messages/records/plan.hpp"
#include "messages/records/stage.hpp"
#include "messages/records/verdict.hpp"

namespace messages {

enum class agent_role : std::uint8_t { planner, coder, debugger, profiler, migrator, task_builder, tuner };
constexpr auto enum_names(agent_role) {
  return std::to_array<std::string_view>(
      {"planner", "coder", "debugger", "profiler", "migrator", "task_builder", "tuner"});
}

/// What every question is about. Bulk data by hash; agents read the blob store.
struct question_context {
  question_id question;
  run_id run;
  job_id job;
  blob_hash task;                       ///< of a messages::task
  blob_hash graph;                      ///< of the simplified op graph in JSON
  std::vector<blob_hash> other_graphs;  ///< of the task's other shapes, in their order
  messages::target target;
  device_info device;  ///< limits to plan for
  std::uint64_t seed = 0;

  void fields(auto& f) {
    f("question", question);
    f("run", run);
    f("job", job);
    f("task", task);
    f("graph", graph);
    f("other_graphs", other_graphs);
    f("target", target);
    f("device", device);
    f("seed", seed);
  }
  friend bool operator==(const question_context&, const question_context&) = default;
};

/// The asker wants the answer no more; it gets `interrupted`. Unknown questions are ignored.
struct cancel_question {
  static constexpr auto wire_name = "cancel_question";
  run_id run;
  job_id job;
  question_id question;

  void fields(auto& f) {
    f("run", run);
    f("job", job);
    f("question", question);
  }
  friend bool operator==(const cancel_question&, const cancel_question&) = default;
};

// -- planner ----------------------------------------------------------------------------------------------------------

struct plan_request {
  static constexpr auto wire_name = "plan_request";
  question_context about;
  std::uint32_t wanted = 4;          ///< at most so many plans, the most promising first
  bool allow_library_calls = false;  ///< what no kernel covers may be left to a library
  bool earlier = false;              ///< the best that an earlier run found comes first, one more than wanted

  void fields(auto& f) {
    f("about", about);
    f("wanted", wanted);
    f("allow_library_calls", allow_library_calls);
    f("earlier", earlier);
  }
  friend bool operator==(const plan_request&, const plan_request&) = default;
};

/// A plan that an earlier run found, which a job starts from.
struct earlier_plan {
  run_id run;
  std::string task_name;
  bool same_shapes = false;  ///< else the same operators on other shapes
  double speedup = 0;        ///< over eager, as it was there

  void fields(auto& f) {
    f("run", run);
    f("task_name", task_name);
    f("same_shapes", same_shapes);
    f("speedup", speedup);
  }
  friend bool operator==(const earlier_plan&, const earlier_plan&) = default;
};

struct plan_reply {
  static constexpr auto wire_name = "plan_reply";
  std::vector<plan> plans;                   ///< empty: the remark says why
  std::string remark;                        ///< "not covered: aten.convolution"
  std::map<std::string, knob_space> spaces;  ///< by recipe; empty: the planner does not know what can be chosen
  std::optional<earlier_plan> started_from;  ///< where the first plan comes from, if not from the planner

  void fields(auto& f) {
    f("plans", plans);
    f("remark", remark);
    f("spaces", spaces);
    f("started_from", started_from);
  }
  friend bool operator==(const plan_reply&, const plan_reply&) = default;
};

// -- coder ------------------------------------------------------------------------------------------------------------

struct code_request {
  static constexpr auto wire_name = "code_request";
  question_context about;
  messages::plan plan;                       ///< with the knobs to use
  std::optional<candidate_manifest> parent;  ///< what to improve on
  std::uint32_t variation = 0;               ///< 0: write the plan as it is; k: the k-th way to improve on it, from 1

  void fields(auto& f) {
    f("about", about);
    f("plan", plan);
    f("parent", parent);
    f("variation", variation);
  }
  friend bool operator==(const code_request&, const code_request&) = default;
};

struct code_reply {
  static constexpr auto wire_name = "code_reply";
  std::optional<candidate_manifest> manifest;  ///< its sources lie in the blob store; absent: the remark says why
  blob_hash manifest_blob;                     ///< of the manifest
  messages::plan plan;                         ///< as it was written, with the knobs that were used
  std::string remark;

  void fields(auto& f) {
    f("manifest", manifest);
    f("manifest_blob", manifest_blob);
    f("plan", plan);
    f("remark", remark);
  }
  friend bool operator==(const code_reply&, const code_reply&) = default;
};

// -- debugger ---------------------------------------------------------------------------------------------------------

struct debug_request {
  static constexpr auto wire_name = "debug_request";
  question_context about;
  messages::plan plan;
  candidate_manifest manifest;
  kernel_failure failure;
  std::uint32_t repairs = 0;  ///< tried already on this line

  void fields(auto& f) {
    f("about", about);
    f("plan", plan);
    f("manifest", manifest);
    f("failure", failure);
    f("repairs", repairs);
  }
  friend bool operator==(const debug_request&, const debug_request&) = default;
};

/// Write the same plan again with these knobs.
struct change_knobs {
  static constexpr auto wire_name = "change_knobs";
  messages::plan plan;
  void fields(auto& f) { f("plan", plan); }
  friend bool operator==(const change_knobs&, const change_knobs&) = default;
};

/// This plan can't be saved.
struct next_plan {
  static constexpr auto wire_name = "next_plan";
  void fields(auto&) {}
  friend bool operator==(const next_plan&, const next_plan&) = default;
};

/// Here is a repaired program.
struct repaired {
  static constexpr auto wire_name = "repaired";
  candidate_manifest manifest;
  blob_hash manifest_blob;
  void fields(auto& f) {
    f("manifest", manifest);
    f("manifest_blob", manifest_blob);
  }
  friend bool operator==(const repaired&, const repaired&) = default;
};

struct debug_reply {
  static constexpr auto wire_name = "debug_reply";
  std::variant<next_plan, change_knobs, repaired> advice;
  std::string remark;  ///< why; one sentence

  void fields(auto& f) {
    f("advice", advice);
    f("remark", remark);
  }
  friend bool operator==(const debug_reply&, const debug_reply&) = default;
};

// -- profiler ---------------------------------------------------------------------------------------------------------

struct profile_request {
  static constexpr auto wire_name = "profile_request";
  question_context about;
  messages::plan plan;
  candidate_manifest manifest;
  profiled metrics;

  void fields(auto& f) {
    f("about", about);
    f("plan", plan);
    f("manifest", manifest);
    f("metrics", metrics);
  }
  friend bool operator==(const profile_request&, const profile_request&) = default;
};

struct profile_reply {
  static constexpr auto wire_name = "profile_reply";
  std::string bottleneck;
  std::vector<plan> suggestions;  ///< the same groups with other knobs, the most promising first
  std::string remark;

  void fields(auto& f) {
    f("bottleneck", bottleneck);
    f("suggestions", suggestions);
    f("remark", remark);
  }
  friend bool operator==(const profile_reply&, const profile_reply&) = default;
};

// -- migrator ---------------------------------------------------------------------------------------------------------

struct migrate_request {
  static constexpr auto wire_name = "migrate_request";
  question_context about;
  candidate_manifest source;  ///< a correct kernel in another DSL or for another device

  void fields(auto& f) {
    f("about", about);
    f("source", source);
  }
  friend bool operator==(const migrate_request&, const migrate_request&) = default;
};

struct migrate_reply {
  static constexpr auto wire_name = "migrate_reply";
  std::optional<candidate_manifest> manifest;
  std::string remark;

  void fields(auto& f) {
    f("manifest", manifest);
    f("remark", remark);
  }
  friend bool operator==(const migrate_reply&, const migrate_reply&) = default;
};

// -- task builder -----------------------------------------------------------------------------------------------------

struct build_task_request {
  static constexpr auto wire_name = "build_task_request";
  question_context about;
  std::string description;  ///< in words, or a Python symbol's source
  std::string symbol;       ///< of the source; empty: the description is in words

  void fields(auto& f) {
    f("about", about);
    f("description", description);
    f("symbol", symbol);
  }
  friend bool operator==(const build_task_request&, const build_task_request&) = default;
};

struct build_task_reply {
  static constexpr auto wire_name = "build_task_reply";
  blob_hash task;  ///< none: the remark says why
  std::string remark;

  void fields(auto& f) {
    f("task", task);
    f("remark", remark);
  }
  friend bool operator==(const build_task_reply&, const build_task_reply&) = default;
};

// -- tuner ------------------------------------------------------------------------------------------------------------

struct tune_request {
  static constexpr auto wire_name = "tune_request";
  question_context about;
  messages::plan plan;
  candidate_manifest start;
  std::uint32_t trials = 32;  ///< at most

  void fields(auto& f) {
    f("about", about);
    f("plan", plan);
    f("start", start);
    f("trials", trials);
  }
  friend bool operator==(const tune_request&, const tune_request&) = default;
};

struct tune_reply {
  static constexpr auto wire_name = "tune_reply";
  std::optional<messages::plan> best;  ///< absent: nothing was better than the start
  std::uint32_t trials = 0;
  std::string remark;

  void fields(auto& f) {
    f("best", best);
    f("trials", trials);
    f("remark", remark);
  }
  friend bool operator==(const tune_reply&, const tune_reply&) = default;
};

}  // namespace messages

#endif
