#include "actors/report/report.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <set>

#include "sample_run.hpp"

namespace report_test {

using namespace report_tests;
using actors::report::render_html;
using actors::report::report_model;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

struct one_job : run_builder {
  one_job() : run_builder{{job_named("a")}} {
    say({"a"}, job_started{});
    trace({"a"});
  }
};

/// All names that records of the model give their fields.
struct name_collector {
  std::set<std::string>& names;
  template <class T>
  void operator()(const char* name, T& x) {
    names.insert(name);
    look(x);
  }
  template <class T>
  void operator()(const char* name, std::vector<T>&) {
    names.insert(name);
    names.insert(std::string{"has_"} + name);
    T one{};
    look(one);
  }
  template <wire::record T>
  void look(T& x) {
    x.fields(*this);
  }
  template <class T>
  void look(std::optional<T>&) {
    T one{};
    look(one);
  }
  template <class T>
  void look(T&) {}
};

}  // namespace

TEST_CASE("the page says what was tried, what was best and what it rests on") {
  auto run = one_job();
  auto first = run.passed({"a"}, 1.2);
  run.failed({"a"}, wrong_values());
  auto best = run.passed({"a"}, 0.8, {first});
  run.say({"a"}, job_finished{best, "patience", ""});
  run.say({}, run_finished{});
  auto page = run.html();
  for (auto part : {"relu on two cores",
                    "Finished: 1 of 1 job found a correct kernel",
                    "3.00x",
                    "2.97x to 3.03x",
                    "800.0 us",
                    "81 %",
                    "no gain for as many candidates as allowed",
                    "wrong_values in verify",
                    "0.5 instead of 0.25 at [3]",
                    "eager 1.1e-07",
                    "tolerance 0.0001 x (1 + |value|)",
                    "<td class=\"n\">2 / 3</td>",
                    "400 samples",
                    "void kernel_3()",
                    "void broken_2()",
                    "g0.block=768",
                    "namespaces",
                    "hosted, clock judge",
                    "9f3a01 77aa02",
                    "AMD EPYC 9B14",
                    "aten.relu(x) -&gt; float32[16, 256]",
                    "device: cpu:0",
                    "2026-11-28 06:15:02 UTC",
                    "prefers-color-scheme: dark"})
    CHECK_MESSAGE(has(page, part), part);
  CHECK(has(page, "<td>#1</td>"));  // the parent
  CHECK(count_of(page, "<circle") == 3);
  CHECK(count_of(page, "<rect class=\"verify\"") == 3);  // on the timeline
}

TEST_CASE("the page says by which rules a task was simplified, and from what") {
  run_builder run{{job_named("a")}};
  run.say({"a"}, job_started{});
  run.trace({"a"}, {"pools in a row", "<b>scales</b>"});
  auto note = run.model().jobs.at(0).graph_note;
  CHECK(has(note, "Simplified from 64 KiB and 0 FLOP by: pools in a row; <b>scales</b>. At least 32 KiB"));
  CHECK(!has(run.html(), "<b>scales</b>"));
}

TEST_CASE("the page needs nothing from elsewhere and has no script") {
  auto run = one_job();
  run.passed({"a"}, 1);
  auto page = run.html();
  for (auto part : {"<script", "src=", "http://", "https://", "@import", "url(", "<link"}) CHECK_FALSE(has(page, part));
}

TEST_CASE("the template names nothing that the model lacks and lets nothing through unescaped") {
  std::set<std::string> names{"."};
  report_model model;
  name_collector collector{names};
  model.fields(collector);
  auto page = page_template();
  REQUIRE(page.size() > 1000);
  std::regex tag{R"(\{\{[#^/]?\s*([^}]*?)\s*\}\})"};
  for (std::sregex_iterator at{page.begin(), page.end(), tag}, end; at != end; ++at)
    CHECK_MESSAGE(names.contains((*at)[1].str()), (*at)[1].str());
  CHECK_FALSE(has(page, "{{{"));
  CHECK_FALSE(has(page, "{{&"));
  CHECK_FALSE(has(page, "{{>"));
}

TEST_CASE("a page that is no template is refused") {
  auto page = render_html({}, "{{#open}}");
  REQUIRE_FALSE(page);
  CHECK(page.error().code == failure_code::misconfigured);
}

