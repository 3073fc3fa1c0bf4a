#pragma once
// Which setting of the knobs to try next. Pure: the same facts and seed give the same answer, and nothing is kept
// between calls, so that a search goes on after a crash as if nothing had happened.

#include <cstdint>
#include <string>
#include <vector>

#include "actors/logic/surrogate.hpp"
#include "messages/records/knob_space.hpp"

namespace actors::logic {

/// What is known of one setting. Knobs that the space has and the setting lacks have their standard value.
struct tried_setting {
  messages::knob_values knobs;
  enum class state : std::uint8_t { measured, failed, under_way } as = state::measured;
  double cost = 0;  ///< milliseconds, or anything else in proportion to them; of measured ones
};

struct search_options {
  std::uint64_t seed = 0;
  std::size_t enumerated = 2048;  ///< a space with more settings is searched around the best ones and at random
};

/// The settings that keep all rules, in a fixed order; of a larger space none are listed.
class knob_grid {
public:
  explicit knob_grid(const messages::knob_space& space);

  const messages::knob_space& space() const { return space_; }
  std::vector<axis_shape> shapes() const;

  /// How many settings there are, rules left aside.
  double size() const;

  std::vector<setting> all() const;
  bool allows(const setting& x) const;
  messages::knob_values knobs_of(const setting& x) const;

  /// The nearest one for values that the space does not have.
  setting setting_of(const messages::knob_values& knobs) const;

private:
  const messages::knob_space& space_;
};

/// At most `wanted` settings that were not tried, the most promising first; none: all were. The first ones are spread
/// over the space by the seed; later ones are where the surrogate expects most improvement, as if those under way had
/// come out as it expects.
std::vector<messages::knob_values> propose(const knob_grid& grid, const std::vector<tried_setting>& tried,
                                           std::size_t wanted, const search_options& options);

}  // namespace actors::logic
