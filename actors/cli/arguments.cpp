#include "actors/cli/arguments.hpp"

#include <algorithm>
#include <functional>

#include <CLI/CLI.hpp>

#include "actors/cli/commands.hpp"
#include "actors/logic/strategy.hpp"
#include "configs/known_baselines.hpp"
#include "configs/scalars.hpp"

namespace actors::cli {

using namespace messages;

namespace {

/// Everything that the command line fills; `chosen` is the command to carry out.
struct command_line {
  common_options common;
  optimize_options optimize;
  verify_options verify;
  run_options run;
  resume_options resume;
  status_options status;
  report_options report;
  export_options exported;
  doctor_options doctor;
  std::string time_limit;
  std::function<outcome()> chosen;
};

CLI::App* add_command(CLI::App& app, command_line& x, const std::string& name, const std::string& help,
                      const std::string& example) {
  auto command = app.add_subcommand(name, help);
  command->footer("Example:\n  " + example);
  command->add_flag("--json", x.common.json, "Answer with one JSON document on stdout, errors too");
  command->add_flag("--verbose", x.common.verbose, "Show every event on stderr");
  command
      ->add_option(
          "--system", x.common.system,
          "System config: a name in configs/system, or a path; of commands on old runs, where their state lies")
      ->type_name("NAME");
  return command;
}

/// An unset variable of a script is no folder.
CLI::Validator not_empty() {
  return {[](std::string& x) { return x.empty() ? std::string{"must not be empty"} : std::string{}; }, ""};
}

void add_python(CLI::App* command, command_line& x) {
  command->add_option("--python", x.common.python, "Python with torch >= 2.4, numpy, pyzmq and msgpack for the workers")
      ->type_name("PATH");
}

void add_no_sandbox(CLI::App* command, command_line& x) {
  command->add_flag("--unsafe-no-sandbox", x.common.unsafe_no_sandbox,
                    "Where this machine allows no sandbox, let candidates run without: they may do whatever you may");
}

void add_dtype(CLI::App* command, std::string& dtype) {
  command->add_option("--dtype", dtype, "Type of floating inputs and weights: fp32, fp16, bf16")->capture_default_str();
}

void add_optimize(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "optimize", "Find a fast, verified kernel for a task",
                             "kernelmesh optimize configs/tasks/softsign.py --for 2m --out softsign-out");
  auto& to = x.optimize;
  command->add_option("TASK", to.task, "Python file with Model, get_inputs and get_init_inputs")->required();
  command->add_option("--device", to.devices, "Devices to run on")->delimiter(',')->capture_default_str();
  command->add_option("--dsl", to.dsls, "Languages to write the kernel in")->delimiter(',')->capture_default_str();
  add_dtype(command, to.dtype);
  command->add_option("--for", x.time_limit, "Search no longer, counted from when the task is traced: 90s, 10m, 1h30m")
      ->type_name("TIME");
  command->add_flag("--no-earlier-plans", to.no_earlier_plans, "Start from nothing that earlier runs found");
  command->add_option("--evaluations", to.evaluations, "Stop after so many candidates")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--strategy", to.strategy, "How to search")
      ->check(CLI::IsMember(logic::search_strategies()))
      ->capture_default_str();
  command->add_option("--seed", to.seed, "Of the search")->capture_default_str();
  command->add_option("--out", to.out, "Folder for the export, report.html and result.json")
      ->check(not_empty())
      ->capture_default_str();
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return optimize(x.common, x.optimize); }; });
}

void add_verify(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "verify", "Judge a candidate against its task",
                             "kernelmesh verify configs/tasks/softsign.py kernelmesh-out/softsign.py");
  auto& to = x.verify;
  command->add_option("TASK", to.task, "Python file with Model, get_inputs and get_init_inputs")->required();
  command->add_option("CANDIDATE", to.candidate, "Python file with ModelNew, or a folder with manifest.json")
      ->required();
  command->add_option("--device", to.device, "Device to run on")->capture_default_str();
  add_dtype(command, to.dtype);
  command->add_option("--policy", to.policy, "Precision that the baseline may use")
      ->check(CLI::IsMember(configs::judge_policies()))
      ->capture_default_str();
  command->add_option("--baseline", to.baselines, "What to time it beside: eager, compile")
      ->delimiter(',')
      ->check(CLI::IsMember(configs::known_baselines()))
      ->capture_default_str();
  command->add_option("--draws", to.draws, "Sets of inputs and weights to check")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  command->add_flag("--no-time", to.no_time, "Check only");
  command->add_flag("--allow-library-calls", to.allow_library_calls,
                    "Work of libraries (torch, numpy) is no reason to refuse; it is reported");
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return verify(x.common, x.verify); }; });
}