TEST_CASE("hostile texts stay texts wherever they come from") {
  const std::string evil = "\"><script>alert(1)</script>'\x1B[31m{{{config}}}\x07\xE2\x80\xAE";
  auto spec = job_named("a" + evil, evil, evil);
  spec.target = {{evil}, evil, evil};
  spec.agents = {{evil, evil}};
  spec.imported_from = evil;
  run_builder run{{spec, job_named("b", "relu", "other")}, evil};
  task record{.name = evil, .code = evil, .overrides = {{evil, 3}}};
  run.run.jobs.at(spec.job).spec.task = run.blobs.put_record(record).value();
  run.say(spec.job, job_started{});
  auto failure = wrong_values();
  failure.message = evil;
  failure.cheat_class = evil;
  failure.details = {{evil, evil}, {"log", "error: " + evil}, {"text", evil}};
  auto id = run.failed(spec.job, failure);
  auto& made = run.run.jobs.at(spec.job).find(id)->made;
  made.manifest.knobs = {{evil, evil}};
  made.manifest.parents = {{evil}};
  made.manifest.sources = {{evil, run.blobs.put(evil).value()}, {evil, {evil}}};
  made.plan.remark = evil;
  run.stage(spec.job, id, stage_kind::static_check, statically_checked{{{evil, 1, evil}}});
  run.say(spec.job, job_finished{std::nullopt, evil, evil});
  auto page = run.html();
  CHECK(has(page, "&lt;script&gt;alert(1)"));
  for (auto part : {"<script", "\x1B", "\x07", "\xE2\x80\xAE", "[31m"}) CHECK_FALSE(has(page, part));
  CHECK(has(page, "{{{config}}}"));  // shown, not followed
}

TEST_CASE("a run without jobs has a page") {
  run_builder run{{}};
  run.say({}, run_finished{});
  CHECK(has(run.html(), "This run has no jobs."));
}

TEST_CASE("a state without any fact has a page") {
  run_builder run{{}};
  run.run = {};
  run.facts.clear();
  CHECK(has(run.html(), "Not started."));
}

TEST_CASE("a job whose task failed says why and has no numbers") {
  run_builder run{{job_named("a")}};
  run.say({"a"}, job_started{});
  run.stage(
      {"a"}, {}, stage_kind::trace,
      rejected{{failure_stage::trace, failure_kind::task_error, {}, "get_inputs raised ValueError.", {}}, {}, {}});
  run.say({"a"}, job_finished{std::nullopt, "task", "get_inputs raised ValueError."});
  auto job = run.model().jobs.at(0);
  CHECK(job.kind == "bad");
  CHECK(job.problem == "The task itself can't be used: get_inputs raised ValueError.");
  CHECK(job.stopped == "the task itself can't be used");
  CHECK(job.speedup.empty());
  CHECK_FALSE(job.speedups);
  CHECK(has(run.html(), "no correct kernel"));
}

TEST_CASE("a run that was cut off says how to go on") {
  auto run = one_job();
  run.passed({"a"}, 1.0);
  auto model = run.model();
  CHECK_FALSE(model.complete);
  CHECK(has(model.ended, "kernelmesh resume 20261128-061502-9f3a"));
  CHECK(model.jobs.at(0).stopped == "not finished");
}

TEST_CASE("what was given up is told apart from what was wrong") {
  auto run = one_job();
  run.passed({"a"}, 1.0);
  run.failed({"a"}, wrong_values());
  CHECK(run.model().jobs.at(0).counts == "2 candidates tried, 1 correct");
  run.candidate({"a"}, "void given_up() {}\n");
  CHECK(run.model().jobs.at(0).counts == "3 candidates tried, 1 correct, 1 not judged to the end");
}

TEST_CASE("repeats of a variant can be told apart") {
  auto first = job_named("a"), second = job_named("b");
  CHECK(run_builder{{first}}.model().jobs.at(0).variant == "default");
  first.repeat = 1;
  second.repeat = 2;
  auto model = run_builder{{first, second}}.model();
  CHECK(model.jobs.at(0).variant == "default #1");
  CHECK(model.jobs.at(1).variant == "default #2");
}

