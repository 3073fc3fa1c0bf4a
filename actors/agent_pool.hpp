#pragma once
// Several actors of one implementation behind one handle: the same typed interface, read off the protocol, so that
// every kind of agent has the same pool.

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "actors/caf.hpp"
#include "messages/records/question.hpp"

namespace actors {

struct agent_pool_options {
  std::uint32_t size = 1;
  std::chrono::milliseconds question_limit{600'000};
};

template <class Handle>
class agent_pool_state;

/// Gives each question to the member with the fewest open ones. A member that dies is replaced, and who had asked it
/// gets actor_lost at once.
template <class Request, class Reply>
class agent_pool_state<caf::typed_actor<caf::typed_mpi<caf::detail::type_list<Request>, caf::output_tuple<Reply>>,
                                        messages::tell<messages::cancel_question>>> {
public:
  using handle = caf::typed_actor<messages::ask<Request, Reply>, messages::tell<messages::cancel_question>>;
  using pointer = typename handle::template stateful_pointer<agent_pool_state>;
  using factory = std::function<handle(caf::actor_system&)>;
  static inline const char* name = "agent_pool";

  explicit agent_pool_state(pointer self) : self_(self) {}
  ~agent_pool_state() {
    for (auto& each : members_) lose(each);
    for (const auto& each : members_) caf::anon_send_exit(each.actor, caf::exit_reason::user_shutdown);
  }

  typename handle::behavior_type start(const agent_pool_options& options, const factory& make) {
    options_ = options;
    make_ = make;
    for (std::uint32_t i = 0; i < options.size; ++i) renew(members_.emplace_back());
    self_->set_down_handler([this](const caf::down_msg& x) { lost(x); });
    return {
        [this](const Request& x) { return ask(x); },
        [this](const messages::cancel_question& x) { cancel(x); },
    };
  }

private:
  struct asker {
    messages::question_context about;
    caf::typed_response_promise<Reply> promise;
  };
  struct member {
    handle actor;
    std::map<std::uint64_t, asker> open;
  };

  caf::result<Reply> ask(const Request& request) {
    auto& idlest = *std::min_element(members_.begin(), members_.end(),
                                     [](const auto& a, const auto& b) { return a.open.size() < b.open.size(); });
    auto promise = self_->template make_response_promise<Reply>();
    auto number = ++last_;
    idlest.open.emplace(number, asker{request.about, promise});
    self_->request(idlest.actor, options_.question_limit, request)
        .then([this, number](const Reply& reply) { settle(number, reply); },
              [this, number](const caf::error& error) { settle(number, tl::unexpected{messages::to_failure(error)}); });
    return promise;
  }

  void settle(std::uint64_t number, messages::expected<Reply> outcome) {
    for (auto& each : members_)
      if (auto found = each.open.extract(number)) deliver(found.mapped().promise, std::move(outcome));
  }

  void cancel(const messages::cancel_question& x) {
    for (auto& each : members_) {
      auto same = [&](const auto& open) {
        const auto& about = open.second.about;
        return about.run == x.run && about.job == x.job && about.question == x.question;
      };
      auto found = std::find_if(each.open.begin(), each.open.end(), same);
      if (found == each.open.end()) continue;
      self_->send(each.actor, x);
      settle(found->first, messages::fail(messages::failure_code::interrupted, "the question was given up"));
      return;
    }
  }

  void lost(const caf::down_msg& x) {
    for (auto& each : members_) {
      if (x.source != each.actor) continue;
      lose(each);
      renew(each);
    }
  }

  void lose(member& x) {
    for (auto& [number, open] : std::exchange(x.open, {}))
      deliver(open.promise, messages::fail(messages::failure_code::actor_lost, "the agent died over the question"));
  }

  void renew(member& x) {
    x.actor = make_(self_->home_system());
    self_->monitor(x.actor);
  }

  pointer self_;
  agent_pool_options options_;
  factory make_;
  std::vector<member> members_;
  std::uint64_t last_ = 0;
};

template <class Handle>
Handle spawn_agent_pool(caf::actor_system& system, const agent_pool_options& options,
                        typename agent_pool_state<Handle>::factory make) {
  return spawn_state<agent_pool_state<Handle>>(system, options, std::move(make));
}

}  // namespace actors
