#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/devices/sample_figures.hpp"

namespace time_rules_test {

using namespace devices;
using namespace messages;

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

TEST_CASE("a share of the roofline above 1 is told as it is") {
  auto timing = std::get<timed>(conclude(good_time(), {}, 5e8)).timing;
  CHECK(timing.roofline_share == doctest::Approx(2));
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

TEST_CASE("the device's clock and the judge's own must have the same of a call, but for noise") {
  auto figures = good_time();
  figures.bracket_ns = figures.candidate_ns;
  for (auto& x : figures.bracket_ns) x += 1.9e4;
  CHECK(std::holds_alternative<timed>(conclude(figures, {}, 0)));
  for (auto& x : figures.bracket_ns) x += 6e4;
  auto x = failure_in(conclude(figures, {}, 0));
  CHECK(x.kind == failure_kind::clock_mismatch);
  CHECK(x.cheat_class == "C");
  figures.bracket_spread_ns = 1e5;
  CHECK(std::holds_alternative<timed>(conclude(figures, {}, 0)));
}

TEST_CASE("what the judge's clock alone has of calls is the candidate's time, if it is not refused") {
  auto figures = good_time();
  figures.candidate_ns.assign(7, 4e4);
  figures.bracket_ns.assign(7, 4e4 + 1.9e4);
  auto timing = std::get<timed>(conclude(figures, {}, 0)).timing;
  CHECK(timing.candidate_ms.median == doctest::Approx(0.056));
  figures.bracket_ns.assign(7, 4e4 + 2e3);
  CHECK(std::get<timed>(conclude(figures, {}, 0)).timing.candidate_ms.median == doctest::Approx(0.04));
  figures.bracket_ns.assign(7, 4e4 + 1.9e4);
  figures.tier = "sealed";
  CHECK(std::get<timed>(conclude(figures, {}, 0)).timing.candidate_ms.median == doctest::Approx(0.04));
}

TEST_CASE("a sealed process wakes sooner or later, so only more than that is work that the device's clock misses") {
  auto figures = good_time();
  figures.tier = "sealed";
  figures.bracket_ns = figures.candidate_ns;
  for (auto& x : figures.bracket_ns) x += 1.2e5;
  CHECK(std::holds_alternative<timed>(conclude(figures, {}, 0)));
  for (auto& x : figures.bracket_ns) x += 6e4;
  CHECK(failure_in(conclude(figures, {}, 0)).kind == failure_kind::clock_mismatch);
}

TEST_CASE(
    "times say whose clock they are by, and a sealed candidate's kernels are its own unless it may call libraries") {
  auto figures = good_time();
  auto timing = [&](messages::judge_options options = {}) {
    return std::get<timed>(conclude(figures, options, 0)).timing;
  };
  CHECK(timing().clock == "judge");
  figures.bracket_ns = figures.candidate_ns;
  CHECK(timing().clock == "shim");
  CHECK_FALSE(timing().own_kernel_share.has_value());
  figures.tier = "sealed";
  CHECK(timing().clock == "replayer");
  CHECK(timing().own_kernel_share == 1);
  CHECK_FALSE(timing({.allow_library_calls = true}).own_kernel_share.has_value());
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
  CHECK(timing.speedup_eager == ratio{.value = 2, .low = 2, .high = 2});
  CHECK(timing.candidate_ms.samples == 7);
  CHECK(timing.candidate_ms.low == 1);
  figures.candidate_ns = std::vector<double>(7, 0);
  CHECK(failure_in(conclude(figures, {}, 0)).kind == failure_kind::below_floor);
}

TEST_CASE("pairs in which a side took next to nothing are void, and with them all where there are many") {
  auto figures = good_time();
  figures.repeat_ns[2] = 3e3;
  auto timing = std::get<timed>(conclude(figures, {}, 0)).timing;
  CHECK(timing.eager_ms.samples == 6);
  CHECK(timing.aa_noise < 0.02);
  for (auto i : {0, 1, 3}) figures.baseline_ns["eager"][i] = -1;
  CHECK(std::get<failure>(conclude(figures, {}, 0)).code == failure_code::overloaded);
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

TEST_CASE("work that comes late in most calls is late, whatever the others do") {
  auto figures = good_time();
  figures.late_call_ns = {1e5, 5e6, 1e5, 1e5, 5e6, 1e5, 1e5};
  figures.late_ns = {5.1e6, 5e6, 5e6, 5.1e6, 5e6, 5e6, 5.2e6};
  CHECK(failure_in(conclude(figures, {}, 0)).kind == failure_kind::clock_mismatch);
  figures.late_ns = {1e5, 1e7, 1e5, 1e5, 1e7, 1e5, 1.1e5};  // only what is slow anyway comes late
  CHECK(std::get<timed>(conclude(figures, {}, 0)).timing.candidate_ms.median == doctest::Approx(1));
}

TEST_CASE("what comes late is counted however slow eager is") {
  auto figures = good_time();
  figures.late_call_ns.assign(7, 1e5);
  figures.late_ns.assign(7, 1.8e5);
  auto timing = std::get<timed>(conclude(figures, {}, 0)).timing;
  CHECK(timing.candidate_ms.median == doctest::Approx(1.08));
}

TEST_CASE("a call that is over sooner than the clock can tell is right where the task is that small") {
  auto figures = good_time();
  figures.candidate_ns.assign(7, -5);
  figures.empty_spread_ns = 1e3;
  figures.floor_bytes = 0;  // not known
  CHECK(failure_in(conclude(figures, {}, 1e10)).kind == failure_kind::below_floor);
  figures.floor_bytes = 4096;
  auto timing = std::get<timed>(conclude(figures, {}, 1e10)).timing;
  CHECK(timing.candidate_ms.median == doctest::Approx(3e-3));  // 3 deviations of the clock
  figures.floor_bytes = 64 << 20;
  CHECK(failure_in(conclude(figures, {}, 1e10)).kind == failure_kind::below_floor);
}

TEST_CASE(
    "a clock that tells no time from nothing that is shorter than eager's makes no slow candidate of a fast one") {
  auto figures = good_time();  // eager takes 2 ms
  figures.candidate_ns.assign(7, 5e5);
  figures.floor_bytes = 4096;
  figures.empty_spread_ns = 5e5;
  CHECK(std::holds_alternative<timed>(conclude(figures, {}, 1e10)));
  figures.empty_spread_ns = 8e5;
  CHECK(std::get<failure>(conclude(figures, {}, 1e10)).code == failure_code::overloaded);
}

TEST_CASE("a little work after done is counted as the candidate's time") {
  auto figures = good_time();
  figures.late_call_ns = {1e6, 1e6, 1e6};
  figures.late_ns = {1.2e6, 1.25e6, 1.2e6};
  auto timing = std::get<timed>(conclude(figures, {}, 0)).timing;
  CHECK(timing.candidate_ms.median == doctest::Approx(1.2));
  CHECK(timing.speedup_eager.value == doctest::Approx(2 / 1.2));
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
  slowed.bracket_ns = slowed.candidate_ns;  // with a clock of the device's own that is too much
  slowed.alone_ns = {1.5e6, 1.5e6, 1.5e6};
  CHECK(std::get<failure>(conclude(slowed, {}, 0)).code == failure_code::overloaded);
}

TEST_CASE("times of which eager's own differ by more than a factor of two are void") {
  auto figures = good_time();
  figures.repeat_ns.assign(7, 5e6);
  CHECK(std::get<failure>(conclude(figures, {}, 0)).code == failure_code::overloaded);
}

}  // namespace time_rules_test