TEST_CASE("what was only verified has no times and says so") {
  auto spec = job_named("a");
  spec.time = false;
  run_builder run{{spec}};
  run.say({"a"}, job_started{});
  auto best = run.passed({"a"}, 0);
  run.say({"a"}, job_finished{best, "evaluations", ""});
  auto job = run.model().jobs.at(0);
  CHECK(job.kind == "plain");
  CHECK(job.best == "not timed");
  CHECK(job.speedup.empty());
  CHECK_FALSE(job.times);
  CHECK(job.candidates.at(0).verdict == "best: correct, not timed");
  CHECK(has(run.html(), "not asked for: verified only"));
}

TEST_CASE("a winner is called real once it was timed again") {
  auto run = one_job();
  auto id = run.passed({"a"}, 0.8);
  auto once = run.model().jobs.at(0);
  CHECK(once.standing == "faster, timed once");
  CHECK(once.kind == "plain");
  const auto& job = run.run.jobs.at({"a"});
  stage_result again{.stage = stage_of(job, id, stage_kind::time, actors::logic::timing_step::again),
                     .kind = stage_kind::time,
                     .candidate = id,
                     .outcome = verdict{timed{timing_of(1.2, 2.4)}}};
  run.say({"a"}, stage_finished{again});
  auto twice = run.model().jobs.at(0);
  CHECK(twice.standing == "real");
  CHECK(twice.speedup == "2.00x");
  CHECK(twice.candidates.at(0).verdict == "best: correct, real");
}

TEST_CASE("what was only judged needs no second timing: it was not chosen by its time") {
  auto spec = job_named("a");
  spec.imported = {"manifest"};
  run_builder run{{spec}};
  run.say({"a"}, job_started{});
  run.passed({"a"}, 0.8);
  CHECK(run.model().jobs.at(0).standing == "real");
}

TEST_CASE("a file that several candidates have stands on the page once") {
  auto run = one_job();
  auto header = run.blobs.put("// in every kernel\n").value();
  std::vector<candidate_id> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(run.passed({"a"}, 1.0 + i));
  for (const auto& id : ids) run.run.jobs.at({"a"}).find(id)->made.manifest.sources.push_back({"loop.hpp", header});
  auto job = run.model().jobs.at(0);
  REQUIRE(job.shared_codes.size() == 1);
  CHECK(job.shared_codes.at(0).path == "loop.hpp");
  CHECK(job.candidates.at(0).details->codes.size() == 1);
  CHECK(job.candidates.at(0).details->code_note == "With loop.hpp, shown once below. ");
  auto page = run.html();
  CHECK(count_of(page, "// in every kernel") == 1);
  CHECK(count_of(page, "void kernel_2()") == 1);
}

TEST_CASE("candidates are numbered below their chart, a long row of them at round numbers") {
  auto run = one_job();
  for (int i = 0; i < 30; ++i) run.candidate({"a"}, std::to_string(i));
  std::vector<std::string> numbers;
  for (const auto& label : run.model().jobs.at(0).speedups->labels) numbers.push_back(label.label);
  CHECK(numbers == std::vector<std::string>{"1", "5", "10", "15", "20", "25", "30"});
  CHECK(has(run.html(), ">25</text>"));
}

TEST_CASE("the bottleneck of a winner stands in the jobs' table, its reason and kernels below") {
  auto run = one_job();
  auto id = run.passed({"a"}, 0.8);
  profiled found{
      .bottleneck = "memory", .reason = "load, 67 % of the time", .source = "", .missing = "there is no <ncu>"};
  found.kernels = {{"load", 1, 0.67, "memory", "memory is busy to 91 %", {}}, {"add", 1, 0.33, "latency", "waits", {}}};
  run.stage({"a"}, id, stage_kind::profile, found);
  auto page = run.html();
  for (auto part : {"<td>memory</td>", "Bottleneck: memory: load, 67 % of the time.",
                    "time, bytes and roofline; there is no &lt;ncu&gt;",
                    "load: 67 % of the time, memory, memory is busy to 91 %", "add: 33 %"})
    CHECK_MESSAGE(has(page, part), part);
}

