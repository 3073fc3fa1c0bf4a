#pragma once
// One worker that is started again whenever it ends: a judge, which starts a zygote of its own, or a compiler.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/worker/worker_hub.hpp"
#include "devices/worker/worker_python.hpp"
#include "messages/records/worker.hpp"

namespace devices::worker {

struct worker_family_options {
  std::string name;  ///< for messages: "judge of cpu:0"
  worker_role role = worker_role::judge;
  std::vector<std::string> arguments;           ///< beside those of PROTOCOL.md
  std::vector<std::filesystem::path> readable;  ///< in its sandbox, beside what its Python needs
  std::vector<std::filesystem::path> devices;   ///< files in /dev that it and its candidates use
  worker_python python;
  std::chrono::milliseconds start_limit{120'000};  ///< from the start to hello
  std::chrono::milliseconds first_pause{100};      ///< before a restart; doubles with each until one does good work
  std::chrono::milliseconds longest_pause{10'000};
};

/// Anything but hello and progress.
using worker_answer = decltype(messages::worker_reply::content);

struct worker_call {
  decltype(messages::worker_command::work) work;
  std::chrono::milliseconds limit{0};  ///< then the family is ended, and this call with `deadline_exceeded`
  std::function<void(messages::expected<worker_answer>)> done;
  std::function<void(const messages::worker_progress&)> progress;
};

struct family_events {
  std::function<void(const messages::worker_hello&)> up;
  std::function<void(const messages::failure&)> down;  ///< after every open call has failed
};

/// Folders of one start, which go away when it has ended.
struct family_folders {
  std::filesystem::path files;  ///< written by us, read by the worker
  std::filesystem::path own;    ///< of the worker, for reading and writing: what lies there is not to be trusted
};

/// Starts its worker again whenever it ends, after a pause. Lives on the hub's thread: made, used and destroyed there,
/// and all reports are made there.
class worker_family {
public:
  using call_id = std::uint64_t;

  worker_family(worker_hub& hub, worker_family_options options, family_events events);
  worker_family(const worker_family&) = delete;
  /// Ends the processes; open calls are dropped without a word.
  ~worker_family();

  void start();

  /// Between `up` and `down`. False from the moment an end is ordered.
  bool is_up() const { return state_ == state::up; }

  /// `done` follows exactly once, never inside this call; with `worker_lost` if the family ends before, or is not up.
  /// `worker_failure` arrives as `no_resource`.
  call_id call(worker_call x);

  /// Forgets a call: its answer is dropped.
  void forget(call_id id);

  /// Ends the worker and starts a new one: at once, or after a pause if the family is to blame.
  enum class blame { nobody, family };
  void restart(const messages::failure& why, blame whose);

  /// Of the worker that is up.
  const family_folders& folders() const { return folders_; }

  /// How the last worker ended by itself: while its open calls fail, until the next one is started.
  const std::optional<process_end>& last_end() const { return last_end_; }

  /// How often the worker was started, for reports.
  std::uint32_t starts() const { return starts_; }
  /// Before the last restart that was the family's fault; 0 after good work.
  std::chrono::milliseconds pause() const { return pause_; }

private:
  enum class state { stopped, starting, up, ending };
  struct open_call {
    worker_call call;
    std::optional<worker_hub::timer_id> timer;
  };

  void start_generation();
  messages::expected<void> start_worker();
  messages::expected<void> make_folders();
  std::string sandbox() const;
  void on_message(wire::bytes_view message);
  void on_hello(const messages::worker_hello& hello);
  void on_reply(messages::worker_reply reply);
  void on_ended(const process_end& how);
  void start_after_pause();
  void expire(call_id id);
  void fail_call(call_id id, const messages::failure& why);
  void end(const messages::failure& why, blame whose);
  void set_timer(std::chrono::milliseconds delay, worker_hub::task f);
  void clear_timer();
  messages::failure lost(const std::string& what) const;

  worker_hub& hub_;
  worker_family_options options_;
  family_events events_;
  state state_ = state::stopped;
  private_folder folder_;   // of this generation
  family_folders folders_;  // in it
  std::string id_;          // of the worker that runs; empty: none does
  std::map<call_id, open_call> calls_;
  call_id last_call_ = 0;
  std::chrono::milliseconds pause_{0};
  std::chrono::milliseconds next_pause_{0};
  std::optional<process_end> last_end_;
  std::optional<worker_hub::timer_id> timer_;  // of the start limit or the pause
  std::uint32_t starts_ = 0;
};

}  // namespace devices::worker
