#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/devices/sample_figures.hpp"

namespace cheat_rules_test {

using namespace devices;
using namespace messages;

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
  CHECK(failure_in(conclude(figures, {})).kind == failure_kind::wrong_values);  // a function: it is lent them each time
  figures.draws.back().got_structure = figures.draws.back().expected_structure = "Tensor";
  CHECK(std::get<verified>(conclude(figures, {})).judging.weights.empty());  // nothing shows that it uses any
  figures.draws.push_back(good_draw("own"));
  figures.draws.back().weights = "other_seed";
  std::swap(figures.draws.back(), *(figures.draws.end() - 2));
  auto verdict = std::get<verified>(conclude(figures, {}));
  CHECK(verdict.judging.weights == "prepared_at_init");
  CHECK(verdict.judging.draws.back() == "perturbed");
}

TEST_CASE("a candidate that ignores a weight is not said to have prepared it") {
  auto figures = good_verify();
  for (auto weights : {"other_seed", "perturbed"}) {
    figures.draws.push_back(wrong_draw("own", "", weights));
    figures.draws.back().got_structure = figures.draws.back().expected_structure = "Tensor";
  }
  auto verdict = std::get<rejected>(conclude(figures, {}));
  CHECK(verdict.failure.kind == failure_kind::wrong_values);
  CHECK(verdict.judging->weights.empty());
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

TEST_CASE("a task in float64 takes nothing that float32 has rounded, one that goes through float32 itself does") {
  for (const auto& [rms, eager, passes] :
       {std::tuple{1e-13, 0.0, true}, {3e-8, 0.0, false}, {3e-8, 2e-8, true}, {1.5e-5, 1e-8, true}}) {
    CAPTURE(rms);
    auto figures = good_verify();
    for (auto& draw : figures.draws) {
      auto& x = draw.outputs[0];
      x.expected.dtype = x.got.dtype = dtype::float64;
      x.rms = rms, x.eager_rms = eager;
    }
    auto verdict = conclude(figures, {});
    CHECK(std::holds_alternative<verified>(verdict) == passes);
    if (!passes) CHECK(failure_in(verdict).details.at("precision") == "fp32");
    if (passes) CHECK(std::get<verified>(verdict).judging.precision == "fp64");
  }
}

TEST_CASE("a verdict names the dtype that the task was judged in") {
  auto figures = good_verify();
  figures.dtype = "bfloat16";
  CHECK(std::get<verified>(conclude(figures, {})).judging.dtype == "bfloat16");
}

TEST_CASE("a candidate that is coarse on the task's own draws or on timed contents is found out") {
  for (const auto& [kind, probe] : {std::pair{"own", ""}, {"signed", "mixed"}}) {
    auto figures = good_time();
    figures.checked.push_back(good_draw(kind));
    figures.checked.back().probe = probe;
    figures.checked.back().outputs[0] = off_by(2.3e-3);
    auto x = failure_in(conclude(figures, {}, 0));
    CHECK(x.kind == failure_kind::precision_downgrade);
    CHECK(x.stage == failure_stage::time);
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

TEST_CASE("halves may be rounded to another half where eager alone is there to be held against") {
  auto figures = good_verify();
  for (auto& draw : figures.draws) {
    auto& x = draw.outputs[0];
    x.expected.dtype = x.got.dtype = dtype::float16;
    x.rms = 2e-4, x.eager_rms = 0;
  }
  CHECK(std::holds_alternative<verified>(conclude(figures, {})));
  for (auto& draw : figures.draws) draw.outputs[0].rms = 4e-4;
  CHECK(failure_in(conclude(figures, {})).kind == failure_kind::precision_downgrade);
}

TEST_CASE("a task that a constant passes is marked") {
  auto figures = good_verify();
  figures.degenerate = "constant";
  CHECK(std::get<verified>(conclude(figures, {})).judging.degenerate_task);
}

TEST_CASE("outputs that were wrong and came later are late, not wrong") {
  auto figures = good_verify();
  figures.draws.push_back(wrong_draw("signed"));
  figures.draws.back().written_later = true;
  CHECK(failure_in(conclude(figures, {})).kind == failure_kind::late_write);
  CHECK(failure_in(conclude(figures, {})).cheat_class == "C");
}

}  // namespace cheat_rules_test
