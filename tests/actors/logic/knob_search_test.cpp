#include "actors/logic/knob_search.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "tests/actors/logic/synthetic_landscapes.hpp"

namespace knob_search_test {

using namespace actors::logic;
using messages::knob_values;
using state = tried_setting::state;

namespace {

/// Integer knobs a, b, ... with the values 0 to n - 1.
messages::knob_space space_of(const std::vector<std::int64_t>& sizes) {
  messages::knob_space space;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    messages::knob_axis axis{std::string(1, static_cast<char>('a' + k)), {}, true, std::int64_t{0}};
    for (std::int64_t i = 0; i < sizes[k]; ++i) axis.values.emplace_back(i);
    space.axes.push_back(std::move(axis));
  }
  return space;
}

using landscape = std::function<double(const setting&)>;  // 0: it can't run

/// Evaluations until the search is within 2 % of the best, two under way at once; `most` if it never is.
std::size_t evaluations_to_the_best(const messages::knob_space& space, const landscape& land, std::uint64_t seed,
                                    std::size_t most) {
  knob_grid grid{space};
  auto best = std::numeric_limits<double>::max();
  for (const auto& x : grid.all())
    if (auto cost = land(x); cost > 0) best = std::min(best, cost);
  std::vector<tried_setting> tried;
  for (std::size_t done = 0; done < most; ++done) {
    for (auto& knobs : propose(grid, tried, 2 - (tried.size() - done), {.seed = seed}))
      tried.push_back({std::move(knobs), state::under_way});
    REQUIRE(done < tried.size());
    auto& x = tried[done];
    x.cost = land(grid.setting_of(x.knobs));
    x.as = x.cost > 0 ? state::measured : state::failed;
    if (x.cost > 0 && x.cost <= best * 1.02) return done + 1;
  }
  return most;
}

/// Over 9 seeds.
std::size_t median_evaluations(const messages::knob_space& space, const landscape& land, std::size_t most) {
  std::vector<std::size_t> all;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) all.push_back(evaluations_to_the_best(space, land, seed, most));
  std::ranges::sort(all);
  return all[all.size() / 2];
}

double steps(std::uint32_t a, double b) { return std::abs(static_cast<double>(a) - b); }

}  // namespace

TEST_CASE("a valley among 400 settings is found in a tenth of them") {
  auto land = [](const setting& x) { return 1 + 0.2 * steps(x[0], 3) + 0.3 * steps(x[1], 1) + 0.1 * steps(x[2], 2); };
  CHECK(median_evaluations(space_of({5, 4, 5, 4}), land, 60) <= 40);
}

TEST_CASE("knobs that matter only together are found together") {
  auto land = [](const setting& x) {
    return 1 + 0.4 * std::abs(steps(x[0], 0) + steps(x[1], 0) - 3) + 0.1 * steps(x[0], 2) + 0.05 * x[2];
  };
  CHECK(median_evaluations(space_of({4, 4, 4, 4}), land, 50) <= 38);
}

TEST_CASE("noise of 3 % does not lead it astray") {
  auto land = [](const setting& x) {
    std::mt19937 random{x[0] + 10 * x[1] + 100 * x[2]};
    auto noise = 1 + 0.03 * (std::uniform_real_distribution{}(random)-0.5);
    return noise * (1 + 0.25 * steps(x[0], 4) + 0.25 * steps(x[1], 0) + 0.1 * steps(x[2], 2));
  };
  CHECK(median_evaluations(space_of({6, 6, 6}), land, 50) <= 32);
}

TEST_CASE("a wide valley that is not the deepest is left again") {
  auto land = [](const setting& x) {
    auto wide = 1.15 + 0.05 * (steps(x[0], 1) + steps(x[1], 1) + steps(x[2], 1));
    auto deep = 1.0 + 0.2 * (steps(x[0], 5) + steps(x[1], 5) + steps(x[2], 4));
    return std::min(wide, deep);
  };
  CHECK(median_evaluations(space_of({6, 6, 6}), land, 64) < 64);
}

TEST_CASE("settings that can't run next to the best don't keep it away from there") {
  auto land = [](const setting& x) {
    if (x[0] + x[1] > 6) return 0.0;
    return 2.0 - 0.12 * (x[0] + x[1]) + 0.1 * steps(x[2], 1);
  };
  CHECK(median_evaluations(space_of({5, 5, 4, 3}), land, 50) <= 30);
}

TEST_CASE("on made-up matrix products most searches are within 2 % after 15 % of a sweep") {
  std::size_t found = 0, searches = 24;
  for (std::uint64_t seed = 1; seed <= searches; ++seed) {
    auto land = made_up(seed);
    found += evaluations_to_the_best(
                 land.space, [&](const setting& x) { return land.cost(x); }, seed, 43)
             < 43;
  }
  CHECK(found >= searches * 3 / 4);
}

