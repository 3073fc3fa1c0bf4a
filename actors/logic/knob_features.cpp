#include "actors/logic/knob_features.hpp"

#include <cmath>
#include <string>

namespace actors::logic {

namespace {

constexpr std::size_t most_pair_axes = 40;  // fitting takes time in proportion to them

/// Doublings above the first value; just its place in the list for values that are no positive numbers.
std::vector<double> places_of(const messages::knob_axis& axis) {
  std::vector<double> places;
  auto first = axis.values.empty() ? nullptr : std::get_if<std::int64_t>(&axis.values.front());
  for (const auto& value : axis.values) {
    auto number = std::get_if<std::int64_t>(&value);
    bool doubles = axis.ordered && first && number && *first > 0;
    places.push_back(doubles ? std::log2(static_cast<double>(*number) / static_cast<double>(*first))
                             : static_cast<double>(places.size()));
  }
  return places;
}

std::string group_of(const std::string& knob) {
  auto dot = knob.find('.');
  return dot == std::string::npos ? std::string{} : knob.substr(0, dot);
}

}  // namespace

knob_features::knob_features(const messages::knob_space& space) {
  for (const auto& axis : space.axes) {
    places_.push_back(places_of(axis));
    axes_.push_back({static_cast<std::uint32_t>(axis.values.size()), axis.ordered});
  }
  auto knobs = space.axes.size();
  for (std::size_t a = 0; a < knobs; ++a)
    for (auto b = a + 1; b < knobs; ++b)
      if (axes_[a].ordered && axes_[b].ordered && group_of(space.axes[a].name) == group_of(space.axes[b].name))
        for (auto sign : {1, -1}) add({a, b, sign});
}

void knob_features::add(pair_axis pair) {
  if (pairs_.size() == most_pair_axes || places_[pair.a].empty() || places_[pair.b].empty()) return;
  auto last_a = static_cast<std::uint32_t>(places_[pair.a].size() - 1);
  auto last_b = static_cast<std::uint32_t>(places_[pair.b].size() - 1);
  auto most = place(pair, last_a, pair.sign > 0 ? last_b : 0);
  axes_.push_back({static_cast<std::uint32_t>(std::lround(most)) + 1, true, true});
  pairs_.push_back(pair);
}

/// From 0 on.
double knob_features::place(const pair_axis& pair, std::uint32_t a, std::uint32_t b) const {
  const auto& of_b = places_[pair.b];
  return places_[pair.a][a] + (pair.sign > 0 ? of_b[b] : of_b.back() - of_b[b]);
}

setting knob_features::of(const setting& x) const {
  auto all = x;
  for (const auto& pair : pairs_)
    all.push_back(static_cast<std::uint32_t>(std::lround(place(pair, x[pair.a], x[pair.b]))));
  return all;
}

}  // namespace actors::logic
