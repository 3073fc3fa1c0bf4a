#pragma once
// An executor whose work a worker family does: what cpu devices and compilers have in common. What they differ in is
// their craft.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "devices/executor.hpp"
#include "devices/worker/worker_family.hpp"

namespace devices::worker {

/// What to ask a worker for a stage, and what its answer means.
struct stage_work {
  decltype(messages::worker_command::work) work;
  std::function<messages::stage_outcome(worker_answer)> conclude;  ///< destroyed when the stage has ended
};

/// A worker that ended, or was ended, with a stage in hand.
struct lost_worker {
  family_folders folders;          ///< its own, still there
  std::optional<process_end> end;  ///< none: it was ended, since the stage's time was over
};

/// Used on the hub's thread only.
class worker_craft {
public:
  virtual ~worker_craft() = default;

  /// Asked before the first stage; none: hello is enough.
  virtual std::optional<messages::probe_work> first_question() const { return std::nullopt; }
  /// Its answer. After a failure the family is started again.
  virtual messages::expected<void> learn(worker_answer) { return {}; }

  /// A failure ends the stage with it.
  /// @param folders what the worker reads or writes goes there
  virtual messages::expected<stage_work> prepare(const messages::stage_request& request,
                                                 const family_folders& folders) = 0;

  /// What the loss says of the stage's own input; none: it is a failure of the machinery.
  virtual std::optional<messages::stage_outcome> explain(const messages::stage_request&, const lost_worker&) const {
    return std::nullopt;
  }
};

/// A stage waits inside until a place is free. Its run limit counts from when the worker gets it; then the family is
/// ended and the stage with `deadline_exceeded`.
/// A stage that is given up beside others gives its result up, and keeps its place until the worker is done with it.
/// With the last stage that somebody wants the family is ended, and with it all that was given up before.
/// A stage that still waits when the family goes down ends with `interrupted`: it was no attempt.
class family_executor final : public executor {
public:
  /// @param side_by_side stages that the worker has at a time
  family_executor(std::shared_ptr<worker_hub> hub, worker_family_options family, std::size_t side_by_side,
                  std::unique_ptr<worker_craft> craft);
  /// Not on the hub's thread.
  ~family_executor() override;

  void start(executor_events events) override;
  void run(const messages::stage_request& request, stage_events events) override;
  void cancel(const messages::stage_id& stage) override;
  std::string toolchain() const override;

private:
  struct waiting_stage {
    messages::stage_request request;
    stage_events events;
  };

  struct running_stage {
    stage_events events;
    std::uint64_t serial = 0;  // of this run: a stage that was given up may come again before its answer does
  };

  void on_up(const messages::worker_hello& hello);
  void on_first_answer(messages::expected<worker_answer> answer);
  void on_down(const messages::failure& why);
  void set_ready();
  void accept(waiting_stage stage);
  void start_waiting();
  void begin(waiting_stage stage);
  messages::stage_outcome outcome_of(const messages::stage_request& request, const messages::failure& why) const;
  std::optional<stage_events> take_running(const messages::stage_id& id, std::uint64_t serial);
  void give_up(const messages::stage_id& id);

  std::shared_ptr<worker_hub> hub_;
  worker_family_options options_;
  std::size_t side_by_side_;
  std::unique_ptr<worker_craft> craft_;
  executor_events events_;
  std::unique_ptr<worker_family> family_;
  bool ready_ = false;
  std::deque<waiting_stage> waiting_;
  std::map<messages::stage_id, running_stage> running_;
  std::uint64_t last_serial_ = 0;
  std::size_t places_taken_ = 0;  // by running stages and by those that were given up beside others
  mutable std::mutex mutex_;      // of toolchain_
  std::string toolchain_;
};

}  // namespace devices::worker