TEST_CASE("what can't run is learnt: few of its kind are tried") {
  auto space = space_of({6, 6, 4});
  knob_grid grid{space};
  std::vector<tried_setting> tried;
  std::size_t failures = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    auto next = propose(grid, tried, 1, {.seed = 4});
    REQUIRE(next.size() == 1);
    auto x = grid.setting_of(next[0]);
    bool fails = x[0] >= 3;  // half of them: by chance 10 of 20
    failures += fails;
    tried.push_back({next[0], fails ? state::failed : state::measured, 1 + 0.1 * steps(x[1], 2) + 0.1 * x[2]});
  }
  CHECK(failures <= 6);
  CHECK(failures > 0);
}

TEST_CASE("where all have failed so far, more are tried") {
  auto space = space_of({3, 3});
  knob_grid grid{space};
  std::vector<tried_setting> tried{{grid.knobs_of({0, 0}), state::failed, 0},
                                   {grid.knobs_of({2, 1}), state::failed, 0}};
  auto next = propose(grid, tried, 9, {.seed = 2});
  CHECK(next.size() == 7);
}

TEST_CASE("every setting that the rules allow is tried once, then none is left") {
  auto space = space_of({3, 4, 2});
  space.rules.push_back({{{"a", "b"}}, 4, {}, {}});
  knob_grid grid{space};
  auto allowed = grid.all().size();
  CHECK(allowed == 22);  // 2 * 3 is too much, twice
  std::vector<tried_setting> tried;
  for (std::size_t i = 0; i < allowed; ++i) {
    auto next = propose(grid, tried, 1, {.seed = 5});
    REQUIRE(next.size() == 1);
    CHECK(grid.allows(grid.setting_of(next[0])));
    CHECK(std::ranges::find(tried, next[0], &tried_setting::knobs) == tried.end());
    tried.push_back({next[0], state::measured, 1.0 + static_cast<double>(i % 3)});
  }
  CHECK(propose(grid, tried, 1, {.seed = 5}).empty());
}

TEST_CASE("the same facts and seed give the same settings, another seed others") {
  auto space = space_of({4, 4, 4});
  knob_grid grid{space};
  std::vector<tried_setting> tried{{grid.knobs_of({0, 1, 2}), state::measured, 2.0},
                                   {grid.knobs_of({3, 1, 0}), state::measured, 1.5},
                                   {grid.knobs_of({2, 2, 2}), state::under_way, 0}};
  auto once = propose(grid, tried, 4, {.seed = 1});
  CHECK(once == propose(grid, tried, 4, {.seed = 1}));
  CHECK(propose(grid, {}, 4, {.seed = 1}) != propose(grid, {}, 4, {.seed = 2}));
}

TEST_CASE("what is under way is not proposed again, nor is anything twice at once") {
  auto space = space_of({2, 2});
  knob_grid grid{space};
  std::vector<tried_setting> tried{{grid.knobs_of({0, 0}), state::under_way, 0},
                                   {grid.knobs_of({1, 1}), state::measured, 1}};
  auto rest = propose(grid, tried, 4, {});
  REQUIRE(rest.size() == 2);
  CHECK(rest[0] != rest[1]);
}

TEST_CASE("a space too large to be listed is searched too") {
  auto space = space_of({16, 16, 16, 16});
  knob_grid grid{space};
  auto land = [](const setting& x) { return 1 + 0.1 * (steps(x[0], 3) + steps(x[1], 9) + steps(x[2], 12)); };
  std::vector<tried_setting> tried;
  double best = 1e9;
  for (int i = 0; i < 60; ++i) {
    auto next = propose(grid, tried, 1, {.seed = 3});
    REQUIRE(next.size() == 1);
    auto cost = land(grid.setting_of(next[0]));
    best = std::min(best, cost);
    tried.push_back({next[0], state::measured, cost});
  }
  CHECK(best < 1.35);  // a random one is at 2.2, the best of 60 at 1.5
}

TEST_CASE("values of another device or an older manifest are taken as the nearest") {
  messages::knob_space space{{{"block", {std::int64_t{128}, std::int64_t{256}}, true, std::int64_t{128}},
                              {"math", {"vector", "plain"}, false, "vector"}},
                             {}};
  knob_grid grid{space};
  CHECK(grid.setting_of({{"block", std::int64_t{200}}, {"math", "plain"}}) == setting{1, 1});
  CHECK(grid.setting_of({{"block", std::int64_t{4096}}, {"math", "gone"}}) == setting{1, 0});
  CHECK(grid.setting_of({}) == setting{0, 0});
}

TEST_CASE("a rule adds products up, asks for multiples, and holds only where it says") {
  messages::knob_rule memory{{{"m", "k"}, {"n", "k"}}, 96, {}, {{"staging", "shared"}}};
  auto knobs = [](std::int64_t m, std::int64_t n, const char* staging) {
    return knob_values{{"m", m}, {"n", n}, {"k", std::int64_t{4}}, {"staging", staging}};
  };
  CHECK(keeps(memory, knobs(8, 16, "shared")));
  CHECK(!keeps(memory, knobs(16, 16, "shared")));
  CHECK(keeps(memory, knobs(16, 16, "registers")));
  messages::knob_rule whole{{}, 0, {"n", "m"}, {}};
  CHECK(keeps(whole, knobs(8, 16, "shared")));
  CHECK(!keeps(whole, knobs(16, 8, "shared")));
}

}  // namespace knob_search_test
