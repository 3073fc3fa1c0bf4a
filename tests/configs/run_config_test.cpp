#include "configs/run_config.hpp"

#include <doctest/doctest.h>

#include "configs/run_keys.hpp"
#include "configs/yaml.hpp"
#include "tests/configs/files.hpp"
#include "tests/configs/key_lister.hpp"

namespace run_config_test {

using namespace configs;
using namespace std::chrono_literals;

namespace {

const known_names known{.device_kinds = {"cpu", "simulated"},
                        .dsls = {"cpp"},
                        .strategies = {"refine", "tune"},
                        .implementations = {"rules"}};
const std::string least = "name: a\ntasks: [x.py]\ntargets: [{device: cpu:0, dsl: cpp}]\n";

std::string problems_of(const std::string& text) { return test::sentence_of(parse_run_config(text, "r.yaml", known)); }

}  // namespace

TEST_CASE("the smallest run config has one variant, the default") {
  auto x = parse_run_config(least, "r.yaml", known);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  REQUIRE(x->variants.size() == 1);
  CHECK(x->variants[0].name == "default");
  CHECK(x->variants[0].strategy == messages::strategy_options{});
  CHECK(x->variants[0].judge == messages::judge_options{});
  CHECK(std::get<std::string>(x->system) == "local");
  CHECK(x->targets[0].device == std::vector<std::string>{"cpu:0"});
  CHECK(x->text == least);
}

TEST_CASE("the example shows every key that a run config has, with its default") {
  auto file = test::checkout() / "configs/run_example.yaml";
  auto x = load_run_config(file, known);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  std::map<std::string, std::string> written;
  test::written_keys(*parse_yaml(x->text), "", written);
  run_config defaults;
  defaults.name = "example";
  defaults.tasks = {{.path = "tasks/relu.py"}};
  defaults.targets = {{.device = {"cpu:0"}, .dsl = {"cpp"}}};
  for (auto& [key, value] : test::keys_with_values(defaults)) {
    auto shown = key;
    for (std::string index : {"device", "dsl"})
      if (shown.ends_with(index + "[0]")) shown.resize(shown.size() - 3);
    if (key == "tasks[0].path") shown = "tasks[0]";
    if (key == "tasks[0].dtype") shown = "tasks[1].dtype";
    REQUIRE_MESSAGE(written.contains(shown), shown);
    CHECK_MESSAGE(written[shown] == value, shown);
  }
}

TEST_CASE("a variant starts from what the run says for all") {
  auto x = parse_run_config(least
                                + "judge: {draws: 9, policy: strict}\n"
                                  "limits: {time: 1m}\n"
                                  "variants:\n"
                                  "  - name: a\n"
                                  "  - {name: b, judge: {policy: as_shipped}, limits: {evaluations: 3}, timing: false}\n",
                            "r.yaml", known);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  REQUIRE(x->variants.size() == 2);
  auto &a = x->variants[0], &b = x->variants[1];
  CHECK(a.judge.draws == 9);
  CHECK(a.judge.policy == "strict");
  CHECK(b.judge.draws == 9);
  CHECK(b.judge.policy == "as_shipped");
  CHECK(b.limits.time == 1min);
  CHECK(b.limits.evaluations == 3);
  CHECK(a.limits.evaluations == 32);
  CHECK(a.timing);
  CHECK_FALSE(b.timing);
}

TEST_CASE("tasks take the run's dtype unless they say their own") {
  auto x = parse_run_config(
      "name: a\ndtype: fp16\ntasks: [x.py, {path: y.py, dtype: bf16, overrides: {n: 5}}]\n"
      "targets: {device: [cpu:0, cpu:1], dsl: cpp}\n",
      "r.yaml", known);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  CHECK(x->tasks[0].dtype == messages::dtype::float16);
  CHECK(x->tasks[1].dtype == messages::dtype::bfloat16);
  CHECK_FALSE(parse_run_config(least, "r.yaml", known)->tasks[0].dtype);
  CHECK(x->tasks[1].overrides.at("n") == 5);
  CHECK(x->targets[0].device.size() == 2);
}

TEST_CASE("what must be there is asked for") {
  CHECK(problems_of("repeats: 2\n")
        == "r.yaml:1: \"name\" is missing; give a name of at most 64 letters, digits, \"_\", \"-\" and \".\", not starting "
           "with \".\"\n"
           "r.yaml:1: \"tasks\" is missing; give a list of Python files\n"
           "r.yaml:1: \"targets\" is missing; give a list such as [{device: cpu:0, dsl: cpp}]");
  CHECK(problems_of("name: a\ntasks: [x.py]\ntargets:\n  - device: cpu:0\n")
        == "r.yaml:4: \"targets[0].dsl\" is missing; give one of \"cpp\", or a list");
  CHECK(problems_of("name: a\ntasks: []\ntargets: [{device: cpu:0, dsl: cpp}]")
        == "r.yaml:2: \"tasks\" is a list; give a list that is not empty");
  CHECK(problems_of("name: a\ntasks: [\"\"]\ntargets: [{device: cpu:0, dsl: cpp}]")
        == "r.yaml:2: \"tasks[0].path\" is the text \"\"; give a text that is not empty");
}

TEST_CASE("wrong values of a run config are refused with their lines") {
  CHECK(problems_of(least + "repeats: 0") == "r.yaml:4: \"repeats\" is \"0\"; give a whole number from 1 to 1000");
  CHECK(problems_of(least + "seed: -1")
        == "r.yaml:4: \"seed\" is \"-1\"; give a whole number from 0 to 9223372036854775807");
  CHECK(problems_of(least + "judge: {draws: 4}")
        == "r.yaml:4: \"judge.draws\" is \"4\"; give a whole number from 5 to 1000");
  CHECK(problems_of(least + "judge: {baselines: [eager, compiled]}")
        == "r.yaml:4: \"judge.baselines[1]\" is \"compiled\"; give one of \"eager\" or \"compile\" (did you mean "
           "\"compile\"?)");
  CHECK(problems_of(least + "limits: {time: 10}")
        == "r.yaml:4: \"limits.time\" is \"10\"; give a duration such as 10m or 250ms from 1s to 30d");
  CHECK(problems_of(least + "strategy: {name: refin}")
        == "r.yaml:4: \"strategy.name\" is \"refin\"; give one of \"refine\" or \"tune\" (did you mean \"refine\"?)");
  CHECK(problems_of(least + "agents: {planner: gpt}")
        == "r.yaml:4: \"agents.planner\" is \"gpt\"; give one of \"rules\"");
  CHECK(problems_of(least + "dtype: int8")
        == "r.yaml:4: \"dtype\" is \"int8\"; give one of \"float32\", \"float16\", \"bfloat16\" or \"float64\"");
  CHECK(problems_of(least + "variants: [{name: a}, {name: a}]")
        == "r.yaml:4: \"variants\" has two with the name \"a\"; rename one of them");
  CHECK(problems_of(least + "variants:\n  - {name: a, judge: {drws: 5}}")
        == "r.yaml:5: unknown key \"drws\" in \"variants[0].judge\"; did you mean \"draws\"?");
  CHECK(problems_of("name: a\ntasks: [{path: x.py, overrides: {n: big}}]\ntargets: [{device: cpu:0, dsl: cpp}]")
        == "r.yaml:2: \"tasks[0].overrides.n\" is \"big\"; give a whole number");
  CHECK(problems_of("name: a\ntasks: [x.py]\ntargets: [{device: tpu:0, dsl: cuda}]")
        == "r.yaml:3: \"targets[0].dsl\" is \"cuda\"; give one of \"cpp\"");
  CHECK(problems_of("name: a\ntasks: [x.py]\ntargets: [{device: tpu, dsl: cpp}]")
        == "r.yaml:3: \"targets[0].device\" is \"tpu\"; give a device as KIND:NUMBER, such as \"cpu:0\"");
}

TEST_CASE("library calls are refused unless the judge is told to allow them") {
  auto allowed = [](const std::string& more) {
    auto x = parse_run_config(least + more, "r.yaml", known);
    REQUIRE_MESSAGE(x, test::sentence_of(x));
    return x->variants.at(0).judge.allow_library_calls;
  };
  CHECK_FALSE(allowed(""));
  CHECK(allowed("judge: {allow_library_calls: true}"));
}

TEST_CASE("a target may name the node before its device") {
  CHECK(problems_of("name: a\ntasks: [x.py]\ntargets: [{device: gpu-host-3/cpu:1, dsl: cpp}]") == "passed");
  CHECK(problems_of("name: a\ntasks: [x.py]\ntargets: [{device: a/b/cpu:1, dsl: cpp}]") != "passed");
}

TEST_CASE("the system of a run is named, lies at a path, or is written out") {
  test::folder folder;
  folder.write("systems/local.yaml", "node: from-local");
  folder.write("mine.yaml", "node: mine\nlog: {level: 5}");
  auto system = [&](const std::string& line) {
    auto x = parse_run_config(least + line, folder.path / "r.yaml", known);
    REQUIRE_MESSAGE(x, test::sentence_of(x));
    return system_of(*x, folder.path / "systems", known);
  };
  CHECK(system("")->node == "from-local");
  CHECK(system("system: {node: here, state_folder: s}")->node == "here");
  CHECK(system("system: {node: here, state_folder: s}")->state_folder == (folder.path / "s").string());
  CHECK(test::sentence_of(system("system: mine.yaml")).starts_with((folder.path / "mine.yaml:2: ").string()));
  CHECK(test::sentence_of(system("system: nowhere.yaml"))
        == "the system config " + (folder.path / "nowhere.yaml").string() + " does not exist; check the path");
  CHECK(problems_of(least + "system: {nde: a}")
        == "r.yaml:4: unknown key \"nde\" in \"system\"; did you mean \"node\"?");
}

TEST_CASE("a run config that is no file is refused") {
  test::folder folder;
  CHECK(test::sentence_of(load_run_config(folder.path / "x.yaml"))
        == "the config " + (folder.path / "x.yaml").string() + " does not exist; check the path");
  CHECK(test::sentence_of(load_run_config(folder.write("e.yaml", "")))
        == "the config " + (folder.path / "e.yaml").string() + " is empty; is it the right file?");
}

TEST_CASE("a run config that was made in code is checked by the same ranges") {
  auto x = *parse_run_config(least, "r.yaml", known);
  CHECK(x.validate(known));
  x.repeats = 0;
  x.variants[0].judge.draws = 1;
  CHECK(test::sentence_of(x.validate(known))
        == "\"variants[0].judge.draws\" is \"1\"; give a whole number from 5 to 1000\n"
           "\"repeats\" is \"0\"; give a whole number from 1 to 1000");
}

}  // namespace run_config_test
