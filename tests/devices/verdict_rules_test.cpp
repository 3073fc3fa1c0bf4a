#include "devices/verdict_rules.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/devices/sample_figures.hpp"

namespace verdict_rules_test {

using namespace devices;
using namespace messages;

namespace {

struct fate_row {
  const char* what;
  candidate_fate fate;
  failure_stage stage;
  failure_kind kind;
  const char* message;
};

struct output_row {
  const char* what;
  std::function<void(output_figures&)> change;
  failure_kind kind;
  const char* message;
};

}  // namespace

// -- verify -----------------------------------------------------------------------------------------------------------

TEST_CASE("a candidate without a fault is verified, with its largest errors and all seeds") {
  auto figures = good_verify();
  figures.draws[1].outputs[0].max_abs = 5e-6;
  auto verdict = std::get<verified>(conclude(figures, {.policy = "strict"}));
  CHECK(verdict.error == error_summary{.max_abs = 5e-6, .max_rel = 3e-7, .reference_max_abs = 1e-7, .tolerance = 1e-4});
  CHECK(verdict.judging.seeds == std::vector<std::string>(3, "5eed"));
  CHECK(verdict.judging.policy == "strict");
  CHECK(verdict.judging.sandbox == "namespaces");
  CHECK(verdict.judging.tier == "hosted");
  CHECK(verdict.judging.why_hosted == "");
  CHECK(verdict.judging.precision == "fp32");
  CHECK(verdict.judging.draws == std::vector<std::string>{"own", "signed", "scaled_up"});
  CHECK(verdict.judging.weights.empty());
}

TEST_CASE("how a candidate's process ended decides the kind, and what it was doing the stage") {
  const std::vector<fate_row> rows{
      {"raises on import",
       {candidate_end::raised, "load", 0, "ImportError: no x\nmore"},
       failure_stage::load,
       failure_kind::load_error,
       "The candidate raised an error while it was loaded: ImportError: no x"},
      {"exits on import",
       {candidate_end::exited, "load", 0, ""},
       failure_stage::load,
       failure_kind::load_error,
       "The candidate exited while it was loaded with code 0"},
      {"raises in a call",
       {candidate_end::raised, "call", 0, "ValueError: 3"},
       failure_stage::verify,
       failure_kind::crash,
       "The candidate raised an error in a checked call: ValueError: 3"},
      {"dies in a call",
       {candidate_end::killed, "call", 11, ""},
       failure_stage::verify,
       failure_kind::crash,
       "The candidate died in a checked call of signal 11"},
      {"dies when timed",
       {candidate_end::killed, "time", 8, ""},
       failure_stage::time,
       failure_kind::crash,
       "The candidate died while it was timed of signal 8"},
      {"hangs on import",
       {candidate_end::timed_out, "load", 0, ""},
       failure_stage::load,
       failure_kind::timeout,
       "The candidate did not answer in time while it was loaded"},
      {"hangs in a call",
       {candidate_end::timed_out, "call", 0, ""},
       failure_stage::verify,
       failure_kind::timeout,
       "The candidate did not answer in time in a checked call"},
      {"eats memory",
       {candidate_end::out_of_memory, "call", 9, ""},
       failure_stage::verify,
       failure_kind::out_of_memory,
       "The candidate ran out of memory in a checked call"},
      {"replaces what closes libraries",
       {candidate_end::tampered, "load", 0, "it replaced LibraryGuard.close"},
       failure_stage::load,
       failure_kind::tampering,
       "The candidate tampered with what watches it: it replaced LibraryGuard.close"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    auto figures = good_verify();
    figures.fate = row.fate;
    auto x = failure_in(conclude(figures, {}));
    CHECK(x.stage == row.stage);
    CHECK(x.kind == row.kind);
    CHECK(x.cheat_class.value_or("") == (row.kind == failure_kind::tampering ? "F" : ""));
    CHECK(x.message == row.message);
  }
}

TEST_CASE("each difference of an output has its kind and a sentence") {
  const std::vector<output_row> rows{
      {"type", [](auto& x) { x.got_type = "LazyTensor"; }, failure_kind::wrong_shape,
       "Output 0 has type LazyTensor where the reference has torch.Tensor (draw \"own\")."},
      {"device", [](auto& x) { x.got_device = "meta"; }, failure_kind::wrong_shape,
       "Output 0 has device meta where the reference has cpu (draw \"own\")."},
      {"dtype", [](auto& x) { x.got.dtype = dtype::float64; }, failure_kind::wrong_dtype,
       "Output 0 has dtype float64 where the reference has float32 (draw \"own\")."},
      {"shape",
       [](auto& x) {
         x.got.shape = {3, 2};
       },
       failure_kind::wrong_shape, "Output 0 has shape [3, 2] where the reference has [2, 3] (draw \"own\")."},
      {"strides",
       [](auto& x) {
         x.got.strides = {1, 2};
       },
       failure_kind::wrong_strides, "Output 0 has strides [1, 2] where the reference has [3, 1] (draw \"own\")."},
      {"NaN",
       [](auto& x) {
         x.non_finite_mismatch = 2, x.first_index = {0, 1}, x.first_got = NAN, x.first_want = 1;
       },
       failure_kind::non_finite,
       "Output 0 has NaN or infinity in other places in 2 of 6 elements: nan instead of 1 at [0, 1] (draw \"own\")."},
      {"values",
       [](auto& x) {
         x.over_tolerance = 1, x.first_index = {1, 2}, x.first_got = 1.5, x.first_want = 1;
       },
       failure_kind::wrong_values,
       "Output 0 differs by more than the tolerance in 1 of 6 elements: 1.5 instead of 1 at [1, 2] (draw \"own\")."},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    auto figures = good_verify();
    row.change(figures.draws[0].outputs[0]);
    auto x = failure_in(conclude(figures, {}));
    CHECK(x.stage == failure_stage::verify);
    CHECK(x.kind == row.kind);
    CHECK(x.message == row.message);
    CHECK(x.details.at("output") == "0");
    CHECK(x.details.at("draw") == "own");
  }
}

TEST_CASE("the first wrong value is in the details") {
  auto figures = good_verify();
  auto& output = figures.draws[2].outputs[0];
  output.over_tolerance = 4, output.first_index = {1, 2}, output.first_got = 0.25, output.first_want = -1;
  output.rms = 1;
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.details.at("index") == "[1, 2]");
  CHECK(x.details.at("got") == "0.25");
  CHECK(x.details.at("want") == "-1");
  CHECK(x.details.at("draw") == "scaled_up");
  CHECK(std::get<rejected>(conclude(figures, {})).error.has_value());
}

TEST_CASE("the number of outputs must be the reference's") {
  auto figures = good_verify();
  figures.draws[0].got_outputs = 2;
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::wrong_shape);
  CHECK(x.message == "The candidate gave 2 outputs where the reference gives 1 (draw \"own\").");
}

