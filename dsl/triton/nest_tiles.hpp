#pragma once
// How programs share a reduction: each takes a tile of `rows` kept points and walks the reduced ones, `block` at a
// time. Where a row fits, one tile holds all of it, and memory is read once. Where there are too few rows for the
// device, a row is divided into parts, and other kernels join what these found.

#include "dsl/reduction_nest.hpp"
#include "messages/records/device.hpp"
#include "messages/records/plan.hpp"

namespace dsl::triton {

struct nest_tiles {
  reduction_nest nest;
  std::vector<std::int64_t> kept_sizes, reduced_sizes;
  std::int64_t kept = 1, reduced = 1;  ///< points
  std::int64_t rows = 1, block = 1;    ///< powers of two
  bool whole = true;                   ///< block >= reduced
  std::int64_t parts = 1;              ///< of a row; more than one: each has a program
  std::int64_t length = 1;             ///< of a part
  std::int64_t warps = 4;
  bool wide_index = false;  ///< places beyond 31 bits

  std::int64_t units() const { return kept > 0 ? (kept + rows - 1) / rows : 1; }
  std::int64_t blocks() const { return reduced > 0 ? (reduced + block - 1) / block : 1; }
};

/// @param knobs complete: longest, tile, block, warps, split
nest_tiles tile(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device);

}  // namespace dsl::triton
