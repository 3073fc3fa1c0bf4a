#pragma once
// What strategies that search have in common: the planner's plans in their order, what the debugger makes of those that
// fail, several candidates under way at once, when it is enough, and the winner's second timing. How a candidate is
// timed and how the best one is improved upon is each strategy's own.

#include "actors/logic/strategy.hpp"
#include "messages/records/content_hash.hpp"

namespace actors::logic {

messages::question_id code_question(const messages::plan& x);

/// One call of `ask`: what it has decided so far.
class search_round {
public:
  search_round(const job_state& job, const open_actions& open) : job_(job), open_(open) {}
  virtual ~search_round() = default;

  std::vector<action> decide();

protected:
  // -- each strategy's own --------------------------------------------------------------------------------------------

  virtual ask_planner planner_question() const { return {{"plan"}}; }
  virtual std::optional<send_stage> stage_after(const candidate_state& candidate) const {
    return next_stage(job_, candidate);
  }

  /// Candidates that improve on the best; called where there is room for one.
  virtual void improve(const candidate_state& best) = 0;

  virtual bool full() const;

  // -- for them -------------------------------------------------------------------------------------------------------

  const job_state& job() const { return job_; }
  const open_actions& open() const { return open_; }

  /// Whether so many more candidates than are there and asked for may be judged.
  bool enough_evaluations() const;
  std::uint32_t live() const { return live_; }

  /// One more candidate, unless it was asked for or there is no room.
  void start(ask_coder question);

  /// The coder is asked for one variation after another until it has no more.
  void vary(const candidate_state& best);

private:
  void want(action x);
  void go_on_with(const candidate_state& candidate);
  std::uint32_t repairs_before(const candidate_state& candidate) const;
  const candidate_state* repaired_from(const candidate_state& candidate) const;
  bool worth_a_repair(const candidate_state& candidate) const;
  void count_open_questions();
  std::string reason_to_stop() const;
  void start_more();
  void start_repair_of(const candidate_state& candidate);
  std::vector<action> end(const std::string& stop);
  std::string remark() const;
  std::string first_remark() const;
  finish_job finish(std::string stopped_by, std::string remark) const;

  const job_state& job_;
  const open_actions& open_;
  std::vector<action> actions_;
  std::uint32_t live_ = 0;   // candidates and questions under way
  std::uint32_t asked_ = 0;  // coder questions that will become candidates
};

}  // namespace actors::logic
