#include "configs/system_config.hpp"

#include <doctest/doctest.h>

#include "configs/section_reader.hpp"
#include "configs/system_keys.hpp"
#include "tests/configs/files.hpp"
#include "tests/configs/key_lister.hpp"

namespace system_config_test {

using namespace configs;
using namespace std::chrono_literals;

namespace {

const known_names known{.device_kinds = {"cpu", "simulated"},
                        .dsls = {"cpp"},
                        .strategies = {"refine", "tune"},
                        .implementations = {"rules"}};

std::string problems_of(std::string_view text) {
  return test::sentence_of(read_yaml<system_config>(text, "f.yaml", known));
}

}  // namespace

TEST_CASE("local.yaml shows every key of a system config with its default") {
  auto text = test::text_of(test::checkout() / "configs/system/local.yaml");
  std::map<std::string, std::string> written;
  test::written_keys(*parse_yaml(text), "", written);
  CHECK(written == test::keys_with_values(system_config{}));
  CHECK(read_yaml<system_config>(text, "local.yaml", known));
}

TEST_CASE("a system config reads what it says and leaves the rest at its default") {
  auto x = read_yaml<system_config>(
      "node: a-1\n"
      "devices: [cpu:0, {name: simulated:0, simulated: {latency_ms: {verify: 0.5}, failures: {hang: 0.1}, seed: 7}}]\n"
      "compilers: cpp\n"
      "scheduler: {run_limit: {static: 5s}, grace: 0}\n"
      "log: {level: debug}\n",
      "f.yaml", known);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  CHECK(x->node == "a-1");
  REQUIRE(x->devices.size() == 2);
  CHECK(x->devices[0].name == "cpu:0");
  CHECK_FALSE(x->devices[0].simulated);
  CHECK(x->devices[1].simulated->latency_ms.of(messages::stage_kind::verify) == 0.5);
  CHECK(x->devices[1].simulated->failures.hang == 0.1);
  CHECK(x->devices[1].simulated->seed == 7);
  CHECK(x->compilers[0].dsl == "cpp");
  CHECK(x->scheduler.run_limit.of(messages::stage_kind::static_check) == 5s);
  CHECK(x->scheduler.run_limit.of(messages::stage_kind::compile) == 5min);
  CHECK(x->scheduler.grace == 0s);
  CHECK(x->log.level == log_level::debug);
}

TEST_CASE("a machine that only compiles has no device, one that leaves all to nodes has nothing") {
  for (auto text : {"devices: []", "{devices: [], compilers: [], listen: \"127.0.0.1:7400\"}"})
    CHECK(read_yaml<system_config>(text, "f.yaml", known)->devices.empty());
}

TEST_CASE("an unknown key is named with the nearest known one, or with those there are") {
  CHECK(problems_of("devces: [cpu:0]") == "f.yaml:1: unknown key \"devces\"; did you mean \"devices\"?");
  CHECK(problems_of("scheduler:\n  atempts: 2")
        == "f.yaml:2: unknown key \"atempts\" in \"scheduler\"; did you mean \"attempts\"?");
  CHECK(problems_of("journal:\n  zzz: 2")
        == "f.yaml:2: unknown key \"zzz\" in \"journal\"; the keys here are \"commit_window\"");
  CHECK(problems_of("agents: {planner: {pool: 1, impl: [rules]}}")
        == "f.yaml:1: unknown key \"impl\" in \"agents.planner\"; the keys here are \"implementations\" or \"pool\"");
}

TEST_CASE("a wrong type says what is there and what is asked for") {
  CHECK(problems_of("scheduler: {attempts: many}")
        == "f.yaml:1: \"scheduler.attempts\" is \"many\"; give a whole number from 1 to 20");
  CHECK(problems_of("scheduler: {attempts: \"3\"}")
        == "f.yaml:1: \"scheduler.attempts\" is the text \"3\"; give a whole number from 1 to 20");
  CHECK(problems_of("scheduler: {attempts: [1]}")
        == "f.yaml:1: \"scheduler.attempts\" is a list; give a whole number from 1 to 20");
  CHECK(problems_of("scheduler: {attempts: }")
        == "f.yaml:1: \"scheduler.attempts\" has no value; give a whole number from 1 to 20");
  CHECK(problems_of("scheduler: 5") == "f.yaml:1: \"scheduler\" is \"5\"; give keys with their values");
  CHECK(problems_of("monitor: {publish: yes}") == "f.yaml:1: \"monitor.publish\" is \"yes\"; give true or false");
  CHECK(problems_of("journal: {commit_window: 2}")
        == "f.yaml:1: \"journal.commit_window\" is \"2\"; give a duration such as 10m or 250ms from 0 to 1s");
  CHECK(problems_of("node: {a: b}")
        == "f.yaml:1: \"node\" is a group of keys; give a name of at most 64 letters, digits, \"_\", \"-\" and \".\", "
           "not starting with \".\"");
  CHECK(problems_of("devices:\n  -\n    - cpu:0")
        == "f.yaml:3: \"devices[0]\" is a list; give a text, or keys with their values");
  CHECK(problems_of("devices: {name: simulated:0, simulated: {latency_ms: 5}}")
        == "f.yaml:1: \"devices.simulated.latency_ms\" is \"5\"; give keys with their values");
}

TEST_CASE("a value out of range says the range") {
  CHECK(problems_of("scheduler: {prefetch: 3}")
        == "f.yaml:1: \"scheduler.prefetch\" is \"3\"; give a whole number from 0 to 2");
  CHECK(
      problems_of("scheduler: {run_limit: {compile: 25h}}")
      == "f.yaml:1: \"scheduler.run_limit.compile\" is \"25h\"; give a duration such as 10m or 250ms from 100ms to 1d");
  CHECK(problems_of("devices: [{name: simulated:0, simulated: {jitter: 1.5}}]")
        == "f.yaml:1: \"devices[0].simulated.jitter\" is \"1.5\"; give a number from 0 to 1");
  CHECK(problems_of("node: a/b")
        == "f.yaml:1: \"node\" is \"a/b\"; give a name of at most 64 letters, digits, \"_\", \"-\" and \".\", not "
           "starting with \".\"");
  CHECK(problems_of("log: {level: waning}")
        == "f.yaml:1: \"log.level\" is \"waning\"; give one of \"trace\", \"debug\", \"info\", \"warning\", \"error\" or "
           "\"off\" (did you mean \"warning\"?)");
  CHECK(problems_of("{devices: [], compilers: []}")
        == "f.yaml:1: \"devices\" is empty as \"compilers\" is, and no node can bring any; name some, or say in "
           "\"listen\" where nodes join");
  CHECK(problems_of("agents: {coder: {implementations: []}}")
        == "f.yaml:1: \"agents.coder.implementations\" is a list; give a list that is not empty");
  CHECK(problems_of("listen: {address: \"127.0.0.1:7400\", heartbeat: 4s}")
        == "f.yaml:1: \"listen.silence\" is less than two heartbeats; give more, or a shorter heartbeat");
}

TEST_CASE("unknown names of devices, DSLs and agents are refused") {
  CHECK(problems_of("devices: [cpi:0]")
        == "f.yaml:1: \"devices[0].name\" is \"cpi:0\"; give a device as KIND:NUMBER, such as \"cpu:0\", its kind one of "
           "\"cpu\" or \"simulated\" (did you mean \"cpu:0\"?)");
  CHECK(problems_of("devices: [cpu]")
        == "f.yaml:1: \"devices[0].name\" is \"cpu\"; give a device as KIND:NUMBER, such as \"cpu:0\", its kind one of "
           "\"cpu\" or \"simulated\"");
  CHECK(problems_of("compilers: [cpq]")
        == "f.yaml:1: \"compilers[0].dsl\" is \"cpq\"; give one of \"cpp\" (did you mean \"cpp\"?)");
  CHECK(problems_of("agents: {coder: {implementations: rule}}")
        == "f.yaml:1: \"agents.coder.implementations\" is \"rule\"; give one of \"rules\" (did you mean \"rules\"?)");
}

TEST_CASE("a missing key says what to give") {
  CHECK(problems_of("devices:\n  - simulated: {seed: 1}")
        == "f.yaml:2: \"devices[0].name\" is missing; give a device as KIND:NUMBER, such as \"cpu:0\", its kind one of "
           "\"cpu\" or \"simulated\"");
  CHECK(problems_of("compilers:\n  - slots: 2") == "f.yaml:2: \"compilers[0].dsl\" is missing; give one of \"cpp\"");
}

TEST_CASE("a key that is given twice names both lines") {
  CHECK(problems_of("node: a\nlog: {level: info}\nnode: b")
        == "f.yaml:3: \"node\" is given twice, first in line 1; remove one of them");
  CHECK(problems_of("log:\n  level: info\n  level: off")
        == "f.yaml:3: \"log.level\" is given twice, first in line 2; remove one of them");
}

TEST_CASE("what several keys say together is checked") {
  CHECK(problems_of("devices: [cpu:0, cpu:0]") == "f.yaml:1: \"devices\" names \"cpu:0\" twice; remove one of them");
  CHECK(problems_of("compilers: [cpp, cpp]") == "f.yaml:1: \"compilers\" names \"cpp\" twice; remove one of them");
  CHECK(problems_of("devices: [{name: cpu:0, simulated: {seed: 1}}]")
        == "f.yaml:1: \"devices[0].simulated\" is of simulated devices only, and this is \"cpu:0\"; remove it");
  CHECK(problems_of("devices: [{name: simulated:0, simulated: {failures: {down: 0.6, hang: 0.6}}}]")
        == "f.yaml:1: \"devices[0].simulated.failures.infrastructure\" makes, with \"down\" and \"hang\", more than 1; "
           "lower one of them");
}

TEST_CASE("several problems come in one go, in the order of their lines") {
  CHECK(problems_of("nod: a\n"
                    "devices:\n"
                    "  - cpu:0\n"
                    "  - name: cpu:x\n"
                    "scheduler:\n"
                    "  attempts: 0\n"
                    "  grace: soon\n"
                    "log: {level: info}\n"
                    "log: {level: off}\n")
        == "f.yaml:1: unknown key \"nod\"; did you mean \"node\"?\n"
           "f.yaml:4: \"devices[1].name\" is \"cpu:x\"; give a device as KIND:NUMBER, such as \"cpu:0\", its kind one of "
           "\"cpu\" or \"simulated\"\n"
           "f.yaml:6: \"scheduler.attempts\" is \"0\"; give a whole number from 1 to 20\n"
           "f.yaml:7: \"scheduler.grace\" is \"soon\"; give a duration such as 10m or 250ms from 0 to 1d\n"
           "f.yaml:9: \"log\" is given twice, first in line 8; remove one of them");
}

TEST_CASE("a flood of problems is cut") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "wrong_key_" + std::to_string(i) + ": 1\n";
  auto sentence = problems_of(text);
  CHECK(std::count(sentence.begin(), sentence.end(), '\n') == 20);
  CHECK(sentence.ends_with("f.yaml: and 80 more problems"));
}

