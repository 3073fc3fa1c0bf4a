#include "actors/cli/arguments.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>

#include <CLI/CLI.hpp>

#include "actors/cli/command_line.hpp"
#include "actors/cli/commands.hpp"
#include "actors/cli/completion.hpp"
#include "actors/cli/flag_sentences.hpp"
#include "actors/cli/place.hpp"
#include "actors/cli/program.hpp"
#include "actors/logic/strategy.hpp"
#include "configs/known_baselines.hpp"
#include "configs/wording.hpp"
#include "messages/records/command_documents.hpp"

namespace actors::cli {

using namespace messages;

namespace {

constexpr auto exit_codes =
    "Exit codes: 0 done, 1 the answer is no, 2 bad input, 3 infrastructure, 4 interrupted.\n"
    "Of several jobs: 0 if one found a kernel, 3 if one could not be judged, 1 if none found one.";

CLI::App* add_command(CLI::App& app, command_line& x, const std::string& name, const std::string& help,
                      const std::string& example) {
  auto command = app.add_subcommand(name, help);
  command->footer("Example:\n  " + program() + ' ' + example);
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

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& x) { return not_a_whole_number(x, least, most); },
          std::to_string(least) + " to " + std::to_string(most)};
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  return {[names](std::string& x) { return not_one_of(x, names); }, configs::listed(names)};
}

void add_seed(CLI::App* command, std::uint64_t& seed) {
  command->add_option("--seed", seed, "Of the search")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str();
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
  command
      ->add_option("--dtype", dtype,
                   "Cast floating inputs and weights to fp32, fp16, bf16 or fp64; without it a task keeps its own")
      ->check(not_empty());
}

void add_data(CLI::App* command, std::string& data) {
  command->add_option("--data", data, "KernelBench, of a TASK such as kernelbench:1/19")->type_name("PATH");
}

/// "a,b", or the flag again: the word behind it is the command's next argument.
CLI::Option* as_list(CLI::Option* x) { return x->delimiter(',')->allow_extra_args(false); }

void add_dsls(CLI::App* command, std::vector<std::string>& dsls) {
  as_list(command->add_option("--dsl", dsls, "Languages to write the kernel in [all that the device runs]"))
      ->check(not_empty());
}

void add_baselines(CLI::App* command, std::vector<std::string>& baselines) {
  as_list(command->add_option("--baseline", baselines, "What to time it beside: eager, compile"))
      ->check(one_of(configs::known_baselines()))
      ->capture_default_str();
}

/// Of a job.
void add_limits(CLI::App* command, command_line& x, std::optional<std::uint32_t>& evaluations) {
  command
      ->add_option("--for", x.time_limit,
                   "Search no longer, counted from when the task is traced: 90s, 10m, 1h30m; a first kernel that is "
                   "with the judge then is judged to its end")
      ->type_name("TIME");
  command->add_option("--evaluations", evaluations, "Stop after so many candidates")->check(whole_number(1, 1'000'000));
}

/// Of a search.
void add_library_calls(CLI::App* command, bool& allow) {
  command->add_flag("--allow-library-calls", allow,
                    "Leave to torch what has no kernel, such as convolutions; the report says which operators");
}

void add_optimize(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "optimize", "Find a fast, verified kernel for a task",
                             "optimize configs/tasks/softsign.py --for 2m --out softsign-out");
  auto& to = x.optimize;
  command->add_option("TASK", to.task, "Python file with Model, get_inputs and get_init_inputs")->required();
  as_list(command->add_option("--device", to.devices, "Devices to run on"))->capture_default_str();
  add_dsls(command, to.dsls);
  add_dtype(command, to.dtype);
  add_data(command, to.data);
  add_limits(command, x, to.evaluations);
  command->add_flag("--no-earlier-plans", to.no_earlier_plans, "Start from nothing that earlier runs found");
  command->add_option("--strategy", to.strategy, "How to search")
      ->check(one_of(logic::search_strategies()))
      ->capture_default_str();
  add_library_calls(command, to.allow_library_calls);
  add_seed(command, to.seed);
  command->add_option("--out", to.out, "Folder for the export, report.html and result.json [kernelmesh-out/TASK]")
      ->check(not_empty());
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return optimize(x.common, x.optimize); }; });
}

