#pragma once
// What a job tries next. A strategy keeps nothing of its own: it reads the job's state, which facts have made.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "actors/logic/job_state.hpp"

namespace actors::logic {

struct ask_planner {
  messages::question_id question;
  bool earlier = false;  ///< what an earlier run found comes first
};

/// Write `plan`; with a parent, improve on it.
struct ask_coder {
  messages::question_id question;
  messages::plan plan;
  std::optional<messages::candidate_id> parent;
  std::uint32_t variation = 0;
};

struct ask_debugger {
  messages::question_id question;
  messages::candidate_id candidate;  ///< that was rejected
  std::uint32_t repairs = 0;         ///< on this line before
};

struct send_stage {
  messages::stage_id stage;
  messages::stage_kind kind = messages::stage_kind::trace;
  std::optional<messages::candidate_id> candidate;  ///< none: a trace
  timing_step step = timing_step::full;             ///< of a timing
};

/// Make a candidate of what the user gave.
struct adopt_imported {};

struct finish_job {
  messages::job_finished how;
};

using action = std::variant<ask_planner, ask_coder, ask_debugger, send_stage, adopt_imported, finish_job>;

/// The same work has the same key, so it is never out twice.
std::string key_of(const action& x);

/// Keys of actions that are out: asked or sent, not yet a fact.
using open_actions = std::set<std::string>;

/// Deterministic given the state (facts, seed) and what is open; there are no rounds and no barriers.
class strategy {
public:
  virtual ~strategy() = default;

  /// What to start now, beside what is open. `finish_job` comes alone.
  virtual std::vector<action> ask(const job_state& job, const open_actions& open) const = 0;
};

/// Names of those that search, for users; "imported" only judges.
std::vector<std::string> search_strategies();

/// Fails with misconfigured, naming the known ones.
messages::expected<std::unique_ptr<strategy>> make_strategy(const std::string& name);

/// The strategy's wish within the limits that hold for all of them: trace first, the job's time with a reserve for the
/// winner's second timing, a broken trace.
std::vector<action> next_actions(const job_state& job, const strategy& plan, const open_actions& open, time_point now);

/// Where the next stage of a candidate leads, or nothing if it is through or rejected. For strategies.
std::optional<send_stage> next_stage(const job_state& job, const candidate_state& candidate);

/// A timing of a candidate, in a fresh process.
send_stage timing_of(const job_state& job, const candidate_state& candidate, timing_step step);

/// The timing in a fresh process that the winner of a search has before it is named: of the leader, then, where it came
/// out slower than another one's first figure, of that one too, and so on for a few. Nothing: it is settled, or there
/// is nothing to time.
std::optional<send_stage> second_timing(const job_state& job);

/// What a job spends before it does no more than `second_timing`: its time limit less what that may take, of a leader
/// that is found until then too. Moves with the leader.
std::chrono::milliseconds time_to_search(const job_state& job);

/// How strictly and how long a stage judges.
messages::judge_options judge_of(const messages::job_spec& spec, const send_stage& stage);

}  // namespace actors::logic
