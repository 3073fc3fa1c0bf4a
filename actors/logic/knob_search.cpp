#include "actors/logic/knob_search.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "actors/logic/knob_features.hpp"

namespace actors::logic {

using messages::knob_values;

// -- the space --------------------------------------------------------------------------------------------------------

knob_grid::knob_grid(const messages::knob_space& space) : space_(space) {}

std::vector<axis_shape> knob_grid::shapes() const {
  std::vector<axis_shape> shapes;
  for (const auto& axis : space_.axes) shapes.push_back({static_cast<std::uint32_t>(axis.values.size()), axis.ordered});
  return shapes;
}

double knob_grid::size() const {
  double count = 1;
  for (const auto& axis : space_.axes) count *= static_cast<double>(axis.values.size());
  return count;
}

std::vector<setting> knob_grid::all() const {
  std::vector<setting> found;
  setting x(space_.axes.size(), 0);
  for (bool more = size() > 0; more;) {
    if (allows(x)) found.push_back(x);
    more = false;
    for (auto k = x.size(); k-- > 0 && !more;) {
      more = ++x[k] < space_.axes[k].values.size();
      if (!more) x[k] = 0;
    }
  }
  return found;
}

bool knob_grid::allows(const setting& x) const {
  if (space_.rules.empty()) return true;
  auto knobs = knobs_of(x);
  return std::ranges::all_of(space_.rules, [&](const auto& rule) { return keeps(rule, knobs); });
}

knob_values knob_grid::knobs_of(const setting& x) const {
  knob_values knobs;
  for (std::size_t k = 0; k < x.size(); ++k) knobs[space_.axes[k].name] = space_.axes[k].values[x[k]];
  return knobs;
}

setting knob_grid::setting_of(const knob_values& knobs) const {
  setting x;
  for (const auto& axis : space_.axes) {
    auto found = knobs.find(axis.name);
    const auto& value = found == knobs.end() ? axis.standard : found->second;
    auto place = std::ranges::find(axis.values, value);
    if (place == axis.values.end() && axis.ordered) place = std::ranges::lower_bound(axis.values, value);
    if (place == axis.values.end()) place = axis.ordered ? std::prev(axis.values.end()) : axis.values.begin();
    x.push_back(static_cast<std::uint32_t>(place - axis.values.begin()));
  }
  return x;
}

namespace {

constexpr std::size_t most_points = 128;  // that the surrogate is fitted to: its work grows with their cube
constexpr double bend = 0.5;         // above the best, in logarithms: from there on a difference counts less than half
constexpr double least_hope = 0.02;  // that a setting can run, however many like it could not
constexpr std::size_t random_settings = 512;  // of a space too large to be listed
constexpr std::size_t most_in_pool = 1024;    // at once, by chance: a proposal takes time in proportion
constexpr std::size_t centres = 3;            // best settings around which such a space is searched

struct point {
  setting at;
  double cost;  // logarithm of the quotient to the best
};

/// One call of propose.
class proposal {
public:
  proposal(const knob_grid& grid, const std::vector<tried_setting>& tried, const search_options& options)
      : grid_(grid),
        features_(grid.space()),
        costs_(features_.axes()),
        failures_(features_.axes()),
        random_(options.seed * 0x9e3779b97f4a7c15u + tried.size()) {
    read(tried);
    choose_pool(options.enumerated);
  }

  std::vector<knob_values> run(std::size_t wanted) {
    std::vector<knob_values> found;
    fit();
    while (found.size() < wanted && !open_.empty()) {
      auto next = open_.begin() + static_cast<std::ptrdiff_t>(most_promising());
      found.push_back(grid_.knobs_of(pool_[*next]));
      if (!points_.empty()) costs_.believe(*next);
      open_.erase(next);
    }
    return found;
  }

private:
  void read(const std::vector<tried_setting>& tried) {
    for (const auto& x : tried) {
      auto at = grid_.setting_of(x.knobs);
      known_.insert(at);
      if (x.as == tried_setting::state::measured) points_.push_back({at, std::log(std::max(x.cost, 1e-12))});
      if (x.as == tried_setting::state::failed) failed_.push_back(at);
      if (x.as == tried_setting::state::under_way) under_way_.push_back(at);
    }
    if (points_.empty()) return;
    auto best = std::ranges::min(points_, {}, &point::cost).cost;
    for (auto& x : points_) x.cost -= best;
  }