void add_verify(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "verify", "Judge a candidate against its task",
                             "verify configs/tasks/softsign.py kernelmesh-out/softsign/softsign.py");
  auto& to = x.verify;
  command->add_option("TASK", to.task, "Python file with Model, get_inputs and get_init_inputs")->required();
  command->add_option("CANDIDATE", to.candidate, "Python file with ModelNew, or a folder with manifest.json")
      ->required();
  command->add_option("--device", to.device, "Device to run on")->capture_default_str();
  add_dtype(command, to.dtype);
  command->add_option("--policy", to.policy, "Precision that the baseline may use")
      ->check(one_of(configs::judge_policies()))
      ->capture_default_str();
  add_data(command, to.data);
  add_baselines(command, to.baselines);
  command->add_option("--draws", to.draws, "Sets of inputs and weights to check")
      ->check(whole_number(5, 1000))
      ->capture_default_str();
  command->add_flag("--no-time", to.no_time, "Check only");
  command->add_flag("--allow-library-calls", to.allow_library_calls,
                    "Work of libraries (torch, numpy) is no reason to refuse; it is reported");
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return verify(x.common, x.verify); }; });
}

void add_kernelbench_problems(CLI::App* command, command_line& x) {
  auto& to = x.bench;
  command->add_option("--data", to.data, "Checkout of KernelBench, or a JSON-lines file of its problems")
      ->required()
      ->type_name("PATH");
  command->add_option("--level", to.level, "Only these levels: 1,2")->type_name("LIST");
  command->add_option("--problem", to.problem, "Only these problems of each level: 1,19-25")->type_name("LIST");
  command->add_option("--shrink-to", x.shrink_to, "Make problems smaller: inputs and outputs together at most 64MiB")
      ->type_name("BYTES");
}

void add_bench(CLI::App& app, command_line& x) {
  auto bench = app.add_subcommand("bench", "Solve the problems of a benchmark suite");
  bench->require_subcommand(1);
  bench->footer("Example:\n  " + program() + " bench kernelbench --data KernelBench --level 1 --problem 19-25");
  auto command = add_command(*bench, x, "kernelbench", "Solve problems of KernelBench, one after another",
                             "bench kernelbench --data KernelBench --level 1 --problem 19-25 --out relus");
  auto& to = x.bench;
  add_kernelbench_problems(command, x);
  command->add_option("--device", to.device, "Device to run on")->capture_default_str();
  add_dsls(command, to.dsls);
  add_dtype(command, to.dtype);
  add_baselines(command, to.baselines);
  add_limits(command, x, to.evaluations);
  add_library_calls(command, to.allow_library_calls);
  command->add_option("--repeat", to.repeats, "Solve each problem so many times, with other seeds")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  add_seed(command, to.seed);
  command->add_option("--out", to.out, "Folder for results.jsonl, report.html and exports; the same one goes on")
      ->check(not_empty())
      ->capture_default_str();
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return bench_kernelbench(x.common, x.bench); }; });
}

void add_run(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "run", "Start what a config file describes", "run configs/run_example.yaml");
  command->add_option("CONFIG", x.run.config, "Run config: tasks, targets, variants, repeats")->required();
  command->add_option("--out", x.run.out, "Folder for exports and the report, in place of the config's");
  command->add_flag("--estimate", x.run.estimate, "Say about what it would take, and start nothing");
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return run(x.common, x.run); }; });
}

void add_resume(CLI::App& app, command_line& x) {
  auto command =
      add_command(app, x, "resume", "Go on with a run that was interrupted or killed", "resume 20260102-030405-a1b2");
  command->add_option("RUN", x.resume.run, "Id of the run; " + hint("status") + " lists them")->required();
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return resume(x.common, x.resume); }; });
}

