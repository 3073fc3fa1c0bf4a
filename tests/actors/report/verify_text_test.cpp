#include <doctest/doctest.h>

#include "actors/logic/documents.hpp"
#include "actors/report/text.hpp"
#include "sample_run.hpp"

namespace verify_text_test {

using namespace report_tests;
using actors::report::text_of;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// As the judge fills it in when nothing is left unmeasured.
verify_document passed() {
  verify_document x{.task = "softsign", .candidate = "softsign.py", .dsl = "imported", .device = "cpu:0"};
  x.verdict = overall_verdict::passed;
  x.sandbox = "namespaces";
  x.precision = "fp32";
  x.weights = "any";
  x.draws = {"own", "signed", "scaled_down", "scaled_up", "one_changed", "signed", "perturbed"};
  x.seeds = {"9f3a01", "77aa02"};
  x.environment = sample_judging().environment;
  x.error = error_summary{1.2e-7, 3e-6, 1.1e-7, 1e-4, 0.003};
  x.timing = timing_of(0.8, 2.4);
  x.timing->compile_ms = distribution{0.81, 0.8, 0.82, 400};
  x.timing->speedup_compile = ratio{1.0125, 1.001, 1.024};
  x.timing->own_kernel_share = 0.97;
  x.seconds = {0.1, 0, 1.2, 3.1, 4.4};
  return x;
}

verify_document failed(kernel_failure why) {
  auto x = passed();
  x.verdict = overall_verdict::failed;
  x.failure = std::move(why);
  x.timing.reset();
  x.precision.clear();
  x.weights.clear();
  return x;
}

}  // namespace

TEST_CASE("what was done to a candidate that passed, on one screen") {
  CHECK(text_of(passed()) == R"(PASSED
  candidate   softsign.py (imported) for softsign on cpu:0
  draws       7 calls: own, signed x2, scaled down, scaled up, one changed,
              perturbed weights
  error       0.3 % of what is allowed; worst 1.2e-07 (relative 3e-06), eager
              1.1e-07, tolerance 0.0001 x (1 + |value|)
  precision   fp32, weights any
  own work    97 % of its time
  time        800.0 us (792.0-808.0 us), 81 % of the roofline
  eager       2.400 ms (2.376-2.424 ms): 3.00x (2.97-3.03, median of pairs),
              real
  compile     810.0 us (800.0-820.0 us): 1.01x (1.00-1.02, median of pairs),
              within the noise
  conditions  hosted, sandbox namespaces, policy as_shipped, A/A noise 0.4 %
  machine     AMD EPYC 9B14, 2 cores, torch 2.15.0, g++ 12.2.0
  seconds     4.40 s: waiting for workers 0.10 s, verify 1.20 s, time 3.10 s
)");
}

TEST_CASE("a candidate that might have been sealed and is not says why") {
  auto x = passed();
  CHECK(text_of(x).find("not sealed") == std::string::npos);
  x.why_hosted = "what it launches can't be recorded: it uses cuGraphLaunch";
  CHECK(text_of(x).find("  hosted      not sealed: what it launches can't be recorded") != std::string::npos);
  x.tier = "sealed";
  CHECK(text_of(x).find("not sealed") == std::string::npos);
}

TEST_CASE("library work that is allowed is named, and so is a degenerate task") {
  auto x = passed();
  x.library = {"aten::mm", "aten::add"};
  x.degenerate_task = true;
  x.weights = "prepared_at_init";
  auto text = text_of(x);
  CHECK(has(text, "own work    calls aten::mm, aten::add (library work, allowed)\n"));
  CHECK(has(text, "degenerate  a constant or an echo passes this task; left out of means\n"));
  CHECK(has(text, "fp32, weights prepared at init: later changes are not seen\n"));
}

TEST_CASE("library work that was refused is not said to be allowed") {
  kernel_failure why{.stage = failure_stage::verify, .kind = failure_kind::library_calls, .cheat_class = "E"};
  why.message = "The candidate has a library do its work: aten::mm.";
  why.details = {{"calls", "aten::mm"}, {"text", "RuntimeError: aten::mm is closed here\nTraceback\n  File x"}};
  auto x = failed(why);
  x.library = {"aten::mm"};
  auto text = text_of(x);
  CHECK(has(text, "FAILED: library_calls in verify, class E (leaves the work to a library)\n"));
  CHECK(has(text,
            "  evidence    The candidate has a library do its work: aten::mm.\n"
            "              text RuntimeError: aten::mm is closed here\n"
            "  reproduce   run it again; --allow-library-calls lets such work pass\n"));
  CHECK_FALSE(has(text, "work, allowed"));
}

