#include "devices/simulated/simulated_executor.hpp"

#include <map>
#include <mutex>

namespace devices::simulated {

using messages::failure;
using messages::failure_code;
using messages::stage_request;

struct simulated_executor::core : std::enable_shared_from_this<core> {
  struct open_stage {
    stage_request request;
    stage_events events;
    std::uint64_t serial;  // of this run: what a timer was set for may have been given up
  };
  using open_stages = std::map<messages::stage_id, open_stage>;

  core(const simulation_options& options, std::string name, timer& time, simulated_craft craft)
      : world(options), name(std::move(name)), time(time), craft(std::move(craft)) {}

  void begin(const stage_request& request, stage_events events);
  void after(std::chrono::microseconds delay, std::function<void(core&)> f);
  void finish(const messages::stage_id& id, std::uint64_t serial, attempt_fate fate);
  void go_down();
  void come_back();
  messages::stage_outcome outcome_of(const stage_request& request, attempt_fate fate);
  failure lost() const { return {failure_code::worker_lost, name + ": it is down, as simulated"}; }

  std::recursive_mutex mutex;  // reports are made under it, so that none is made after our end; they may call back
  simulation world;
  std::string name;
  timer& time;
  simulated_craft craft;
  executor_events events;
  open_stages open;
  std::uint64_t last_serial = 0;
  bool is_up = false;
  bool ended = false;
};

simulated_executor::simulated_executor(const simulation_options& options, std::string name, std::string toolchain,
                                       timer& time, simulated_craft craft)
    : core_(std::make_shared<core>(options, std::move(name), time, std::move(craft))),
      toolchain_(std::move(toolchain)) {}

simulated_executor::~simulated_executor() {
  std::lock_guard lock{core_->mutex};
  core_->ended = true;
  core_->open.clear();
}

void simulated_executor::start(executor_events events) {
  std::lock_guard lock{core_->mutex};
  core_->events = std::move(events);
  core_->come_back();
}

void simulated_executor::run(const stage_request& request, stage_events events) {
  std::lock_guard lock{core_->mutex};
  core_->begin(request, std::move(events));
}

void simulated_executor::cancel(const messages::stage_id& stage) {
  std::lock_guard lock{core_->mutex};
  if (auto found = core_->open.extract(stage); !found.empty()) found.mapped().events.ended(messages::cancelled{});
}

void simulated_executor::core::begin(const stage_request& request, stage_events events) {
  if (!is_up) return events.ended(lost());
  if (open.contains(request.stage))
    return events.ended(failure{failure_code::refused, name + ": stage " + request.stage.value + " is here already"});
  auto serial = ++last_serial;
  open.emplace(request.stage, open_stage{request, std::move(events), serial});
  auto fate = world.fate_of(request);
  auto delay = world.latency_of(request);
  if (fate == attempt_fate::goes_down) delay /= 2;
  if (fate == attempt_fate::hangs) delay = request.run_limit;
  after(delay, [id = request.stage, serial, fate](core& self) { self.finish(id, serial, fate); });
}

void simulated_executor::core::after(std::chrono::microseconds delay, std::function<void(core&)> f) {
  if (delay.count() == 0) return f(*this);
  time.after(delay, [weak = weak_from_this(), f = std::move(f)] {
    auto self = weak.lock();
    if (!self) return;
    std::lock_guard lock{self->mutex};
    if (!self->ended) f(*self);
  });
}

void simulated_executor::core::finish(const messages::stage_id& id, std::uint64_t serial, attempt_fate fate) {
  auto found = open.find(id);
  if (found == open.end() || found->second.serial != serial) return;
  if (fate == attempt_fate::goes_down) return go_down();
  auto stage = std::move(open.extract(found).mapped());
  stage.events.ended(outcome_of(stage.request, fate));
}

messages::stage_outcome simulated_executor::core::outcome_of(const stage_request& request, attempt_fate fate) {
  if (fate == attempt_fate::fails) return failure{failure_code::worker_lost, name + ": it failed, as simulated"};
  if (fate == attempt_fate::hangs)
    return failure{failure_code::deadline_exceeded, name + ": no answer within the run limit, as simulated"};
  return craft(request);
}

void simulated_executor::core::go_down() {
  is_up = false;
  for (auto& [id, stage] : std::exchange(open, {})) stage.events.ended(lost());
  if (events.down) events.down(lost());
  after(std::max(world.options().down_for, std::chrono::milliseconds{1}), [](core& self) { self.come_back(); });
}

void simulated_executor::core::come_back() {
  is_up = true;
  if (events.ready) events.ready();
}

}  // namespace devices::simulated
