#include "devices/verdict_rules.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace devices;
using namespace messages;

namespace {

tensor_spec spec(std::vector<std::int64_t> shape = {2, 3}, std::vector<std::int64_t> strides = {3, 1}) {
  return {dtype::float32, std::move(shape), std::move(strides)};
}

output_figures good_output() {
  return {.expected_type = "torch.Tensor",
          .got_type = "torch.Tensor",
          .expected_device = "cpu",
          .got_device = "cpu",
          .expected = spec(),
          .got = spec(),
          .elements = 6,
          .max_abs = 2e-7,
          .max_rel = 3e-7,
          .rms = 1e-7,
          .reference_rms = 1,
          .eager_max_abs = 1e-7,
          .eager_rms = 1e-7};
}

draw_figures good_draw(const std::string& kind) {
  return {.seed = "5eed", .kind = kind, .expected_outputs = 1, .got_outputs = 1, .outputs = {good_output()}};
}

verify_figures good_verify() {
  return {.draws = {good_draw("own"), good_draw("signed"), good_draw("scaled_up")}, .sandbox = "namespaces"};
}

time_figures good_time() {
  return {.candidate_ns = {1e6, 1e6, 1e6, 2e6, 1e6, 1e6, 1e6},
          .baseline_ns = {{"eager", {2e6, 2e6, 2e6, 4e6, 2e6, 2e6, 2e6}}},
          .repeat_ns = {2e6, 2.02e6, 1.98e6, 4e6, 2e6, 2e6, 2e6},
          .checked = {good_draw("own")},
          .floor_bytes = 1'000'000};
}

kernel_failure failure_in(const verify_conclusion& x) {
  REQUIRE(std::holds_alternative<rejected>(x));
  return std::get<rejected>(x).failure;
}

kernel_failure failure_in(const time_conclusion& x) {
  REQUIRE(std::holds_alternative<rejected>(x));
  return std::get<rejected>(x).failure;
}

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
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    auto figures = good_verify();
    figures.fate = row.fate;
    auto x = failure_in(conclude(figures, {}));
    CHECK(x.stage == row.stage);
    CHECK(x.kind == row.kind);
    CHECK(x.message == row.message);
    CHECK_FALSE(x.cheat_class.has_value());
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

// -- time -------------------------------------------------------------------------------------------------------------

TEST_CASE("times become medians, paired ratios and noise") {
  auto timing = std::get<timed>(conclude(good_time(), {}, 2e9)).timing;
  CHECK(timing.candidate_ms == distribution{.median = 1, .low = 1, .high = 2, .samples = 7});
  CHECK(timing.eager_ms.median == 2);
  CHECK(timing.speedup_eager == ratio{2, 2, 2});
  CHECK(timing.aa_noise == doctest::Approx(0.01));
  CHECK(timing.roofline_share == doctest::Approx(0.5));
  CHECK_FALSE(timing.compile_ms.has_value());
}

TEST_CASE("torch.compile is a baseline beside eager where it was measured") {
  auto figures = good_time();
  figures.baseline_ns["compile"] = std::vector<double>(7, 1.5e6);
  auto timing = std::get<timed>(conclude(figures, {}, 0)).timing;
  CHECK(timing.compile_ms->median == 1.5);
  CHECK(timing.speedup_compile->value == 1.5);
  CHECK_FALSE(timing.roofline_share.has_value());
}

TEST_CASE("a timed call with wrong values rejects the candidate in the time stage") {
  auto figures = good_time();
  figures.checked[0].outputs[0].over_tolerance = 1;
  auto x = failure_in(conclude(figures, {}, 0));
  CHECK(x.stage == failure_stage::time);
  CHECK(x.kind == failure_kind::wrong_values);
}

TEST_CASE("a candidate that ends while it is timed is rejected") {
  auto figures = good_time();
  figures.fate = {candidate_end::killed, "time", 11, ""};
  CHECK(failure_in(conclude(figures, {}, 0)).kind == failure_kind::crash);
}

TEST_CASE("calls that take no longer than an empty candidate's are refused, a single one is noise") {
  auto figures = good_time();
  figures.candidate_ns[0] = -5;
  auto timing = std::get<timed>(conclude(figures, {}, 0)).timing;
  CHECK(timing.speedup_eager.value == 2);
  CHECK(timing.candidate_ms.low > 0);
  figures.candidate_ns = std::vector<double>(7, 0);
  CHECK(failure_in(conclude(figures, {}, 0)).kind == failure_kind::below_floor);
}

TEST_CASE("times that do not pair are the judge's failure") {
  const std::vector<std::function<void(time_figures&)>> changes{
      [](auto& x) { x.candidate_ns.clear(); }, [](auto& x) { x.baseline_ns.clear(); },
      [](auto& x) { x.baseline_ns["eager"].pop_back(); }, [](auto& x) { x.repeat_ns.pop_back(); },
      [](auto& x) { x.baseline_ns["eager"].assign(7, 0); }};
  for (const auto& change : changes) {
    auto figures = good_time();
    change(figures);
    CHECK(std::get<failure>(conclude(figures, {}, 0)).code == failure_code::wrong_answer);
  }
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

// -- replay, late writes, weights, libraries
// ----------------------------------------------------------------------------

namespace {

draw_figures wrong_draw(const std::string& kind, const std::string& probe = "", const std::string& weights = "given") {
  auto x = good_draw(kind);
  x.probe = probe;
  x.weights = weights;
  auto& output = x.outputs[0];
  output.over_tolerance = 1, output.rms = 1, output.first_index = {0, 0}, output.first_got = 2, output.first_want = 1;
  return x;
}

output_figures off_by(double share) {
  auto x = good_output();
  x.rms = share;
  return x;
}

}  // namespace

TEST_CASE("who is right on the task's own draws and wrong on another one is of class D") {
  for (const auto& bad :
       {wrong_draw("signed"), wrong_draw("own", "one_changed"), wrong_draw("own", "", "other_seed")}) {
    auto figures = good_verify();
    figures.draws.push_back(bad);
    auto x = failure_in(conclude(figures, {}));
    CHECK(x.kind == failure_kind::wrong_values);
    CHECK(x.cheat_class == "D");
  }
  auto everywhere = good_verify();
  everywhere.draws = {wrong_draw("own"), wrong_draw("signed")};
  CHECK_FALSE(failure_in(conclude(everywhere, {})).cheat_class.has_value());
}

TEST_CASE("a kernel that is wrong everywhere is told so on the task's own draw") {
  auto figures = good_verify();
  figures.draws = {wrong_draw("signed"), wrong_draw("own")};
  CHECK(failure_in(conclude(figures, {})).details.at("draw") == "own");
}

TEST_CASE("outputs of an earlier call are a replay, where they are wrong") {
  auto figures = good_verify();
  figures.draws[1].replayed = true;
  CHECK(std::holds_alternative<verified>(conclude(figures, {})));
  figures.draws.push_back(wrong_draw("own", "permuted"));
  figures.draws.back().replayed = true;
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::replay);
  CHECK(x.cheat_class == "B");
}

TEST_CASE("outputs that are written after done are late") {
  auto figures = good_verify();
  figures.draws[0].written_later = true;
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::late_write);
  CHECK(x.cheat_class == "C");
}

