#pragma once
// The owner of all worker processes: one thread with a ZeroMQ ROUTER for what they say, an eventfd for what it is told,
// and a pidfd for each process.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "devices/worker/child_process.hpp"
#include "devices/worker/private_folder.hpp"
#include "messages/records/worker.hpp"
#include "messages/wire/wire.hpp"

namespace devices::worker {

struct worker_hub_options {
  std::filesystem::path folder;  ///< gets one folder of mode 0700 for this hub; short: socket paths are
  std::filesystem::path guard;   ///< the program kernelmesh-guard
  std::int64_t message_bytes = messages::worker_message_bytes;  ///< of a worker; whoever sends more is disconnected
  std::chrono::milliseconds kill_grace{5'000};  ///< for a guard to end all it guards; then the guard itself is killed

  messages::expected<void> validate() const;
};

/// Reported on the hub's thread.
struct process_events {
  std::function<void(wire::bytes_view)> message;  ///< not after `terminate`
  std::function<void(process_end)> ended;         ///< once
};

class worker_hub {
public:
  using task = std::function<void()>;
  using clock = std::chrono::steady_clock;
  using timer_id = std::pair<clock::time_point, std::uint64_t>;

  /// Fails with `misconfigured` or `storage`. Removes what hubs of dead processes left in the folder.
  static messages::expected<std::shared_ptr<worker_hub>> open(const worker_hub_options& options);

  /// Ends all processes. Not on the hub's thread.
  ~worker_hub();

  // -- from any thread --

  /// Runs on the hub's thread, in the order of the calls. Never throws, never waits.
  void post(task f);
  /// As `post`, and returns after it ran; at once on the hub's thread itself.
  void call(const task& f);

  const std::string& endpoint() const { return endpoint_; }
  std::filesystem::path socket_file() const;
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Messages that came from nobody known, or did not have one part after the sender.
  std::uint64_t ignored_messages() const { return ignored_; }

  // -- on the hub's thread only --

  /// @param id what the process must connect as, not used before
  messages::expected<void> start(const std::string& id, const process_order& order, process_events events);
  /// Returns false if nobody of that id is connected.
  bool send(const std::string& id, const wire::bytes& message);
  /// Asks the guard to end the process; `ended` follows, messages don't. Unknown ids are ignored.
  void terminate(const std::string& id);
  /// Returns when they are gone, after `kill_grace` or little more however many they are; nothing is reported about
  /// them any more.
  void end_now(std::span<const std::string> ids);

  timer_id after(std::chrono::milliseconds delay, task f);
  void cancel(const timer_id& timer) { timers_.erase(timer); }

private:
  struct worker {
    child_process process;
    process_events events;
    bool ending = false;
  };
  struct socket;

  explicit worker_hub(const worker_hub_options& options);
  messages::expected<void> bind();
  void loop();
  void wait();
  int poll_timeout() const;
  void run_tasks();
  void receive();
  void reap();
  void fire_timers();

  worker_hub_options options_;
  private_folder folder_;
  descriptor lock_, wake_;
  std::string endpoint_;
  std::unique_ptr<socket> socket_;
  std::map<std::string, worker> workers_;
  std::map<timer_id, task> timers_;
  std::uint64_t last_timer_ = 0;
  std::atomic<std::uint64_t> ignored_ = 0;
  std::mutex mutex_;         // of tasks_
  std::vector<task> tasks_;  // posted, not yet run
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace devices::worker
