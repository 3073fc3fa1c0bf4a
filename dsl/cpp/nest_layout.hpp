#pragma once
// How the loops of a reduction run on a CPU: along rows or down columns, how wide, in how many parts.

#include <string>
#include <vector>

#include "dsl/nest_places.hpp"
#include "messages/records/plan.hpp"

namespace dsl::cpp {

/// A row's elements are reduced side by side in lanes. In columns, kept elements lie side by side, and each lane is
/// one.
struct nest_layout {
  reduction_nest nest;  ///< has the dimensions that the loops need, also where they are of size 1
  bool column = false;
  std::vector<nest_place> operands;
  std::vector<nest_place> kept;     ///< targets of each_kept
  std::vector<nest_place> element;  ///< targets of each_element
  std::vector<nest_place> once;
  std::int64_t width = 1;    ///< lanes
  std::int64_t streams = 1;  ///< pieces of a row that are read side by side, each into its own lanes
  std::int64_t units = 1;    ///< rows, or tiles of columns
  std::int64_t count = 1;    ///< reduced points of a unit
  std::int64_t blocks = 1;   ///< parts of a unit; 1: one thread does all of it

  std::size_t inner() const { return column ? nest.kept - 1 : nest.sizes.size() - 1; }
  std::int64_t elements() const { return nest.kept_count() * nest.reduced_count(); }
};

/// @param knobs complete: lanes or tile, split
nest_layout lay_out(reduction_nest x, const messages::knob_values& knobs);

}  // namespace dsl::cpp
