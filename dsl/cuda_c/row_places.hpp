#pragma once
// What row and column layouts have in common: where their tensors lie, and what each pass over a row reads.

#include <set>
#include <vector>

#include "dsl/cuda_c/row_layout.hpp"

namespace dsl::cuda_c {

inline std::int64_t bytes_of(const nest_tensor& x) {
  return static_cast<std::int64_t>(messages::bytes_of(x.spec.dtype));
}
inline std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Fills in what follows from the nest alone: rows, count, small, and all tensors but how they are reached.
void place_tensors(row_layout& x);

/// The operands that each pass over a row reads.
std::vector<std::set<std::uint32_t>> passes_of(const reduction_nest& x);

/// Marks the operands that several passes read and `can` be kept; bytes of an element of all of these.
std::int64_t find_kept(row_layout& x, bool (*can)(const row_tensor&));

/// By the knob streaming_stores where there is one; auto: results that are larger than the caches.
bool streams_past_caches(const row_layout& x, const messages::knob_values& knobs);

}  // namespace dsl::cuda_c
