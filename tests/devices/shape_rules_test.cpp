#include "devices/shape_rules.hpp"

#include <doctest/doctest.h>

#include "tests/devices/sample_figures.hpp"

namespace shape_rules_test {

using namespace devices;
using namespace messages;

namespace {

verify_done verified_on(std::vector<std::string> shapes) {
  verify_done x{.shapes = static_cast<std::uint32_t>(shapes.size())};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto figures = good_verify();
    figures.shape = shapes[i];
    if (i == 0) x.figures = figures;
    if (i > 0) x.others.push_back(figures);
  }
  return x;
}

/// The candidate takes 1 ms; eager so many times as long, on each shape.
time_done timed_on(std::vector<double> speedups) {
  time_done x{.shapes = static_cast<std::uint32_t>(speedups.size())};
  for (std::size_t i = 0; i < speedups.size(); ++i) {
    auto figures = good_time();
    figures.shape = "[" + std::to_string(i) + "]";
    figures.candidate_ns.assign(7, 1e6);
    figures.repeat_ns.assign(7, speedups[i] * 1e6);
    figures.baseline_ns["eager"] = figures.repeat_ns;
    if (i == 0) x.figures = figures;
    if (i > 0) x.others.push_back(figures);
  }
  return x;
}

}  // namespace

TEST_CASE("a task with one shape is judged as its figures say, and no shape is named") {
  auto one = verified_on({""});
  auto judged = std::get<verified>(conclude_shapes(one, {}));
  CHECK(judged == std::get<verified>(conclude(one.figures, {})));
  CHECK(judged.judging.shapes.empty());
  auto times = std::get<timed>(conclude_shapes(time_done{good_time(), {}, 1}, {}, 2e9));
  CHECK(times == std::get<timed>(conclude(good_time(), {}, 2e9)));
}

TEST_CASE("a candidate passes a task with several shapes if it is right on all of them") {
  auto x = verified_on({"[2, 3]", "[4, 300]"});
  x.others[0].draws[0].outputs[0].max_abs = 1e-6;
  x.others[0].degenerate = "constant";
  auto judged = std::get<verified>(conclude_shapes(x, {}));
  CHECK(judged.judging.shapes == std::vector<std::string>{"[2, 3]", "[4, 300]"});
  CHECK(judged.judging.seeds.size() == 6);
  CHECK(judged.judging.draws.size() == 6);
  CHECK(judged.error.max_abs == 1e-6);
  CHECK_FALSE(judged.judging.degenerate_task);
  x.figures.degenerate = "constant";
  CHECK(std::get<verified>(conclude_shapes(x, {})).judging.degenerate_task);
}

TEST_CASE("one that is wrong on a further shape is rejected with the shape named") {
  auto x = verified_on({"[2, 3]", "[4, 300], [300]"});
  auto& output = x.others[0].draws[0].outputs[0];
  output.over_tolerance = 1;
  output.first_index = {0, 299};
  auto failure = failure_in(conclude_shapes(x, {}));
  CHECK(failure.kind == failure_kind::wrong_values);
  CHECK_MESSAGE(failure.message.ends_with(" (inputs of shape [4, 300], [300])."), failure.message);
  CHECK(failure.details.at("shape") == "[4, 300], [300]");
}

TEST_CASE("a candidate that ends on a further shape is rejected, however few shapes were seen") {
  auto x = verified_on({"[2, 3]", "[4, 300]"});
  x.shapes = 5;
  x.others[0].fate = {.end = candidate_end::killed, .phase = "call", .code = 11};
  x.others[0].draws.clear();
  auto failure = failure_in(conclude_shapes(x, {}));
  CHECK(failure.kind == failure_kind::crash);
  CHECK(failure.details.at("shape") == "[4, 300]");
}

TEST_CASE("figures of fewer shapes than the task has are no pass") {
  auto x = verified_on({"[2, 3]", "[4, 300]"});
  x.shapes = 3;
  auto why = std::get<failure>(conclude_shapes(x, {}));
  CHECK(why.detail == "The judge's figures are incomplete: 2 of 3 shapes.");
  auto times = timed_on({2, 2});
  times.shapes = 3;
  CHECK(std::holds_alternative<failure>(conclude_shapes(times, {}, 0)));
}

TEST_CASE("the speedup is the geometric mean over the shapes, each of which is reported") {
  auto timing = std::get<timed>(conclude_shapes(timed_on({2, 8}), {}, 2e9)).timing;
  CHECK(timing.speedup_eager.value == doctest::Approx(4));
  CHECK(timing.speedup_eager.low == doctest::Approx(4));
  CHECK(timing.candidate_ms.median == doctest::Approx(1));
  CHECK(timing.eager_ms.median == doctest::Approx(4));
  CHECK(timing.candidate_ms.samples == 7);
  CHECK(timing.roofline_share == doctest::Approx(0.5));
  REQUIRE(timing.shapes.size() == 2);
  CHECK(timing.shapes[1].shape == "[1]");
  CHECK(timing.shapes[1].speedup_eager.value == doctest::Approx(8));
}

TEST_CASE("torch.compile counts only where it was timed on every shape") {
  auto x = timed_on({2, 8});
  x.figures.baseline_ns["compile"].assign(7, 3e6);
  CHECK_FALSE(std::get<timed>(conclude_shapes(x, {}, 0)).timing.compile_ms.has_value());
  x.others[0].baseline_ns["compile"].assign(7, 12e6);
  CHECK(std::get<timed>(conclude_shapes(x, {}, 0)).timing.speedup_compile->value == doctest::Approx(6));
}

TEST_CASE("a machine that is too busy on one shape is no verdict, and the shape is named") {
  auto x = timed_on({2, 8});
  x.others[0].alone_ns.assign(7, 1e6);
  auto why = std::get<failure>(conclude_shapes(x, {}, 0));
  CHECK(why.code == failure_code::overloaded);
  CHECK_MESSAGE(why.detail.ends_with("(inputs of shape [1])."), why.detail);
}

}  // namespace shape_rules_test
