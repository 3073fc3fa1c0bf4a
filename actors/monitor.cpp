#include "actors/monitor.hpp"

#include <chrono>

#include "actors/event_socket.hpp"

namespace actors {

namespace {

using namespace messages;

class monitor_state {
public:
  using pointer = monitor_actor::stateful_pointer<monitor_state>;
  static inline const char* name = "monitor";

  explicit monitor_state(pointer) {}

  monitor_actor::behavior_type start(const monitor_options& options) {
    options_ = options;
    if (options_.log) open_log();
    if (!options_.endpoint.empty()) open();
    return {
        [this](const event& x) { take(x); },
        [this](const stage_progress& x) { progress(x); },
        [this](const metrics_request&) { return metrics_; },
    };
  }

private:
  void open() {
    auto socket = event_socket::open(options_.endpoint);
    if (socket)
      socket_ = std::move(*socket);
    else
      take({.kind = event_kind::warning, .subject = "monitor", .text = socket.error().detail});
  }

  void open_log() {
    auto log = event_log::open(*options_.log);
    if (log)
      log_ = std::move(*log);
    else
      take({.kind = event_kind::warning, .subject = "monitor", .text = log.error().detail});
  }

  void take(event x) {
    x.at = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    ++metrics_.events[std::string{enum_names(x.kind)[static_cast<std::size_t>(x.kind)]}];
    log_.write(x);
    socket_.publish(x);
    if (options_.on_event) options_.on_event(x);
  }

  void progress(const stage_progress& x) {
    take({.kind = event_kind::stage_progress, .subject = x.stage.value, .text = x.text, .share = x.share});
  }

  monitor_options options_;
  event_socket socket_;
  event_log log_;
  metrics_reply metrics_;
};

}  // namespace

monitor_actor spawn_monitor(caf::actor_system& system, const monitor_options& options) {
  return spawn_state<monitor_state>(system, options);
}

}  // namespace actors