TEST_CASE("a list of one tensor is not a tensor, and a function has no structure") {
  auto figures = good_verify();
  figures.draws[0].expected_structure = "Tensor";
  figures.draws[0].got_structure = "[Tensor]";
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::wrong_shape);
  CHECK(x.message == "The candidate returns [Tensor] where the reference returns Tensor (draw \"own\").");
  figures.draws[0].got_structure = "";
  CHECK(std::holds_alternative<verified>(conclude(figures, {})));
}

TEST_CASE("weights changed after construction are reported and reject nothing") {
  auto figures = good_verify();
  figures.draws.push_back(good_draw("own"));
  figures.draws.back().weights = "perturbed";
  CHECK(std::get<verified>(conclude(figures, {})).judging.weights == "any");
  figures.draws.back() = wrong_draw("own", "", "perturbed");
  auto verdict = std::get<verified>(conclude(figures, {}));
  CHECK(verdict.judging.weights == "prepared_at_init");
  CHECK(verdict.judging.draws.back() == "perturbed");
}

TEST_CASE("a buffer that the reference changes is an output with a name, and its strides are free") {
  auto figures = good_verify();
  auto buffer = good_output();
  buffer.name = "norm.running_mean";
  buffer.got.strides = {1, 2};
  figures.draws[0].outputs.push_back(buffer);
  CHECK(std::holds_alternative<verified>(conclude(figures, {})));
  figures.draws[0].outputs[1].over_tolerance = 1;
  CHECK(failure_in(conclude(figures, {})).message.starts_with("Buffer norm.running_mean differs"));
}