void add_readers(CLI::App& app, command_line& x) {
  auto status = add_command(app, x, "status", "Where runs stand", "status");
  status->add_option("RUN", x.status.run, "Only this run");
  status->callback([&x] { x.chosen = [&x] { return cli::status(x.common, x.status); }; });

  auto watch = add_command(app, x, "watch", "Show a run while another process drives it", "watch");
  watch->add_option("RUN", x.watch.run, "Id of the run [the newest that is under way]");
  watch->callback([&x] { x.chosen = [&x] { return cli::watch(x.common, x.watch); }; });

  auto trace = add_command(app, x, "trace", "When a run's stages waited and ran, for chrome://tracing or Perfetto",
                           "trace 20260102-030405-a1b2 --out trace.json");
  trace->add_option("RUN", x.trace.run, "Id of the run")->required();
  trace->add_option("--out", x.trace.out, "File to write [stdout]");
  trace->callback([&x] { x.chosen = [&x] { return cli::trace(x.common, x.trace); }; });

  auto report = add_command(app, x, "report", "Write a run's report as one HTML file",
                            "report 20260102-030405-a1b2 --out report.html");
  report->add_option("RUN", x.report.run, "Id of the run")->required();
  report->add_option("--out", x.report.out, "File to write [report.html]");
  report->callback([&x] { x.chosen = [&x] { return cli::report(x.common, x.report); }; });

  auto exported = add_command(app, x, "export", "Write a task's best kernel as one Python file",
                              "export 20260102-030405-a1b2 softsign --out softsign.py");
  exported->add_option("RUN", x.exported.run, "Id of the run")->required();
  exported->add_option("TASK", x.exported.task, "Name of the task, or id of the job")->required();
  exported->add_option("--out", x.exported.out, "File to write [TASK_kernel.py]");
  exported->callback([&x] { x.chosen = [&x] { return export_best(x.common, x.exported); }; });

  auto doctor = add_command(app, x, "doctor", "What this machine or a journal can do and what is missing", "doctor");
  doctor->add_option("RUN", x.doctor.run, "Check this run's journal");
  as_list(doctor->add_option("--device", x.doctor.devices, "These devices, cuda:0 say [the system config's]"));
  doctor->add_flag("--measure", x.doctor.measure, "Measure anew what devices can do, on a quiet machine");
  add_python(doctor, x);
  doctor->callback([&x] { x.chosen = [&x] { return cli::doctor(x.common, x.doctor); }; });
}

void add_node(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "node", "Lend this machine's devices and compilers to runs on another one",
                             "node --join @token.txt");
  command
      ->add_option("--join", x.node.token,
                   "Token of `certs token`, or @FILE that holds it; other users of this "
                   "machine see words of a command line, files of mode 0600 they don't")
      ->required()
      ->type_name("TOKEN");
  command
      ->add_option("--name", x.node.name, "This node's name: the token's, or that with a dot and more [TOKEN'S.HOST]")
      ->check(not_empty());
  add_python(command, x);
  add_no_sandbox(command, x);
  command->callback([&x] { x.chosen = [&x] { return join(x.common, x.node); }; });
}

void add_certs(CLI::App& app, command_line& x) {
  auto certs = app.add_subcommand("certs", "Keys with which nodes join");
  certs->require_subcommand(1);
  certs->footer("Example:\n  " + program() + " certs new pool");
  auto made = add_command(*certs, x, "new", "Make a node's key, in this machine's state folder", "certs new pool");
  made->add_option("NAME", x.certs.name, "Of the node, or of all nodes that share the key")->required();
  made->callback([&x] { x.chosen = [&x] { return certs_new(x.common, x.certs); }; });
  auto token = add_command(*certs, x, "token", "Print what `node --join` takes: it holds the secret key",
                           "certs token pool --address 10.0.0.1:7400");
  token->add_option("NAME", x.certs.name, "Of the key")->required();
  token->add_option("--address", x.certs.address, "Where nodes reach this machine [the system config's listen]")
      ->type_name("HOST:PORT");
  token->callback([&x] { x.chosen = [&x] { return certs_token(x.common, x.certs); }; });
}

command_description describe(const CLI::App& app) {
  command_description x{.name = app.get_name(), .help = app.get_description()};
  for (auto option : app.get_options())
    for (const auto& name : option->get_lnames())
      x.flags.push_back({name, option->get_description(), option->get_items_expected_max() > 0});
  for (auto inner : app.get_subcommands([](const CLI::App*) { return true; })) x.commands.push_back(describe(*inner));
  return x;
}

