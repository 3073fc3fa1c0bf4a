#include "actors/job_questions.hpp"

#include <algorithm>
#include <vector>

namespace actors {

using namespace messages;

job_questions::job_questions(private_job_actor::base* self, job_agents agents, const question_limits& limits,
                             teller tell)
    : self_(self), agents_(std::move(agents)), limits_(limits), tell_(std::move(tell)) {}

void job_questions::ask(const plan_request& request, answer<plan_reply> use) {
  add(agents_.planner, request, std::move(use));
}

void job_questions::ask(const code_request& request, answer<code_reply> use) {
  add(agents_.coder, request, std::move(use));
}

void job_questions::ask(const debug_request& request, answer<debug_reply> use) {
  add(agents_.debugger, request, std::move(use));
}

template <class Handle, class Request, class Reply>
void job_questions::add(const Handle& agent, const Request& request, answer<Reply> use) {
  auto key = request.about.question.value;
  auto& x = open_[key];
  x.cancel = [this, agent, about = request.about] {
    self_->send(agent, cancel_question{about.run, about.job, about.question});
  };
  x.fail = [use](const failure& reason) { use(tl::unexpected{reason}); };
  auto answered = [this, key, use](const Reply& reply) {
    open_.erase(key);
    tell_(event_kind::question_answered, key, {});
    use(reply);
  };
  x.send = [this, agent, request, key, answered] {
    self_->request(agent, limits_.one_try, request).then(answered, [this, key](const caf::error& error) {
      failed(key, to_failure(error));
    });
  };
  send(key);
}

void job_questions::send(const std::string& key) {
  tell_(event_kind::question_asked, key, {});
  auto& x = open_.at(key);
  ++x.tries;
  x.waits_for = 0;
  x.send();
}

void job_questions::failed(const std::string& key, const failure& reason) {
  tell_(event_kind::warning, key, reason.detail);
  auto& x = open_.at(key);
  if (given_up_ || x.tries >= limits_.attempts) return finish(key, reason);
  x.waits_for = ++last_reminder_;
  self_->delayed_send(self_, limits_.retry_delay * (1 << (x.tries - 1)), reminder{"retry", x.waits_for});
}

void job_questions::finish(const std::string& key, const failure& reason) {
  if (auto x = open_.extract(key)) x.mapped().fail(reason);
}

void job_questions::try_again(std::uint64_t number) {
  auto x = std::ranges::find_if(open_, [&](const auto& y) { return y.second.waits_for == number; });
  if (x != open_.end()) send(x->first);
}

void job_questions::give_up() {
  given_up_ = true;
  std::vector<std::string> waiting;
  for (const auto& [key, x] : open_) {
    if (x.waits_for == 0) x.cancel();
    if (x.waits_for != 0) waiting.push_back(key);
  }
  for (const auto& key : waiting) finish(key, {failure_code::interrupted, "the question was given up"});
}

}  // namespace actors
