#pragma once
// The whole tree of actors on a simulated device, in virtual time.

#include "actors/agent_pool.hpp"
#include "actors/coder.hpp"
#include "actors/compiler.hpp"
#include "actors/coordinator.hpp"
#include "actors/debugger.hpp"
#include "actors/device_runner.hpp"
#include "actors/journal.hpp"
#include "actors/journal_file.hpp"
#include "actors/monitor.hpp"
#include "actors/planner.hpp"
#include "actors/scheduler.hpp"
#include "actors/system.hpp"
#include "devices/simulated/simulated_compiler.hpp"
#include "devices/simulated/simulated_device.hpp"
#include "messages/records/task.hpp"
#include "tests/support/deterministic.hpp"
#include "tests/support/scratch_folder.hpp"

namespace testing {

using namespace std::literals;

/// Latencies of a real machine; nothing fails.
inline devices::simulated::simulation_options calm_world() {
  using messages::stage_kind;
  devices::simulated::simulation_options world;
  world.seed = 7;
  world.latency = {
      {stage_kind::trace, 1s}, {stage_kind::compile, 400ms}, {stage_kind::verify, 900ms}, {stage_kind::time, 3s}};
  return world;
}

struct simulated_tree : deterministic {
  explicit simulated_tree(const std::filesystem::path& state,
                          const devices::simulated::simulation_options& w = calm_world())
      : world(w),
        runs(actors::runs_folder(state)),
        earlier(actors::tuned_folder(state)),
        store(*blobs::blob_store::open(actors::blobs_folder(state))) {
    configs::install_paths install{KERNELMESH_SOURCE_DIR};
    languages = *actors::load_languages(**actors::load_registry(install));
    monitor = actors::spawn_monitor(system, {.on_event = [this](const messages::event& x) { events.push_back(x); }});
    journal = actors::spawn_journal(system, {.folder = runs, .own_thread = false});
    scheduler_handle = actors::spawn_scheduler(system, monitor);
    spawn_runners();
    spawn_coordinator();
  }

  ~simulated_tree() {
    for (const auto& actor : {device, compiler}) self->send_exit(actor, caf::exit_reason::user_shutdown);
    self->send_exit(coordinator, caf::exit_reason::user_shutdown);
    self->send_exit(planner, caf::exit_reason::user_shutdown);
    self->send_exit(coder, caf::exit_reason::user_shutdown);
    self->send_exit(debugger, caf::exit_reason::user_shutdown);
    self->send_exit(scheduler_handle, caf::exit_reason::user_shutdown);
    self->send_exit(journal, caf::exit_reason::user_shutdown);
    self->send_exit(monitor, caf::exit_reason::user_shutdown);
    run();
  }

  void spawn_runners() {
    auto make_device = [this](devices::timer& time) {
      return *devices::simulated::make_simulated_device(store, time, {.world = world});
    };
    auto make_compiler = [this](devices::timer& time) {
      return *devices::simulated::make_simulated_compiler(store, time, {.world = world});
    };
    device =
        actors::spawn_device_runner(system, scheduler_handle, monitor, {{"here"}, {"simulated:0"}, 2}, make_device);
    compiler = actors::spawn_compiler(system, scheduler_handle, monitor, {{"here"}, "cpp", 2}, make_compiler);
  }

  void spawn_coordinator() {
    actors::rules_agent_options rules{languages, store, false, earlier};
    planner = actors::spawn_agent_pool<messages::planner_actor>(
        system, {}, [rules](caf::actor_system& s) { return actors::spawn_rules_planner(s, rules); });
    coder = actors::spawn_agent_pool<messages::coder_actor>(
        system, {}, [rules](caf::actor_system& s) { return actors::spawn_rules_coder(s, rules); });
    debugger = actors::spawn_agent_pool<messages::debugger_actor>(
        system, {}, [rules](caf::actor_system& s) { return actors::spawn_rules_debugger(s, rules); });
    actors::coordinator_options options{scheduler_handle, journal, monitor, {}, store};
    options.earlier = earlier;
    options.agents = {{{{"rules", planner}}, "rules"}, {{{"rules", coder}}, "rules"}, {{{"rules", debugger}}, "rules"}};
    coordinator = actors::spawn_coordinator(system, options);
  }

  messages::run_spec spec(std::uint32_t jobs = 1) const {
    messages::run_spec x{.run = {"r"}, .name = "test"};
    auto task = *store.put_record(messages::task{.name = "relu", .code = "# simulated"});
    for (std::uint32_t i = 0; i < jobs; ++i) {
      auto& job = x.jobs.emplace_back();
      job.job = {"j" + std::to_string(i)};
      job.task_name = "relu";
      job.task = task;
      job.target = {{"simulated:0"}, "cpp", ""};
      job.strategy.evaluations = 8;
    }
    return x;
  }

  template <class Reply, class Handle, class Request>
  messages::expected<Reply> ask(const Handle& whom, Request request) {
    return answer_to<Reply>(self->request(whom, std::chrono::minutes{60000}, std::move(request)));
  }

  /// Lets time pass until the run has ended.
  messages::run_status end_of_run(const std::string& run_id = "r") {
    auto pending = self->request(coordinator, std::chrono::minutes{60000}, messages::await_run{{run_id}});
    run();
    for (int step = 0; step < 100'000 && self->mailbox().empty(); ++step) advance(10ms);
    auto status = answer_to<messages::run_status>(pending);
    REQUIRE(status);
    return *status;
  }

  std::vector<messages::fact> facts(const std::string& run_id = "r") {
    auto read = ask<messages::facts_read>(journal, messages::read_facts{{run_id}});
    REQUIRE(read);
    return read->facts;
  }

  devices::simulated::simulation_options world;
  std::filesystem::path runs;
  actors::tuned_plans earlier;
  blobs::blob_store store;
  std::shared_ptr<const dsl::language_set> languages;
  std::vector<messages::event> events;
  messages::monitor_actor monitor;
  messages::journal_actor journal;
  messages::scheduler_actor scheduler_handle;
  messages::stage_runner_actor device, compiler;
  messages::planner_actor planner;
  messages::coder_actor coder;
  messages::debugger_actor debugger;
  messages::coordinator_actor coordinator;
};

}  // namespace testing
