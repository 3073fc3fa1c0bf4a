#pragma once
// How a reduction along rows runs: which threads do a row together, what they keep of it, in how many launches.

#include <string>
#include <vector>

#include "dsl/cuda_c/access.hpp"
#include "dsl/reduction_nest.hpp"
#include "messages/records/plan.hpp"

namespace dsl::cuda_c {

/// Who does a row.
enum class team : std::uint8_t {
  warp,  ///< each warp of a block one of its own
  block,
  cluster,  ///< several blocks, which read each other's shared memory
  split,    ///< any blocks, which hand parts over through scratch memory: one launch a stage
};

/// Where a thread keeps what it read of a row for the next pass over it.
enum class keeping : std::uint8_t { nothing, registers, shared };

/// A tensor as the kernel reaches it: where a row of it begins, and along the row.
struct row_tensor {
  nest_tensor tensor;
  way rows;
  way within;
  access how = access::each;
  bool kept = false;      ///< read once, by `keeping`
  bool in_place = false;  ///< also written: it may not be read past the caches
};

struct row_layout {
  reduction_nest nest;
  std::vector<row_tensor> operands;
  std::vector<row_tensor> targets;  ///< of each_kept, each_element, once
  cuda_c::team team = cuda_c::team::block;
  keeping hold = keeping::nothing;
  bool small = true;  ///< 32 bits are enough for numbers and offsets
  std::int64_t rows = 1;
  std::int64_t count = 1;         ///< elements of a row
  std::int64_t vector = 1;        ///< elements that move at once
  std::int64_t vectors = 1;       ///< that a thread does of a row, or of its part
  std::int64_t items = 1;         ///< of these, how many it has at hand at once
  std::int64_t threads = 32;      ///< of a block
  std::int64_t blocks = 1;        ///< of a cluster
  std::int64_t parts = 1;         ///< of a row, each a block's; of team::split
  std::int64_t grid = 1;          ///< blocks in all
  std::int64_t shared_bytes = 0;  ///< dynamic, of a block: what is kept there
  bool column = false;            ///< kept elements lie side by side: `vector` of them are a thread's
  std::int64_t across = 1;        ///< threads of a block side by side, each with its own columns
  std::int64_t deep = 1;          ///< threads that share a column
  bool past = false;              ///< results of the whole size need not stay in the caches

  /// Threads that do a row together, in one launch.
  std::int64_t team_threads() const { return team == cuda_c::team::warp ? 32 : threads * blocks; }
  std::int64_t rows_a_block() const { return team == cuda_c::team::warp ? threads / 32 : 1; }
  std::int64_t warps() const { return team == cuda_c::team::warp ? 1 : threads / 32; }  ///< that meet in a block

  /// Elements of a row's part; along rows whole vectors.
  std::int64_t part_count() const {
    auto whole = column ? 1 : vector;
    return ((count / whole + parts - 1) / parts) * whole;
  }

  /// How many parts of what is reduced over all rows there are.
  std::int64_t finals() const {
    return team == cuda_c::team::split && !column ? rows : grid / (column ? parts : blocks);
  }
  bool applies() const { return !nest.each_element.targets.empty(); }
};

/// @param knobs complete: team, threads, items, vector, keep, streaming_stores (absent: off)
row_layout lay_out_rows(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device);

/// @param knobs complete: threads, deep, items, vector, keep, split, streaming_stores
row_layout lay_out_columns(reduction_nest x, const messages::knob_values& knobs, const messages::device_info& device);

}  // namespace dsl::cuda_c