TEST_CASE("work that a library does is of class E, unless it is allowed") {
  auto figures = good_verify();
  figures.library = library_figures{};
  CHECK(std::holds_alternative<verified>(conclude(figures, {})));
  figures.library = library_figures{.calls = {"aten::mm"}};
  auto x = failure_in(conclude(figures, {}));
  CHECK(x.kind == failure_kind::library_calls);
  CHECK(x.cheat_class == "E");
  CHECK(x.details.at("calls") == "aten::mm");
  auto allowed = std::get<verified>(conclude(figures, {.allow_library_calls = true}));
  CHECK(allowed.judging.library == std::vector<std::string>{"aten::mm"});
  figures.library = library_figures{.changed = true, .message = "it died"};
  CHECK(failure_in(conclude(figures, {})).kind == failure_kind::library_calls);
}

TEST_CASE("errors have a class of precision, and only that of the reference passes") {
  struct row {
    double share;
    double tiny;
    const char* name;
  };
  for (const auto& [share, tiny, name] : {row{1.9e-5, 1e-5, "fp32"}, row{3e-4, 3e-4, "tf32"}, row{3e-4, 4e-2, "fp16"},
                                          row{2.3e-3, 2.3e-3, "bf16"}, row{2e-2, 2e-2, "none"}}) {
    CAPTURE(name);
    auto figures = good_verify();
    figures.draws[1].outputs[0] = off_by(share);
    figures.draws.push_back(good_draw("tiny"));
    figures.draws.back().outputs[0] = off_by(tiny);
    auto verdict = conclude(figures, {});
    if (std::string{name} == "fp32") {
      CHECK(std::get<verified>(verdict).judging.precision == "fp32");
      continue;
    }
    CHECK(failure_in(verdict).kind == failure_kind::precision_downgrade);
    CHECK(failure_in(verdict).cheat_class == "D");
    CHECK(failure_in(verdict).details.at("precision") == name);
  }
}

TEST_CASE("halves are as fine as a reference in halves") {
  auto figures = good_verify();
  for (auto& draw : figures.draws) {
    auto& x = draw.outputs[0];
    x.expected.dtype = x.got.dtype = dtype::float16;
    x.rms = 4e-4, x.eager_rms = 3e-4;
  }
  CHECK(std::get<verified>(conclude(figures, {})).judging.precision == "fp16");
}

TEST_CASE("a task that a constant passes is marked") {
  auto figures = good_verify();
  figures.degenerate = "constant";
  CHECK(std::get<verified>(conclude(figures, {})).judging.degenerate_task);
}

// -- clocks -----------------------------------------------------------------------------------------------------------

TEST_CASE("outputs that come late show that the work was done after done") {
  auto figures = good_time();
  figures.late_call_ns = {1e4, 1e4, 1e4};
  figures.late_ns = {1.1e4, 1.2e4, 1.1e4};
  CHECK(std::holds_alternative<timed>(conclude(figures, {}, 0)));
  figures.late_ns = {9e5, 1e6, 1.1e6};
  auto x = failure_in(conclude(figures, {}, 0));
  CHECK(x.kind == failure_kind::clock_mismatch);
  CHECK(x.cheat_class == "C");
}

TEST_CASE("nothing is faster than the memory it must move through") {
  auto figures = good_time();
  figures.floor_ns = 1.04e6;
  CHECK(std::holds_alternative<timed>(conclude(figures, {}, 0)));
  figures.floor_ns = 1.1e6;
  CHECK(failure_in(conclude(figures, {}, 0)).kind == failure_kind::below_floor);
}

TEST_CASE("a machine that is too busy to time on is a failure, not a verdict") {
  auto drowned = good_time();
  drowned.candidate_ns.assign(7, -1);
  drowned.empty_spread_ns = 6e5;
  CHECK(std::get<failure>(conclude(drowned, {}, 0)).code == failure_code::overloaded);
  auto slowed = good_time();
  slowed.alone_ns = {1e6, 1.1e6, 1e6};
  CHECK(std::get<failure>(conclude(slowed, {}, 0)).code == failure_code::overloaded);
  slowed.alone_ns = {1.5e6, 1.6e6, 1.5e6};
  CHECK(std::holds_alternative<timed>(conclude(slowed, {}, 0)));
}

TEST_CASE("outputs that were wrong and came later are late, not wrong") {
  auto figures = good_verify();
  figures.draws.push_back(wrong_draw("signed"));
  figures.draws.back().written_later = true;
  CHECK(failure_in(conclude(figures, {})).kind == failure_kind::late_write);
  CHECK(failure_in(conclude(figures, {})).cheat_class == "C");
}

TEST_CASE("times of which eager's own differ by more than a factor of two are void") {
  auto figures = good_time();
  figures.repeat_ns.assign(7, 5e6);
  CHECK(std::get<failure>(conclude(figures, {}, 0)).code == failure_code::overloaded);
}