TEST_CASE("a text without keys is no config") {
  CHECK(problems_of("# nothing\n") == "f.yaml:1: no key is set; start from one of the documented examples in configs/");
  CHECK(problems_of("hello world")
        == "f.yaml:1: this is no config: it does not consist of lines such as \"name: value\"; is it the right file?");
  CHECK(problems_of("a: [").starts_with("f.yaml:1: no valid YAML at column"));
}

TEST_CASE("a section with nothing in it leaves its defaults") {
  auto x = read_yaml<system_config>("node: a\nscheduler:\n  # attempts: 5\nlog: {level: info}\n", "f.yaml", known);
  REQUIRE(x);
  CHECK(x->scheduler.attempts == scheduler_options{}.attempts);
}

TEST_CASE("files that are no config are refused with one sentence") {
  test::folder folder;
  auto sentence = [](const std::filesystem::path& file) { return test::sentence_of(load_system_config(file)); };
  auto at = [&](const std::string& name) { return "the system config " + (folder.path / name).string(); };
  CHECK(sentence(folder.path / "no.yaml") == at("no.yaml") + " does not exist; check the path");
  CHECK(sentence(folder.write("empty.yaml", "")) == at("empty.yaml") + " is empty; is it the right file?");
  CHECK(sentence(folder.write("blank.yaml", " \n\n")) == at("blank.yaml") + " is empty; is it the right file?");
  CHECK(sentence(folder.write("elf.yaml", {"\x7f"
                                           "ELF\0\1",
                                           6}))
        == at("elf.yaml") + " is a binary file, not text; is it the right file?");
  CHECK(sentence(folder.write("latin.yaml", "node: \xe9"))
        == at("latin.yaml") + " is not UTF-8: byte 6, in line 1, is 0xe9; save it as UTF-8");
  CHECK(sentence(folder.write("large.yaml", std::string(1'100'000, '#')))
        == at("large.yaml") + " is larger than 1 MiB; is it the right file?");
  CHECK(sentence(folder.path) == "the system config " + folder.path.string() + " is a folder; name a file");
  REQUIRE(::mkfifo((folder.path / "pipe.yaml").c_str(), 0600) == 0);
  CHECK(sentence(folder.path / "pipe.yaml") == at("pipe.yaml") + " is no ordinary file; name one");
  CHECK(load_system_config(folder.path / "no.yaml").error().code == messages::failure_code::misconfigured);
}

