#include "actors/supervisor.hpp"

#include <algorithm>

namespace actors {

namespace {

using namespace messages;

class supervisor_state {
public:
  using pointer = supervisor_actor::stateful_pointer<supervisor_state>;
  static inline const char* name = "supervisor";

  explicit supervisor_state(pointer self) : self_(self) {}
  ~supervisor_state() {
    for (const auto& x : children_)
      if (x.actor) caf::anon_send_exit(x.actor, caf::exit_reason::user_shutdown);
  }

  supervisor_actor::behavior_type start(const monitor_actor& monitor, const std::vector<supervised>& children,
                                        const supervisor_options& options) {
    monitor_ = monitor;
    options_ = options;
    self_->set_down_handler([this](const caf::down_msg& x) { lost(x); });
    for (const auto& x : children) children_.push_back({x, {}, options.first_delay});
    for (std::size_t i = 0; i < children_.size(); ++i) spawn(i);
    return {[this](const reminder& x) { spawn(x.number); }};
  }

private:
  struct child {
    supervised what;
    stage_runner_actor actor;
    std::chrono::milliseconds delay;
  };

  void spawn(std::size_t i) {
    children_[i].actor = children_[i].what.spawn(self_->home_system());
    self_->monitor(children_[i].actor);
  }

  void lost(const caf::down_msg& x) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      auto& each = children_[i];
      if (x.source != each.actor) continue;
      self_->send(
          monitor_,
          event{.kind = event_kind::warning, .subject = each.what.name, .text = "it died; it is started again"});
      self_->delayed_send(self_, each.delay, reminder{"restart", i});
      each.delay = std::min(2 * each.delay, options_.longest_delay);
    }
  }

  pointer self_;
  monitor_actor monitor_;
  supervisor_options options_;
  std::vector<child> children_;
};

}  // namespace

supervisor_actor spawn_supervisor(caf::actor_system& system, const monitor_actor& monitor,
                                  std::vector<supervised> children, const supervisor_options& options) {
  return spawn_state<supervisor_state>(system, monitor, std::move(children), options);
}

}  // namespace actors