  void choose_pool(std::size_t enumerated) {
    if (grid_.size() <= static_cast<double>(enumerated)) {
      pool_ = grid_.all();
    } else {
      add_random();
      add_neighbours();
    }
    std::erase_if(pool_, [&](const setting& x) { return known_.contains(x); });
    for (auto i = pool_.size(); i > 1; --i) std::swap(pool_[i - 1], pool_[random_() % i]);  // the seed breaks ties
    if (pool_.size() > most_in_pool) pool_.resize(most_in_pool);
    for (std::size_t i = 0; i < pool_.size(); ++i) open_.push_back(i);
  }

  void add_random() {
    auto shapes = grid_.shapes();
    for (std::size_t i = 0; i < random_settings; ++i) {
      setting x;
      for (const auto& axis : shapes) x.push_back(static_cast<std::uint32_t>(random_() % axis.values));
      add(std::move(x));
    }
  }

  /// All that differ in up to two knobs from one of the best.
  void add_neighbours() {
    auto sorted = points_;
    std::ranges::stable_sort(sorted, {}, &point::cost);
    for (std::size_t i = 0; i < std::min(centres, sorted.size()); ++i) add_around(sorted[i].at);
  }

  void add_around(const setting& centre) {
    auto shapes = grid_.shapes();
    for (std::size_t j = 0; j < shapes.size(); ++j)
      for (std::size_t k = j; k < shapes.size(); ++k)
        for (std::uint32_t a = 0; a < shapes[j].values; ++a)
          for (std::uint32_t b = 0; b < shapes[k].values; ++b) {
            auto x = centre;
            x[j] = a;
            x[k] = b;
            add(std::move(x));
          }
  }

  void add(setting x) {
    if (grid_.allows(x) && pooled_.insert(x).second) pool_.push_back(std::move(x));
  }

  /// The better half, and of the others as many as there is room for.
  void drop_some_points() {
    std::ranges::stable_sort(points_, {}, &point::cost);
    auto half = points_.begin() + most_points / 2;
    for (auto i = points_.end() - half; i > 1; --i)
      std::swap(half[i - 1], half[static_cast<std::ptrdiff_t>(random_() % static_cast<std::uint64_t>(i))]);
    points_.resize(most_points);
  }

  void fit() {
    if (points_.empty()) return;
    if (points_.size() > most_points) drop_some_points();
    auto first_under_way = pool_.size();
    pool_.insert(pool_.end(), under_way_.begin(), under_way_.end());
    fit_costs();
    fit_failures();
    for (auto i = first_under_way; i < pool_.size(); ++i) costs_.believe(i);
  }

  /// Bent and, every other time, blurred: how slow a bad one is teaches little about good ones. Where it does teach
  /// something, the other times find it.
  void fit_costs() {
    std::vector<setting> settings;
    std::vector<double> costs;
    for (const auto& x : points_)
      settings.push_back(features_.of(x.at)), costs.push_back(bend * std::log1p(x.cost / bend));
    costs_.fit(settings, costs, seen_pool(), {.seed = random_(), .blurred = known_.size() % 2 == 0});
  }

  /// Apart from costs: next to what can't run often lies the best.
  void fit_failures() {
    if (failed_.empty()) return;
    if (failed_.size() > most_points) failed_.erase(failed_.begin(), failed_.end() - most_points);  // the latest
    std::vector<setting> settings;
    std::vector<double> failed;
    for (const auto& x : failed_) settings.push_back(features_.of(x)), failed.push_back(1);
    for (const auto& x : points_) settings.push_back(features_.of(x.at)), failed.push_back(0);
    failures_.fit(settings, failed, seen_pool(), {.seed = random_()});
  }

  std::vector<setting> seen_pool() const {
    std::vector<setting> seen;
    for (const auto& x : pool_) seen.push_back(features_.of(x));
    return seen;
  }

  double hope(std::size_t i) const { return failed_.empty() ? 1 : std::clamp(1 - failures_.mean(i), least_hope, 1.0); }

  /// Its place among the open ones.
  std::size_t most_promising() const {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; !points_.empty() && i < open_.size(); ++i)
      if (auto gain = costs_.expected_gain(open_[i], 0) * hope(open_[i]); gain > most) most = gain, best = i;
    return best;
  }

  const knob_grid& grid_;
  knob_features features_;
  surrogate costs_, failures_;
  std::mt19937_64 random_;
  std::vector<point> points_;
  std::vector<setting> failed_, under_way_;
  std::set<setting> known_, pooled_;
  std::vector<setting> pool_;
  std::vector<std::size_t> open_;  // places in the pool that may still be proposed
};

}  // namespace

std::vector<knob_values> propose(const knob_grid& grid, const std::vector<tried_setting>& tried, std::size_t wanted,
                                 const search_options& options) {
  return proposal{grid, tried, options}.run(wanted);
}

}  // namespace actors::logic