TEST_CASE("a byte order mark does not disturb, and relative paths are relative to the file") {
  test::folder folder;
  auto x = load_system_config(
      folder.write("a.yaml", "\xef\xbb\xbfnode: b\nstate_folder: ../state\nworker: {python: venv/bin/python}\n"));
  REQUIRE(x);
  CHECK(x->node == "b");
  CHECK(x->state_folder == (folder.path.parent_path() / "state").string());
  CHECK(x->worker.python == (folder.path / "venv/bin/python").string());
  CHECK(load_system_config(folder.write("b.yaml", "worker: {python: python3.12}"))->worker.python == "python3.12");
}

TEST_CASE("a system config is found by name or path") {
  test::folder folder;
  folder.write("local.yaml", "node: a");
  folder.write("cluster.yaml", "node: a");
  CHECK(system_file("local", "/base", folder.path) == folder.path / "local.yaml");
  CHECK(system_file("./x", "/base", folder.path)->string() == "/base/./x");
  CHECK(system_file("x.yaml", "/base", folder.path)->string() == "/base/x.yaml");
  CHECK(test::sentence_of(system_file("loca", "/base", folder.path))
        == "no system config is called \"loca\" in " + folder.path.string()
               + "; did you mean \"local\"? (or give a path that ends in \".yaml\")");
  CHECK(test::sentence_of(system_file("zzzzz", "/base", folder.path))
        == "no system config is called \"zzzzz\" in " + folder.path.string()
               + "; there are \"cluster\" or \"local\" (or give a path that ends in \".yaml\")");
}

TEST_CASE("options that were set in code are checked by the same ranges") {
  CHECK(system_config{}.validate(known));
  system_config x;
  x.node = "";
  x.scheduler.prefetch = 9;
  x.devices.push_back({.name = "cpu:0"});
  x.agents.coder.implementations = {"oracle"};
  CHECK(test::sentence_of(x.validate(known))
        == "\"node\" is \"\"; give a name of at most 64 letters, digits, \"_\", \"-\" and \".\", not starting with "
           "\".\"\n"
           "\"agents.coder.implementations[0]\" is \"oracle\"; give one of \"rules\"\n"
           "\"scheduler.prefetch\" is \"9\"; give a whole number from 0 to 2\n"
           "\"devices\" names \"cpu:0\" twice; remove one of them");
}

}  // namespace system_config_test