TEST_CASE("a speedup within the noise is said to be so, and one below 1 to be slower") {
  auto x = passed();
  x.timing->speedup_eager = {1.03, 1.015, 1.05};
  x.timing->speedup_compile = {0.9, 0.89, 0.91};
  auto text = text_of(x);
  CHECK(has(text, "1.03x (1.01-1.05, median of pairs),\n              within the noise\n"));
  CHECK(has(text, "0.90x (0.89-0.91, median of pairs),\n              slower\n"));
  x.timing->speedup_eager = {1.05, 1.04, 1.06};
  CHECK(has(text_of(x), "1.05x (1.04-1.06, median of pairs),\n              real\n"));
  x.timing->aa_noise = 0.05;
  CHECK(has(text_of(x), "1.05x (1.04-1.06, median of pairs),\n              within the noise\n"));
}

TEST_CASE("a task without work is not called a real speedup, whatever its times are") {
  auto x = passed();
  x.degenerate_task = true;
  auto text = text_of(x);
  CHECK(has(text, "3.00x (2.97-3.03, median of pairs),\n              degenerate task\n"));
  CHECK_FALSE(has(text, "real\n"));
}

TEST_CASE("a time far above the roofline is told as it is, with what may be wrong and what to do") {
  auto x = passed();
  x.timing->roofline_share = 1.39;
  auto text = text_of(x);
  CHECK_MESSAGE(has(text, "139 % of the roofline: faster than this\n"), text);
  CHECK(has(text, "doctor --measure`"));
  x.timing->roofline_share = 1.05;
  CHECK(has(text_of(x), "105 % of the roofline\n"));
}

TEST_CASE("more draws are advised only where a failure is rare") {
  auto why = wrong_values();
  why.details["seed"] = "77aa02";
  why.details["bad_elements"] = "4000";
  why.details["elements"] = "4096";
  CHECK(has(text_of(failed(why)), "  reproduce   run it again with --no-time\n"));
  why.details["bad_elements"] = "12";
  CHECK(has(text_of(failed(why)), "run it again with --no-time --draws 50: each kind with new seeds\n"));
}

TEST_CASE("an error beyond what is allowed is told as a multiple of that") {
  auto x = failed(wrong_values());
  x.error->of_allowed = 2500;
  CHECK(has(text_of(x), "  error       2.5e+03 times what is allowed; worst 1.2e-07"));
}

TEST_CASE("a rejection: the kind and its class in words, the evidence, how to see it again") {
  auto why = wrong_values();
  why.cheat_class = "D";
  why.details["seed"] = "77aa02";
  why.details["bad_elements"] = "12";
  why.details["elements"] = "4096";
  CHECK(text_of(failed(why)) == R"(FAILED: wrong_values in verify, class D (right on easy inputs only)
  candidate   softsign.py (imported) for softsign on cpu:0
  evidence    Output 0 differs by more than the tolerance in 12 of 4096
              elements: 0.5 instead of 0.25 at [3].
              draw signed, seed 77aa02
  reproduce   run it again with --no-time --draws 50: each kind with new seeds
  draws       7 calls: own, signed x2, scaled down, scaled up, one changed,
              perturbed weights
  error       0.3 % of what is allowed; worst 1.2e-07 (relative 3e-06), eager
              1.1e-07, tolerance 0.0001 x (1 + |value|)
  conditions  hosted, sandbox namespaces, policy as_shipped
  machine     AMD EPYC 9B14, 2 cores, torch 2.15.0, g++ 12.2.0
  seconds     4.40 s: waiting for workers 0.10 s, verify 1.20 s, time 3.10 s
)");
}

