#include "configs/run_plan.hpp"

#include <doctest/doctest.h>
#include <set>

#include "configs/offers.hpp"
#include "tests/configs/files.hpp"

namespace run_plan_test {

using namespace configs;

namespace {

const std::string task_code = "class Model: pass\ndef get_inputs(): return []\n";

struct fixture {
  test::folder folder;
  blobs::blob_store blobs = *blobs::blob_store::open(folder.path / "blobs");

  messages::expected<messages::run_spec> plan(const std::string& text) {
    auto config = parse_run_config(text, folder.path / "r.yaml");
    REQUIRE_MESSAGE(config, test::sentence_of(config));
    return resolve(*config, {"run-1"}, blobs);
  }
  std::string problems(const std::string& text) { return test::sentence_of(plan(text)); }
  std::string at_line(int line) { return (folder.path / "r.yaml:").string() + std::to_string(line) + ": "; }
};

std::vector<std::string> ids(const messages::run_spec& spec) {
  std::vector<std::string> out;
  for (auto& job : spec.jobs) out.push_back(job.job.value);
  return out;
}

const std::string one_target = "targets: [{device: cpu:0, dsl: cpp}]\n";

}  // namespace

TEST_CASE_FIXTURE(fixture, "a run is tasks x targets x variants x repeats with readable ids") {
  folder.write("t/relu.py", task_code);
  folder.write("t/gelu.py", task_code);
  auto spec = plan(
      "name: a\ntasks: [\"t/*.py\"]\ntargets: [{device: [cpu:0, n1/cpu:1], dsl: cpp}]\n"
      "variants: [{name: narrow, strategy: {width: 1}}, {name: wide, timing: false, limits: {time: 2m}}]\n"
      "repeats: 2\nparallel_jobs: 3\n");
  REQUIRE_MESSAGE(spec, test::sentence_of(spec));
  CHECK(ids(*spec)
        == std::vector<std::string>{"gelu.cpu_0.cpp.narrow.1", "gelu.cpu_0.cpp.narrow.2", "gelu.cpu_0.cpp.wide.1",
                                    "gelu.cpu_0.cpp.wide.2", "gelu.n1_cpu_1.cpp.narrow.1", "gelu.n1_cpu_1.cpp.narrow.2",
                                    "gelu.n1_cpu_1.cpp.wide.1", "gelu.n1_cpu_1.cpp.wide.2", "relu.cpu_0.cpp.narrow.1",
                                    "relu.cpu_0.cpp.narrow.2", "relu.cpu_0.cpp.wide.1", "relu.cpu_0.cpp.wide.2",
                                    "relu.n1_cpu_1.cpp.narrow.1", "relu.n1_cpu_1.cpp.narrow.2",
                                    "relu.n1_cpu_1.cpp.wide.1", "relu.n1_cpu_1.cpp.wide.2"});
  CHECK(spec->run.value == "run-1");
  CHECK(spec->parallel_jobs == 3);
  auto& job = spec->jobs[3];
  CHECK(job.target.device.value == "cpu:0");
  CHECK(job.variant == "wide");
  CHECK(job.repeat == 2);
  CHECK_FALSE(job.time);
  CHECK(job.strategy.time_limit == std::chrono::minutes{2});
  CHECK(job.agents
        == std::map<std::string, std::string>{{"coder", "rules"}, {"debugger", "rules"}, {"planner", "rules"}});
  CHECK(spec->jobs[0].strategy.width == 1);
  CHECK(blobs.get_record<messages::task>(job.task)->name == "gelu");
  CHECK(blobs.get_record<messages::task>(job.task)->code == task_code);
}

TEST_CASE_FIXTURE(fixture, "seeds differ between jobs and run seeds, and are the same again") {
  folder.write("relu.py", task_code);
  auto text = "name: a\ntasks: relu.py\nrepeats: 20\n" + one_target;
  auto a = plan(text), b = plan(text), c = plan(text + "seed: 1\n");
  CHECK(a == b);
  std::set<std::uint64_t> seeds;
  for (auto& job : a->jobs) seeds.insert(job.seed);
  for (auto& job : c->jobs) seeds.insert(job.seed);
  CHECK(seeds.size() == 40);
  CHECK(a->jobs[0].seed == seed_of(0, {"relu.cpu_0.cpp.default.1"}));
}

TEST_CASE_FIXTURE(fixture, "ids stay unique and safe where names are not") {
  folder.write("a/re lu.py", task_code);
  folder.write("b/re_lu.py", task_code);
  auto spec = plan("name: a\ntasks: [a/re lu.py, b/re_lu.py, {path: b/re_lu.py, dtype: fp16}]\n" + one_target);
  REQUIRE_MESSAGE(spec, test::sentence_of(spec));
  CHECK(ids(*spec)
        == std::vector<std::string>{"re_lu.cpu_0.cpp.default.1", "re_lu-2.cpu_0.cpp.default.1",
                                    "re_lu-3.cpu_0.cpp.default.1"});
}

TEST_CASE_FIXTURE(fixture, "a file that a path and a glob name counts once") {
  folder.write("t/a.py", task_code);
  folder.write("t/b.py", task_code);
  CHECK(plan("name: a\ntasks: [t/b.py, \"t/*.py\"]\n" + one_target)->jobs.size() == 2);
}

TEST_CASE_FIXTURE(fixture, "every problem with tasks and targets comes in one go with its line") {
  folder.write("binary.py", {"\0\1", 2});
  folder.write("d/x.txt", "");
  CHECK(problems("name: a\n"
                 "tasks:\n"
                 "  - missing.py\n"
                 "  - binary.py\n"
                 "  - {path: missing.py}\n"
                 "  - \"d/*.py\"\n"
                 "  - d\n"
                 "targets:\n"
                 "  - {device: cpu:0, dsl: cpp}\n"
                 "  - {device: [cpu:1, cpu:0], dsl: cpp}\n")
        == at_line(3) + "the task " + (folder.path / "missing.py").string() + " does not exist; check the path\n"
               + at_line(4) + "the task " + (folder.path / "binary.py").string()
               + " is a binary file, not text; is it the right file?\n" + at_line(5) + "the task "
               + (folder.path / "missing.py").string() + " does not exist; check the path\n" + at_line(6)
               + "\"d/*.py\" matches no file in " + folder.path.string() + "; paths are relative to the config\n"
               + at_line(7) + "the task " + (folder.path / "d").string() + " is a folder; name one Python file in it\n"
               + at_line(10) + "the target of device \"cpu:0\" and DSL \"cpp\" is given twice; remove one of them");
}

TEST_CASE_FIXTURE(fixture, "a run of too many jobs is refused before it is made") {
  folder.write("a.py", task_code);
  std::string variants;
  for (int i = 0; i < 101; ++i) variants += (i ? ", {name: v" : "{name: v") + std::to_string(i) + "}";
  CHECK(problems("name: a\ntasks: a.py\nrepeats: 1000\nvariants: [" + variants + "]\n" + one_target)
        == (folder.path / "r.yaml").string() + ": the run has 101000 jobs, more than 100000; split it");
}

TEST_CASE_FIXTURE(fixture, "a store that can't be written is a failure of storage, not of the config") {
  folder.write("a.py", task_code);
  std::filesystem::remove_all(folder.path / "blobs");
  folder.write("blobs", "a file");
  auto spec = plan("name: a\ntasks: a.py\n" + one_target);
  REQUIRE_FALSE(spec);
  CHECK(spec.error().code == messages::failure_code::storage);
}

TEST_CASE_FIXTURE(fixture, "the committed example resolves") {
  auto config = load_run_config(test::checkout() / "configs/run_example.yaml");
  REQUIRE_MESSAGE(config, test::sentence_of(config));
  auto spec = resolve(*config, {"run-1"}, blobs);
  REQUIRE_MESSAGE(spec, test::sentence_of(spec));
  CHECK(ids(*spec)
        == std::vector<std::string>{"relu.cpu_0.cpp.default.1", "relu.cpu_0.cpp.wide.1", "swish.cpu_0.cpp.default.1",
                                    "swish.cpu_0.cpp.wide.1"});
  CHECK(missing_offers(*spec, system_config{}).empty());
}

TEST_CASE_FIXTURE(fixture, "what a system does not offer is said once") {
  folder.write("a.py", task_code);
  auto spec = plan(
      "name: a\ntasks: a.py\ntargets: [{device: [cpu:7, local/cpu:0, far/cpu:3], dsl: triton}]\n"
      "agents: {coder: llm}\nrepeats: 3\n");
  REQUIRE_MESSAGE(spec, test::sentence_of(spec));
  CHECK(missing_offers(*spec, system_config{})
        == std::vector<std::string>{"no device \"cpu:7\" in the system config; it has \"cpu:0\"",
                                    "no compiler for \"triton\" in the system config; it has \"cpp\"",
                                    "no coder \"llm\" in the system config; it has \"rules\"",
                                    "no node \"far\" in the system config; its node is \"local\""});
}

TEST_CASE_FIXTURE(fixture, "a device that the system does not have is refused with its line, whatever its kind") {
  auto config = parse_run_config(
      "name: a\ntasks: a.py\ntargets:\n  - {device: cpu:0, dsl: cpp}\n"
      "  - {device: [cuda:0, cpu:7], dsl: cpp}\n",
      folder.path / "r.yaml");
  REQUIRE_MESSAGE(config, test::sentence_of(config));
  CHECK(test::sentence_of(check_targets(*config, system_config{}))
        == at_line(5) + "no device \"cuda:0\" in the system config; it has \"cpu:0\"\n" + at_line(5)
               + "no device \"cpu:7\" in the system config; it has \"cpu:0\"");
}

TEST_CASE_FIXTURE(fixture, "jobs know their task's file, as messages name it") {
  auto file = folder.write("t/relu.py", task_code);
  auto spec = plan("name: a\ntasks: t/relu.py\n" + one_target);
  REQUIRE_MESSAGE(spec, test::sentence_of(spec));
  CHECK(spec->jobs.at(0).task_file == file.string());
}

}  // namespace run_plan_test
