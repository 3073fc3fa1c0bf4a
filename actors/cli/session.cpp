#include "actors/cli/session.hpp"

#include "actors/cli/program.hpp"
#include "actors/cli/progress.hpp"
#include "actors/cli/signals.hpp"
#include "actors/control_socket.hpp"
#include "actors/executors.hpp"

namespace actors::cli {

using namespace messages;

namespace {

control_reply answer(node& here, const control_request& request) {
  if (auto status = std::get_if<status_request>(&request.question)) {
    auto reply = here.status(status->run);
    return reply ? control_reply{*reply} : control_reply{reply.error()};
  }
  auto reply = here.drain(std::get<drain_request>(request.question).run);
  return reply ? control_reply{*reply} : control_reply{reply.error()};
}

expected<run_accepted> begin(node& here, const std::variant<run_spec, run_id>& run) {
  if (auto spec = std::get_if<run_spec>(&run)) return here.start_run(*spec);
  return here.resume_run(std::get<run_id>(run));
}

bool has_many_jobs(const std::variant<run_spec, run_id>& run) {
  auto spec = std::get_if<run_spec>(&run);
  return !spec || spec->jobs.size() > 1;
}

bool only_judges(const std::variant<run_spec, run_id>& run) {
  auto spec = std::get_if<run_spec>(&run);
  return spec && spec->command == "verify";
}

}  // namespace

expected<run_status> drive(const place& where, const session_options& options) {
  auto setup = set_up_node(where, options.common, options.config, options.state);
  if (!setup) return tl::unexpected{setup.error()};
  signal_block block;
  progress shown{{stderr_is_terminal(), options.common.verbose, has_many_jobs(options.run), only_judges(options.run)}};
  setup->on_event = [&](const event& x) {
    shown.show(x);
    if (options.on_event) options.on_event(x);
  };
  auto here = node::start(*setup);
  if (!here) return tl::unexpected{here.error()};
  auto accepted = begin(**here, options.run);
  if (!accepted) return tl::unexpected{accepted.error()};
  auto run = accepted->run;
  shown.expect(accepted->jobs, accepted->jobs_finished);
  signal_watch watch{[&] {
    shown.expect(0, 0);  // what is given back is not done
    shown.say("stopping; once more to stop at once; " + hint("resume " + run.value) + " goes on");
    (void)(*here)->drain(run);
  }};
  auto control =
      control_server::open(control_folder(options.state), [&](const control_request& x) { return answer(**here, x); });
  if (!control) shown.say("warning: " + control.error().detail);
  shown.say("run " + run.value
            + (accepted->jobs_finished > 0 ? ", " + std::to_string(accepted->jobs_finished) + " of "
                                                 + std::to_string(accepted->jobs) + " jobs done before"
                                           : ""));
  if (auto endpoint = (*here)->listens_at(); !endpoint.empty()) shown.say("nodes join at " + endpoint);
  if (auto line = start_line(devices_with_workers(options.config));
      !line.empty() && accepted->jobs_finished < accepted->jobs)
    shown.say(line);
  return (*here)->await_run(run);
}

}  // namespace actors::cli
