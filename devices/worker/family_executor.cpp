#include "devices/worker/family_executor.hpp"

#include <algorithm>

namespace devices::worker {

using messages::failure;
using messages::failure_code;

family_executor::family_executor(std::shared_ptr<worker_hub> hub, worker_family_options family,
                                 std::size_t side_by_side, std::unique_ptr<worker_craft> craft)
    : hub_(std::move(hub)), options_(std::move(family)), side_by_side_(side_by_side), craft_(std::move(craft)) {}

family_executor::~family_executor() {
  hub_->call([this] { family_.reset(); });  // behind everything that was posted
}

std::string family_executor::toolchain() const {
  std::lock_guard lock{mutex_};
  return toolchain_;
}

// -- from any thread --------------------------------------------------------------------------------------------------

void family_executor::start(executor_events events) {
  hub_->post([this, events = std::move(events)]() mutable {
    events_ = std::move(events);
    family_ = std::make_unique<worker_family>(*hub_, options_,
                                              family_events{.up = [this](const messages::worker_hello& x) { on_up(x); },
                                                            .down = [this](const failure& why) { on_down(why); }});
    family_->start();
  });
}

void family_executor::run(const messages::stage_request& request, stage_events events) {
  hub_->post([this, stage = waiting_stage{request, std::move(events)}] { accept(stage); });
}

void family_executor::cancel(const messages::stage_id& stage) {
  hub_->post([this, stage] { give_up(stage); });
}

// -- the family -------------------------------------------------------------------------------------------------------

void family_executor::on_up(const messages::worker_hello& hello) {
  {
    std::lock_guard lock{mutex_};
    toolchain_ = hello.environment.toolchain;
  }
  auto question = craft_->first_question();
  if (!question) return set_ready();
  family_->call({.work = *std::move(question),
                 .limit = options_.start_limit,
                 .done = [this](messages::expected<worker_answer> x) { on_first_answer(std::move(x)); }});
}

void family_executor::on_first_answer(messages::expected<worker_answer> answer) {
  auto learnt = answer ? craft_->learn(*std::move(answer)) : tl::unexpected{answer.error()};
  if (learnt) return set_ready();
  family_->restart(learnt.error(), worker_family::blame::family);
}

void family_executor::set_ready() {
  ready_ = true;
  events_.ready();
}

/// What ran has failed by then. What only waited had no part in it.
void family_executor::on_down(const failure& why) {
  ready_ = false;
  places_taken_ = 0;
  failure given_back{failure_code::interrupted, why.detail};
  for (auto& stage : std::exchange(waiting_, {})) stage.events.ended(given_back);
  events_.down(why);
}

// -- stages -----------------------------------------------------------------------------------------------------------

void family_executor::accept(waiting_stage stage) {
  const auto& id = stage.request.stage;
  auto same = [&](const waiting_stage& x) { return x.request.stage == id; };
  if (running_.contains(id) || std::ranges::any_of(waiting_, same))
    return stage.events.ended(
        failure{failure_code::refused, options_.name + ": stage " + id.value + " is here already"});
  if (!ready_) return stage.events.ended(failure{failure_code::interrupted, options_.name + ": it is not ready"});
  waiting_.push_back(std::move(stage));
  start_waiting();
}

void family_executor::start_waiting() {
  while (ready_ && family_->is_up() && !waiting_.empty() && places_taken_ < side_by_side_) {
    auto stage = std::move(waiting_.front());
    waiting_.pop_front();
    begin(std::move(stage));
  }
}

void family_executor::begin(waiting_stage stage) {
  auto work = craft_->prepare(stage.request, family_->folders());
  if (!work) return stage.events.ended(work.error());
  ++places_taken_;
  auto id = stage.request.stage;
  auto serial = ++last_serial_;
  running_.emplace(id, running_stage{stage.events, serial});
  auto done = [this, serial, request = stage.request,
               conclude = std::move(work->conclude)](messages::expected<worker_answer> x) {
    if (places_taken_ > 0) --places_taken_;
    if (auto events = take_running(request.stage, serial))
      events->ended(x ? conclude(*std::move(x)) : outcome_of(request, x.error()));
    start_waiting();
  };
  auto progress = [report = stage.events.progress, id, attempt = stage.request.attempt](const auto& x) {
    if (report) report({.stage = id, .attempt = attempt, .share = x.share, .text = x.text});
  };
  family_->call({std::move(work->work), stage.request.run_limit, std::move(done), std::move(progress)});
}

messages::stage_outcome family_executor::outcome_of(const messages::stage_request& request, const failure& why) const {
  const auto& end = family_->last_end();
  if (!end && why.code != failure_code::deadline_exceeded) return why;
  return craft_->explain(request, {family_->folders(), end}).value_or(why);
}

std::optional<stage_events> family_executor::take_running(const messages::stage_id& id, std::uint64_t serial) {
  auto found = running_.find(id);
  if (found == running_.end() || found->second.serial != serial) return std::nullopt;
  return running_.extract(found).mapped().events;
}

void family_executor::give_up(const messages::stage_id& id) {
  auto waiting = std::ranges::find_if(waiting_, [&](const waiting_stage& x) { return x.request.stage == id; });
  if (waiting != waiting_.end()) {
    auto stage = std::move(*waiting);
    waiting_.erase(waiting);
    return stage.events.ended(messages::cancelled{});
  }
  auto stage = running_.extract(id);
  if (stage.empty()) return;
  stage.mapped().events.ended(messages::cancelled{});
  if (running_.empty())  // whatever is left in there, nobody wants it any more
    family_->restart({failure_code::interrupted, options_.name + ": it starts anew, to give up stage " + id.value},
                     worker_family::blame::nobody);
}

}  // namespace devices::worker
