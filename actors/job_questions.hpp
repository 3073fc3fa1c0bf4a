#pragma once
// The questions that a job has out: each is tried a few times, all are given up together.

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "actors/caf.hpp"
#include "messages/protocols/coder.hpp"
#include "messages/protocols/debugger.hpp"
#include "messages/protocols/planner.hpp"
#include "messages/records/event.hpp"
#include "messages/records/executor_report.hpp"
#include "messages/records/job.hpp"
#include "messages/records/run.hpp"

namespace actors {

/// What a job understands: what others send it, and its own reminders.
using private_job_actor = caf::typed_actor<messages::ask<messages::job_status_request, messages::job_status>,
                                           messages::tell<messages::drain_job>, messages::tell<messages::reminder>>;

/// Whom a job asks; which implementation it is, the job does not know.
struct job_agents {
  messages::planner_actor planner;
  messages::coder_actor coder;
  messages::debugger_actor debugger;
};

struct question_limits {
  std::chrono::milliseconds one_try{600'000};
  std::uint32_t attempts = 3;
  std::chrono::milliseconds retry_delay{500};  ///< doubles with each try
};

/// Belongs to a job's actor and is used by it alone. Agents fail as machinery fails: a question is asked again, and the
/// failure of the last try is what its asker gets.
class job_questions {
public:
  template <class Reply>
  using answer = std::function<void(messages::expected<Reply>)>;
  using teller = std::function<void(messages::event_kind, const std::string& question, std::string text)>;

  /// @param tell is told of every try and every end
  job_questions(private_job_actor::base* self, job_agents agents, const question_limits& limits, teller tell);

  void ask(const messages::plan_request& request, answer<messages::plan_reply> use);
  void ask(const messages::code_request& request, answer<messages::code_reply> use);
  void ask(const messages::debug_request& request, answer<messages::debug_reply> use);

  /// A reminder of a next try came.
  void try_again(std::uint64_t number);

  /// From now on nothing is tried again. Agents are told; what waits for its next try ends as interrupted before this
  /// returns, what was asked ends as its agent says.
  void give_up();

private:
  struct question {
    std::function<void()> send;
    std::function<void()> cancel;
    std::function<void(const messages::failure&)> fail;
    std::uint32_t tries = 0;
    std::uint64_t waits_for = 0;  // the reminder of its next try; 0: it is asked
  };

  template <class Handle, class Request, class Reply>
  void add(const Handle& agent, const Request& request, answer<Reply> use);
  void send(const std::string& key);
  void failed(const std::string& key, const messages::failure& reason);
  void finish(const std::string& key, const messages::failure& reason);

  private_job_actor::base* self_;
  job_agents agents_;
  question_limits limits_;
  teller tell_;
  std::map<std::string, question> open_;
  std::uint64_t last_reminder_ = 0;
  bool given_up_ = false;
};

}  // namespace actors
