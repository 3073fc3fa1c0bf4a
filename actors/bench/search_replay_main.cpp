// Replays searches over a recorded landscape: search_replay LANDSCAPE tune|random FIRST_SEED SEEDS BUDGET_SHARE. Out,
// a line a search: its seed, how many evaluations it took to come within 2 % of the best (0: more than the budget), the
// least milliseconds within the budget, and the evaluation that found them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "actors/logic/knob_search.hpp"
#include "messages/wire/wire.hpp"

namespace {

using namespace actors::logic;
using std::uint64_t;

struct recorded_knob {
  std::string name;
  std::vector<messages::knob_value> values;

  void fields(auto& f) {
    f("name", name);
    f("values", values);
  }
};

/// tests/data/landscapes/README.md
struct landscape {
  std::vector<recorded_knob> knobs;
  std::vector<double> ms;  // 0: it can't run

  void fields(auto& f) {
    f("knobs", knobs);
    f("ms", ms);
  }

  messages::knob_space space() const {
    messages::knob_space x;
    for (const auto& knob : knobs)
      x.axes.push_back(
          {knob.name, knob.values, std::holds_alternative<std::int64_t>(knob.values.front()), knob.values.front()});
    return x;
  }

  double best() const {
    double least = 1e300;
    for (auto x : ms)
      if (x > 0) least = std::min(least, x);
    return least;
  }

  /// The last knob changes fastest.
  double at(const setting& x) const {
    std::size_t place = 0;
    for (std::size_t k = 0; k < knobs.size(); ++k) place = place * knobs[k].values.size() + x[k];
    return ms.at(place);
  }
};

/// What each evaluation gave, in order.
using course = std::vector<double>;

constexpr std::size_t in_flight = 2;  // as a job has by default

setting anywhere(const knob_grid& grid, std::mt19937_64& random) {
  setting x;
  for (const auto& axis : grid.shapes()) x.push_back(static_cast<std::uint32_t>(random() % axis.values));
  return x;
}

/// From one setting that the seed chooses.
course tune(const landscape& land, const knob_grid& grid, uint64_t seed, std::size_t budget) {
  using state = tried_setting::state;
  course done;
  std::mt19937_64 random{seed};
  std::vector<tried_setting> tried{{grid.knobs_of(anywhere(grid, random)), state::under_way}};
  while (done.size() < budget) {
    auto wanted = in_flight - (tried.size() - done.size());
    for (auto& knobs : propose(grid, tried, wanted, {.seed = seed}))
      tried.push_back({std::move(knobs), state::under_way});
    if (done.size() == tried.size()) break;
    auto& next = tried[done.size()];
    next.cost = land.at(grid.setting_of(next.knobs));
    next.as = next.cost > 0 ? state::measured : state::failed;
    done.push_back(next.cost);
  }
  return done;
}

/// Without putting back.
course draw(const landscape& land, const knob_grid& grid, uint64_t seed, std::size_t budget) {
  course done;
  std::mt19937_64 random{seed};
  auto all = grid.all();
  for (auto i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
  for (const auto& x : all)
    if (done.size() < budget) done.push_back(land.at(x));
  return done;
}

void print(uint64_t seed, const course& done, double best) {
  std::size_t near = 0, found = 0;
  double least = 1e300;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i] <= 0) continue;
    if (near == 0 && done[i] <= best * 1.02) near = i + 1;
    if (done[i] < least) least = done[i], found = i + 1;
  }
  std::printf("%llu %zu %.6g %zu\n", static_cast<unsigned long long>(seed), near, least, found);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return std::fprintf(stderr, "search_replay LANDSCAPE tune|random FIRST_SEED SEEDS BUDGET_SHARE\n"), 2;
  std::ifstream file{arguments[1]};
  auto land = wire::from_json<landscape>(std::string{std::istreambuf_iterator<char>{file}, {}});
  if (!land) return std::fprintf(stderr, "%s: %s\n", arguments[1], to_string(land.error()).c_str()), 1;
  auto space = land->space();
  knob_grid grid{space};
  auto budget = static_cast<std::size_t>(static_cast<double>(land->ms.size()) * std::atof(arguments[5]));
  auto search = std::string{arguments[2]} == "tune" ? tune : draw;
  uint64_t first = std::strtoull(arguments[3], nullptr, 10), seeds = std::strtoull(arguments[4], nullptr, 10);
  for (auto seed = first; seed < first + seeds; ++seed) print(seed, search(*land, grid, seed, budget), land->best());
}
