// Figures of a node, one a line as "name value unit": scripts/bench/node holds them against their goals.
//   kernelmesh-node-bench ROOT STATE PYTHON GUARD

#include <sys/resource.h>
#include <unistd.h>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>

#include "actors/caf.hpp"
#include "actors/device_runner.hpp"
#include "actors/journal.hpp"
#include "actors/monitor.hpp"
#include "actors/scheduler.hpp"
#include "actors/system.hpp"
#include "actors/system_config.hpp"
#include "devices/simulated/simulated_device.hpp"
#include "messages/records/executor_report.hpp"
#include "messages/records/fact.hpp"

namespace {

using namespace messages;
using namespace std::literals;
using clock_type = std::chrono::steady_clock;
namespace fs = std::filesystem;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

void print(const char* name, double value, const char* unit) {
  std::printf("%s %.4g %s\n", name, value, unit);
  std::fflush(stdout);
}

double own_cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& x) { return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double resident_mb() {
  std::ifstream statm{"/proc/self/statm"};
  double pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// -- empty stages through scheduler, simulated runner and journal
// -------------------------------------------------------

using pump_actor = caf::typed_actor<tell<reminder>>;

/// Keeps so many stages open, journals each result, and says when all are on disk.
class pump_state {
public:
  using pointer = pump_actor::stateful_pointer<pump_state>;
  static inline const char* name = "pump";
  static constexpr int open_at_once = 256;

  explicit pump_state(pointer self) : self_(self) {}

  pump_actor::behavior_type start(const scheduler_actor& scheduler, const journal_actor& journal, int wanted,
                                  const std::function<void()>& done) {
    scheduler_ = scheduler;
    journal_ = journal;
    wanted_ = wanted;
    done_ = done;
    return {[this](const reminder&) { begin_pumping(); }};
  }

private:
  void begin_pumping() {
    append_facts first{{"bench"}, {{.run = {"bench"}, .content = run_started{{.run = {"bench"}}}}}};
    self_->request(journal_, 1min, std::move(first)).then([this](const facts_appended&) {
      for (int i = 0; i < open_at_once; ++i) send();
    });
  }

  void send() {
    if (sent_ == wanted_) return;
    stage_request request{.stage = {std::to_string(++sent_)}, .kind = stage_kind::verify};
    request.target.device = {"simulated:0"};
    self_->request(scheduler_, 1min, std::move(request)).then([this](const stage_result& x) { record(x); });
  }

  void record(const stage_result& x) {
    append_facts facts{{"bench"}, {{.run = {"bench"}, .job = {"j"}, .content = stage_finished{x}}}};
    self_->request(journal_, 1min, std::move(facts)).then([this](const facts_appended&) {
      if (++recorded_ == wanted_) done_();
      send();
    });
  }

  pointer self_;
  scheduler_actor scheduler_;
  journal_actor journal_;
  int wanted_ = 0, sent_ = 0, recorded_ = 0;
  std::function<void()> done_;
};

void measure_stages(const fs::path& state) {
  constexpr int stages = 20'000;
  actors::system_config config;
  caf::actor_system system{config};
  auto store = *blobs::blob_store::open(state / "bench-blobs");
  auto monitor = actors::spawn_monitor(system);
  auto journal = actors::spawn_journal(system, {.folder = state / "bench-runs"});
  auto scheduler = actors::spawn_scheduler(system, monitor);
  auto make = [&](devices::timer& time) { return *devices::simulated::make_simulated_device(store, time, {}); };
  auto runner =
      actors::spawn_device_runner(system, scheduler, monitor, {{"here"}, {"simulated:0"}, 64, 2, false}, make);
  std::mutex mutex;
  std::condition_variable over;
  bool finished = false;
  auto done = [&] {
    std::lock_guard lock{mutex};
    finished = true;
    over.notify_one();
  };
  auto pump = actors::spawn_state<pump_state>(system, scheduler, journal, stages, std::function<void()>{done});
  auto start = clock_type::now();
  caf::anon_send(pump, reminder{"go", 0});
  std::unique_lock lock{mutex};
  bool in_time = over.wait_for(lock, 2min, [&] { return finished; });
  print("empty_stages_per_second", in_time ? stages / seconds_since(start) : 0, "1/s");
  auto end = [](const auto& actor) { caf::anon_send_exit(actor, caf::exit_reason::user_shutdown); };
  end(pump), end(runner), end(scheduler), end(journal), end(monitor);
}

// -- a whole node
// -------------------------------------------------------------------------------------------------------

struct arguments {
  fs::path root, state, python, guard;
};

void measure_idle_node(const arguments& x) {
  configs::system_config config;
  config.devices = {{.name = "simulated:0"}};
  config.compilers = {{.dsl = "cpp", .simulated = configs::simulated_options{}}};
  auto node = actors::node::start({.config = config, .install = {x.root}, .state_folder = x.state});
  if (!node) return void(std::fprintf(stderr, "%s\n", node.error().detail.c_str()));
  auto before = own_cpu_seconds();
  auto start = clock_type::now();
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock{mutex};
  never.wait_for(lock, 10s, [] { return false; });  // being idle is what is measured
  print("idle_node_core_share", 100 * (own_cpu_seconds() - before) / seconds_since(start), "%");
  print("node_without_workers_mb", resident_mb(), "MB");
}

/// Of a worker that is ready: from the request to the artifact in the store.
void measure_first_compile(const arguments& x) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  actors::node_options options{.config = {}, .install = {x.root}, .state_folder = x.state, .python = x.python};
  options.guard = x.guard;
  options.config.devices.clear();
  options.on_event = [&](const event& e) {
    std::lock_guard lock{mutex};
    ready = ready || e.kind == event_kind::resource_joined;
    changed.notify_one();
  };
  auto node = actors::node::start(options);
  if (!node) return void(std::fprintf(stderr, "%s\n", node.error().detail.c_str()));
  candidate_manifest manifest{.dsl = "cpp", .entry = c_abi_entry{}};
  manifest.sources = {{"kernel.cpp", *(*node)->store().put("extern \"C\" int kernelmesh_run() { return 0; }\n")}};
  stage_request request{.stage = {"first"}, .kind = stage_kind::compile, .candidate = identify(manifest)};
  request.manifest = *(*node)->store().put_record(manifest);
  request.target.dsl = "cpp";
  {
    std::unique_lock lock{mutex};
    if (!changed.wait_for(lock, 2min, [&] { return ready; })) return;
  }
  auto start = clock_type::now();
  auto result = (*node)->run_stage(request);
  auto built = result ? std::get_if<verdict>(&result->outcome) : nullptr;
  if (!built || !std::holds_alternative<compiled>(built->finding))
    return void(std::fprintf(stderr, "the compile failed: %s\n",
                             result ? wire::to_json(*result).c_str() : result.error().detail.c_str()));
  print("first_compile_seconds", seconds_since(start), "s");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: kernelmesh-node-bench ROOT STATE PYTHON GUARD\n");
    return 2;
  }
  arguments x{argv[1], argv[2], argv[3], argv[4]};
  measure_idle_node(x);
  measure_stages(x.state);
  measure_first_compile(x);
}
