#pragma once
// What is known of a job: made of facts alone, live and after a crash by the same apply.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "messages/records/fact.hpp"

namespace actors::logic {

using time_point = std::chrono::sys_time<std::chrono::milliseconds>;

inline double seconds_of(std::chrono::milliseconds x) { return static_cast<double>(x.count()) / 1000; }

/// A candidate may be timed more than once; a later step counts in place of those before.
enum class timing_step : std::uint8_t {
  screen,  ///< a short look, enough to drop what is clearly slower than the best
  full,
  again,  ///< of a winner, in a fresh process: the figure that is reported
};

/// Later measurements of an equal kernel differ by noise: below this it is no gain.
constexpr double least_gain = 1.01;

/// As `job_finished::stopped_by` has it.
constexpr std::string_view stopped_by_infrastructure = "infrastructure";

/// A candidate and how far it got.
struct candidate_state {
  messages::candidate_created made;
  /// The recorded one of each kind: a verdict. Of a profile that could not be made a failure too, which counts nowhere.
  std::map<messages::stage_kind, messages::stage_result> results;
  std::set<timing_step> steps;            ///< steps that have an outcome
  std::optional<messages::ratio> before;  ///< its speedup over eager by the timing that the last one took the place of
  std::optional<messages::kernel_failure> rejection;
  bool broken = false;  ///< a stage failed for reasons that are not the candidate's

  const messages::candidate_id& id() const { return made.candidate; }

  /// What a finished stage found, or null.
  template <class Finding>
  const Finding* found(messages::stage_kind kind) const {
    auto result = results.find(kind);
    if (result == results.end()) return nullptr;
    auto verdict = std::get_if<messages::verdict>(&result->second.outcome);
    return verdict ? std::get_if<Finding>(&verdict->finding) : nullptr;
  }

  bool correct() const { return found<messages::verified>(messages::stage_kind::verify) && !rejection; }

  /// Given up, broken, or not come to: nothing is known of it.
  bool not_judged() const { return !correct() && !rejection; }
  const messages::timing* timing() const;

  /// Over eager; 0 where it was not timed or is not correct.
  double speedup() const;
};

/// A job as far as it is known.
struct job_state {
  messages::job_spec spec;
  messages::run_id run;
  std::optional<time_point> started;
  std::optional<time_point> clock;  ///< since it was taken up last, its time counts from here: its first stage had run
  std::chrono::milliseconds worked{0};  ///< when it was taken up before
  time_point last{};                    ///< of its last fact
  std::chrono::milliseconds idle{0};    ///< from the end of a run to its resumption, all together
  std::optional<messages::traced> trace;
  std::optional<messages::kernel_failure> task_failure;  ///< trace or judge found the task itself wanting
  std::optional<messages::failure> broken;               ///< the trace failed for reasons that are not the task's
  std::optional<messages::plan_reply> plans;
  std::map<messages::question_id, messages::reply_received> replies;  ///< of coder and debugger
  std::vector<candidate_state> candidates;                            ///< in the order they were made
  std::optional<messages::job_finished> finished;
  std::optional<time_point> ended;            ///< when it finished
  std::uint32_t failed_stages = 0;            ///< infrastructure failures that outlasted their attempts
  std::string last_failure;                   ///< the last of them
  std::vector<messages::candidate_id> gains;  ///< each was the best when it was timed, the last is the best now
  std::uint32_t since_gain = 0;               ///< candidates timed since then, those that were dropped too

  job_state() = default;
  job_state(messages::job_spec s, messages::run_id r) : spec(std::move(s)), run(std::move(r)) {}

  candidate_state* find(const messages::candidate_id& id);
  const candidate_state* find(const messages::candidate_id& id) const;

  /// The fastest correct one; without timing the first correct one. Null if none is.
  const candidate_state* best() const;

  std::uint32_t correct() const;
  std::uint32_t not_judged() const;

  /// Of a messages::task: as it was given, or as its trace shrunk it.
  const messages::blob_hash& task() const;

  /// What its time limit is held against: neither waits for devices that are still to start, nor the time between a
  /// run's end and its resumption.
  std::chrono::milliseconds spent(time_point now) const;

  /// From its start to its end, or to `now`, waits for devices too, but for the time in which the run did not go on.
  std::chrono::milliseconds took(time_point now) const;

  /// It has ended for reasons that are not the task's: it is taken up again when the run is resumed.
  bool worth_another_try() const { return finished && finished->stopped_by == stopped_by_infrastructure; }
};

/// What is wrong with a task, with the line in its file where that is known.
std::string sentence_of(const messages::kernel_failure& task_failure);

/// Clearly slower than the best: its interval ends below where that of the best begins.
bool is_slower(const candidate_state& candidate, const candidate_state& best);

/// Faster than what the device was measured to be by more than its figures scatter: the calibration is of a busy
/// machine, or the task fits in a cache. As a measure of what is left to gain the share then says nothing.
bool beats_roofline(const messages::timing& x);

/// Was the fastest of several by the very figure that is told, which is partly luck: it waits for its second timing.
bool is_timed_once(const job_state& job, const candidate_state& candidate);

/// The same work has the same id: of a trace without candidate. `step` counts for timings.
messages::stage_id stage_of(const job_state& job, const messages::candidate_id& candidate, messages::stage_kind kind,
                            timing_step step = timing_step::full);

/// Facts of other jobs must not be given. A fact that comes twice, or about something unknown, changes nothing.
void apply(job_state& job, const messages::fact& fact);

struct run_state {
  messages::run_spec spec;
  std::optional<time_point> started;
  time_point last{};                  ///< of the last fact
  std::chrono::milliseconds idle{0};  ///< from its ends to its resumptions, all together
  std::map<messages::job_id, job_state> jobs;
  bool finished = false;
  std::uint64_t facts = 0;

  std::uint32_t jobs_finished() const;

  /// From its start to its last fact, but for the time in which it did not go on.
  std::chrono::milliseconds took() const;

  /// It has finished, and none of its jobs is worth another try.
  bool over() const;
};

void apply(run_state& run, const messages::fact& fact);

}  // namespace actors::logic