outcome print_completion(const CLI::App& app, const command_line& x) {
  auto where = find_place();
  if (!where) return tl::unexpected{where.error()};
  auto script = completion_script(where->install.root / "actors" / "cli" / "completion", x.shell, describe(app));
  if (!script) return tl::unexpected{script.error()};
  completion_document document{.shell = x.shell, .script = *script};
  std::cout << (x.common.json ? wire::to_json(document, {.indent = 2}) + '\n' : *script);
  return exit_code::done;
}

void add_completion(CLI::App& app, command_line& x) {
  auto command = add_command(app, x, "completion", "Print a script that completes this command line in a shell",
                             "completion bash > ~/.local/share/bash-completion/completions/kernelmesh");
  command->add_option("SHELL", x.shell, "bash, zsh or fish")->required();
  command->callback([&] { x.chosen = [&] { return print_completion(app, x); }; });
}

std::string command_of(const CLI::App& app) {
  auto used = app.get_subcommands();
  if (used.empty()) return {};
  auto inner = command_of(*used.front());
  return used.front()->get_name() + (inner.empty() ? "" : ' ' + inner);
}

const CLI::App& innermost(const CLI::App& app) {
  auto used = app.get_subcommands();
  return used.empty() ? app : innermost(*used.front());
}

/// The first word that no command took; empty if that is not what is wrong. Where a command must follow, that is it.
std::string stray_in(const CLI::App& app, const CLI::ParseError& e) {
  auto left = app.remaining(true);
  bool wants_command = !innermost(app).get_subcommands([](const CLI::App*) { return true; }).empty();
  if (left.empty() || !(wants_command || dynamic_cast<const CLI::ExtrasError*>(&e))) return {};
  auto word = std::ranges::find_if(left, [](const std::string& x) { return !x.starts_with('-'); });
  return wants_command && word != left.end() ? *word : left.front();
}

/// "--seed: 1 required UINT missing" tells people less than its first word.
std::string without_jargon(const CLI::ParseError& e) {
  std::string what = e.what();
  bool no_value = dynamic_cast<const CLI::ArgumentMismatch*>(&e) && what.find(" required ") != std::string::npos;
  return no_value ? what.substr(0, what.find(':')) + " needs a value" : what;
}

/// With the way out.
failure wrong_flags(const CLI::App& app, const CLI::ParseError& e) {
  auto command = command_of(app);
  auto what = without_jargon(e);
  if (auto word = stray_in(app, e); !word.empty()) {
    stray_word x{.word = word, .command = command};
    auto known = describe(innermost(app));
    for (const auto& inner : known.commands) x.commands.push_back(inner.name);
    for (const auto& flag : known.flags) x.flags.push_back("--" + flag.name);
    what = sentence_of(x);
  }
  auto end = what.ends_with('?') ? " See" : "; see";
  return {failure_code::bad_input,
          what + end + ' ' + program() + ' ' + (command.empty() ? "" : command + ' ') + "--help"};
}

}  // namespace

int run_command_line(int argc, char** argv) {
  if (argc > 0) called_as(argv[0]);
  CLI::App app{"Turns a PyTorch reference into a fast, verified kernel.", "kernelmesh"};
  app.set_version_flag("--version", std::string{"kernelmesh "} + KERNELMESH_VERSION);
  app.footer("Example:\n  " + program() + " optimize configs/tasks/softsign.py\n" + exit_codes);
  app.require_subcommand(1);
  command_line x;
  for (auto add :
       {add_optimize, add_verify, add_bench, add_run, add_resume, add_readers, add_node, add_certs, add_completion})
    add(app, x);
  std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    bool json = std::ranges::find(words, "--json") != words.end();  // it may stand behind what is wrong
    return static_cast<int>(complain(wrong_flags(app, e), json, command_of(app)));
  }
  auto done = carry_out(x);
  return static_cast<int>(done ? *done : complain(done.error(), x.common.json, command_of(app)));
}

}  // namespace actors::cli