void add_run(CLI::App& app, command_line& x) {
  auto command =
      add_command(app, x, "run", "Start what a config file describes", "kernelmesh run configs/run_example.yaml");
  command->add_option("CONFIG", x.run.config, "Run config: tasks, targets, variants, repeats")->required();
  command->add_option("--out", x.run.out, "Folder for exports and the report, in place of the config's");
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return run(x.common, x.run); }; });
}

void add_resume(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "resume", "Go on with a run that was interrupted or killed",
                             "kernelmesh resume 20260102-030405-a1b2");
  command->add_option("RUN", x.resume.run, "Id of the run; `kernelmesh status` lists them")->required();
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return resume(x.common, x.resume); }; });
}

void add_readers(CLI::App& app, command_line& x) {
  auto status = add_command(app, x, "status", "Where runs stand", "kernelmesh status");
  status->add_option("RUN", x.status.run, "Only this run");
  status->callback([&x] { x.chosen = [&x] { return cli::status(x.common, x.status); }; });

  auto report = add_command(app, x, "report", "Write a run's report as one HTML file",
                            "kernelmesh report 20260102-030405-a1b2 --out report.html");
  report->add_option("RUN", x.report.run, "Id of the run")->required();
  report->add_option("--out", x.report.out, "File to write [report.html]");
  report->callback([&x] { x.chosen = [&x] { return cli::report(x.common, x.report); }; });

  auto exported = add_command(app, x, "export", "Write a task's best kernel as one Python file",
                              "kernelmesh export 20260102-030405-a1b2 softsign --out softsign.py");
  exported->add_option("RUN", x.exported.run, "Id of the run")->required();
  exported->add_option("TASK", x.exported.task, "Name of the task, or id of the job")->required();
  exported->add_option("--out", x.exported.out, "File to write [TASK_kernel.py]");
  exported->callback([&x] { x.chosen = [&x] { return export_best(x.common, x.exported); }; });

  auto doctor = add_command(app, x, "doctor", "What this machine, or a run's journal, can do and what is missing",
                            "kernelmesh doctor");
  doctor->add_option("RUN", x.doctor.run, "Check this run's journal");
  add_python(doctor, x);
  doctor->callback([&x] { x.chosen = [&x] { return cli::doctor(x.common, x.doctor); }; });
}

std::string command_of(const CLI::App& app) {
  auto used = app.get_subcommands();
  return used.empty() ? std::string{} : used.front()->get_name();
}

/// CLI11's own sentences, with the way out. @param words of the command line
failure wrong_flags(const CLI::App& app, const CLI::ParseError& e, const std::vector<std::string>& words) {
  auto command = command_of(app);
  bool no_command = command.empty() && !words.empty() && words.front().front() != '-';
  auto what = no_command ? "there is no command \"" + words.front() + '"' : std::string{e.what()};
  return {failure_code::bad_input, what + "; see kernelmesh " + (command.empty() ? "" : command + ' ') + "--help"};
}

expected<void> read_time_limit(command_line& x) {
  if (x.time_limit.empty()) return {};
  std::chrono::milliseconds limit{0};
  bool read = configs::parse_scalar(x.time_limit, limit) && limit.count() > 0;
  x.optimize.time = limit;
  if (read) return {};
  return fail(failure_code::bad_input, "--for: \"" + x.time_limit + "\" is no time; write 90s, 10m or 1h30m");
}

outcome carry_out(command_line& x) {
  if (auto read = read_time_limit(x); !read) return tl::unexpected{read.error()};
  try {
    return x.chosen();
  } catch (const std::exception& e) {  // of the standard library: no memory, no such path
    return fail(failure_code::storage, e.what());
  }
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Turns a PyTorch reference into a fast, verified kernel.", "kernelmesh"};
  app.set_version_flag("--version", std::string{"kernelmesh "} + KERNELMESH_VERSION);
  app.footer(
      "Example:\n  kernelmesh optimize configs/tasks/softsign.py\nExit codes: 0 done, 1 the answer is no, 2 bad input, "
      "3 infrastructure, 4 interrupted.");
  app.require_subcommand(1);
  command_line x;
  for (auto add : {add_optimize, add_verify, add_run, add_resume, add_readers}) add(app, x);
  std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    bool json = std::ranges::find(words, "--json") != words.end();  // it may stand behind what is wrong
    return static_cast<int>(complain(wrong_flags(app, e, words), json, command_of(app)));
  }
  auto done = carry_out(x);
  return static_cast<int>(done ? *done : complain(done.error(), x.common.json, command_of(app)));
}

}  // namespace actors::cli