TEST_CASE("a run of one job says nothing of jobs at once, one of several no more than it has") {
  auto one = one_job();
  CHECK_FALSE(has(one.html(), "at once</dd>"));
  run_builder two{{job_named("a"), job_named("b")}};
  two.run.spec.parallel_jobs = 4;
  CHECK(has(two.html(), "2, 2 at once</dd>"));
}

TEST_CASE("a gain within the noise is not called real") {
  auto run = one_job();
  run.passed({"a"}, 2.38);
  auto job = run.model().jobs.at(0);
  CHECK(job.standing == "within the noise");
  CHECK(job.kind == "plain");
}

TEST_CASE("variants stand side by side with means over their own and over common tasks") {
  run_builder run{{job_named("a", "relu", "one"), job_named("b", "relu", "two"), job_named("c", "gelu", "one"),
                   job_named("d", "gelu", "two")}};
  run.passed({"a"}, 0.6);  // 4x
  run.passed({"b"}, 1.2);  // 2x
  run.passed({"c"}, 2.4);  // 1x
  run.failed({"d"}, wrong_values());
  auto compared = run.model().compared;
  REQUIRE(compared);
  CHECK(compared->variants == std::vector<std::string>{"one", "two"});
  CHECK(compared->means.at(0).cells == std::vector<std::string>{"2.00x over 2", "2.00x over 1"});
  CHECK(compared->means.at(1).cells == std::vector<std::string>{"4.00x over 1", "2.00x over 1"});
  CHECK(compared->rows.at(0).cells == std::vector<std::string>{"1.00x", "none correct"});
  CHECK(has(run.html(), "Variants side by side"));
  CHECK_FALSE(one_job().model().compared);
}

TEST_CASE("degenerate tasks are in no mean") {
  auto run = one_job();
  auto id = run.candidate({"a"}, "code");
  auto judging = sample_judging();
  judging.degenerate_task = true;
  run.stage({"a"}, id, stage_kind::verify, verified{judging, {}});
  run.stage({"a"}, id, stage_kind::time, timed{timing_of(0.1, 2.4)});
  auto model = run.model();
  CHECK(model.mean.empty());
  CHECK(model.jobs.at(0).speedup == "24.00x");
}

TEST_CASE("a long source is cut with a note and a missing one is named") {
  auto run = one_job();
  run.candidate({"a"}, std::string(300'000, '<'));
  auto id = run.candidate({"a"}, "x");
  run.run.jobs.at({"a"}).find(id)->made.manifest.sources = {{"gone.cpp", {std::string(32, '0')}}};
  auto candidates = run.model().jobs.at(0).candidates;
  const auto& cut = candidates.at(0).details->codes.at(0);
  CHECK(cut.text.size() == 200'000);
  CHECK(cut.note == "Cut after 200000 of 300000 bytes.");
  CHECK(has(candidates.at(1).details->codes.at(0).note, "Not to be read"));
}

TEST_CASE("ten thousand candidates with long sources stay under 20 MB and say what is left out") {
  auto run = one_job();
  std::string code(150'000, '&');
  for (int i = 0; i < 10'100; ++i) {
    auto number = std::to_string(100'000 + i);
    auto id = run.candidate({"a"}, code.substr(number.size()) + number);
    if (i % 2)
      run.stage({"a"}, id, stage_kind::verify, rejected{wrong_values(), {}, {}});
    else
      run.stage({"a"}, id, stage_kind::verify, verified{sample_judging(), {}});
    if (i % 2 == 0) run.stage({"a"}, id, stage_kind::time, timed{timing_of(2.0 - i / 10'100.0, 2.4)});
  }
  auto model = run.model();
  auto page = render_html(model, page_template()).value();
  CHECK(page.size() < 20'000'000);
  CHECK(model.jobs.at(0).candidates.size() == 10'008);  // the best came late and have their rows
  CHECK(has(page, "92 more candidates have no row here."));
  CHECK(has(page, "10084 have none here"));
  CHECK(model.jobs.at(0).candidates.back().details->codes.at(0).text.size() == 150'000);
  CHECK(has(page, "this page holds as much code as it may"));
  CHECK(count_of(page, "<circle") <= 410);
  CHECK_FALSE(model.left_out.empty());
}

}  // namespace report_test