TEST_CASE("a program that does not compile: the sentence and the compiler's line") {
  kernel_failure why{.stage = failure_stage::compile, .kind = failure_kind::compile_error};
  why.message = "kernel.cpp does not compile.";
  why.details["log"] = "In file included from a.hpp\nkernel.cpp:3: error: no\n";
  verify_document x{.task = "relu", .candidate = "folder", .dsl = "cpp", .device = "cpu:0"};
  x.verdict = overall_verdict::failed;
  x.failure = why;
  CHECK(text_of(x) == R"(FAILED: compile_error in compile
  candidate   folder (cpp) for relu on cpu:0
  evidence    kernel.cpp does not compile.
              kernel.cpp:3: error: no
  reproduce   run it again with --no-time
  conditions  policy as_shipped
  seconds     0.00 s
)");
}

TEST_CASE("a call that is refused while it is timed is to be run again with timing") {
  auto text = text_of(failed({.stage = failure_stage::time, .kind = failure_kind::replay, .cheat_class = "B"}));
  CHECK(text.starts_with("FAILED: replay in time, class B (gives an earlier answer)\n"));
  CHECK(has(text, "run it again: seeds and the order of calls will be new\n"));
}

TEST_CASE("a broken machine is no verdict about the candidate") {
  verify_document x{.task = "relu", .candidate = "c.py", .device = "cpu:0", .problem = "The worker did not start."};
  CHECK(text_of(x) == R"(NOT JUDGED
  candidate   c.py for relu on cpu:0
  problem     The worker did not start.
  conditions  policy as_shipped
  seconds     0.00 s
)");
}

TEST_CASE("what a verdict of a job's candidate says comes from the stages that judged it") {
  run_builder run{{job_named("a")}};
  run.say({"a"}, job_started{});
  auto id = run.candidate({"a"}, "void k() {}\n");
  auto first = sample_judging();
  first.precision = "fp32";
  first.weights = "any";
  first.draws = {"own", "signed"};
  run.stage({"a"}, id, stage_kind::verify, verified{first, {1.2e-7, 3e-6, 1.1e-7, 1e-4}});
  auto second = sample_judging();
  second.draws = {"own", "permuted"};
  run.stage({"a"}, id, stage_kind::time, rejected{wrong_values(), second, {}});
  const auto& job = run.run.jobs.at({"a"});
  auto x = actors::logic::verify_document_of(job, job.candidates.at(0));
  CHECK(x.draws == second.draws);
  CHECK(x.precision == "fp32");
  CHECK(x.weights == "any");
}

TEST_CASE("what was verified without timing says that time was not measured") {
  auto x = passed();
  x.timing.reset();
  x.precision.clear();
  CHECK(has(text_of(x), "missing     time, precision class\n"));
}

TEST_CASE("hostile texts reach no terminal") {
  auto why = wrong_values();
  why.message = "\x1B[2Jcleared\x07\nPASSED";
  why.details = {{"text", "\x1B]0;owned\a<script>"}};
  auto x = failed(why);
  x.library = x.draws = {"\x1B[31mred\n"};
  auto text = text_of(x);
  CHECK_FALSE(has(text, "\x1B"));
  CHECK_FALSE(has(text, "\x07"));
  CHECK_FALSE(has(text, "\nPASSED"));
  CHECK(has(text, "cleared PASSED"));
}

TEST_CASE("each shape of a task that has several is a line with its own time and speedup") {
  auto x = passed();
  x.shapes = {"[2, 3]", "[4, 300], [300]"};
  x.timing->shapes = {{.shape = x.shapes[0], .candidate_ms = {0.5}, .speedup_eager = {2, 1.95, 2.05}},
                      {.shape = x.shapes[1], .candidate_ms = {2}, .speedup_eager = {8, 7.9, 8.1}}};
  x.timing->shapes[1].speedup_compile = ratio{1.5, 1.4, 1.6};
  auto text = text_of(x);
  CHECK_MESSAGE(has(text, "  shapes      [2, 3]: 500.0 us, 2.00x over eager (1.95x to 2.05x)\n"), text);
  CHECK_MESSAGE(has(text, "              [4, 300], [300]: 2.000 ms, 8.00x over eager (7.90x to 8.10x)"), text);
  CHECK(has(text, "1.50x over torch.compile"));
  x.timing.reset();
  CHECK(has(text_of(x), "  shapes      [2, 3]; [4, 300], [300]\n"));
}

}  // namespace verify_text_test