TEST_CASE("changed inputs are answer theft, whatever the values are") {
  auto figures = good_verify();
  figures.draws[1].inputs_changed = true;
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::input_changed);
  CHECK(x.cheat_class == "A");
}

TEST_CASE("draws on which the reference is not finite do not count") {
  auto figures = good_verify();
  figures.draws[2].finite = false;
  figures.draws[2].outputs[0].non_finite_mismatch = 6;
  CHECK(std::holds_alternative<verified>(conclude(figures, {})));
  figures.draws[1].finite = false;
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::task_error);
  CHECK(x.message == "The reference is finite on 1 of 3 draws only; at least 2 are needed to judge.");
}

TEST_CASE("figures without draws or outputs are the judge's failure") {
  auto none = good_verify();
  none.draws.clear();
  CHECK(std::get<failure>(conclude(none, {})).code == failure_code::wrong_answer);
  auto empty = good_verify();
  for (auto& draw : empty.draws) draw.outputs.clear();
  CHECK(std::holds_alternative<failure>(conclude(empty, {})));
}

TEST_CASE("on a redraw an error beyond the tolerance is held against eager's own, on the task's own draw it is not") {
  auto figures = good_verify();
  auto beyond = [&](std::size_t draw, double rms, double eager_rms) {
    auto changed = figures;
    auto& output = changed.draws[draw].outputs[0];
    output.over_tolerance = 1;
    output.rms = rms;
    output.eager_rms = eager_rms;
    output.reference_rms = 1;
    return conclude(changed, {});
  };
  CHECK(std::holds_alternative<verified>(beyond(1, 3.9e-4, 1e-4)));
  CHECK(std::holds_alternative<verified>(beyond(1, 1.9e-5, 0)));
  CHECK(failure_in(beyond(1, 4.1e-4, 1e-4)).kind == failure_kind::precision_downgrade);
  CHECK(failure_in(beyond(1, 2e-2, 1e-4)).kind == failure_kind::wrong_values);
  CHECK(failure_in(beyond(0, 3.9e-4, 1e-4)).kind == failure_kind::wrong_values);
}

TEST_CASE("the error that is told is what is compared, as a share of what is allowed") {
  auto figures = good_verify();
  CHECK_FALSE(std::get<verified>(conclude(figures, {})).error.of_allowed.has_value());  // integers: nothing is allowed
  figures.draws[0].outputs[0].of_tolerance = 0.02;
  figures.draws[1].outputs[0].of_tolerance = 0.5;
  figures.draws[1].outputs[0].rms = 1e-6;
  CHECK(std::get<verified>(conclude(figures, {})).error.of_allowed == doctest::Approx(0.05));  // of 2e-5 of the RMS
  figures.draws[0].outputs[0].of_tolerance = 0.4;
  CHECK(std::get<verified>(conclude(figures, {})).error.of_allowed == doctest::Approx(0.4));
  figures.draws[0].outputs[0].of_tolerance = 30;
  figures.draws[0].outputs[0].over_tolerance = 1;
  CHECK(std::get<rejected>(conclude(figures, {})).error->of_allowed == doctest::Approx(30));
}

TEST_CASE("a task whose outputs have no elements is degenerate: whatever is given is right") {
  auto figures = good_verify();
  CHECK_FALSE(std::get<verified>(conclude(figures, {})).judging.degenerate_task);
  for (auto& draw : figures.draws) {
    draw.outputs[0].expected = draw.outputs[0].got = spec({0, 3});
    draw.outputs[0].elements = 0;
  }
  CHECK(std::get<verified>(conclude(figures, {})).judging.degenerate_task);
}

}  // namespace verdict_rules_test
