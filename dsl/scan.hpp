#pragma once
// Scans: running sums, products, maxima, minima and log-sum-exps along one dimension.

#include <cstdint>

#include "dsl/anchored.hpp"

namespace dsl {

enum class scan_monoid : std::uint8_t { sum, product, max, min, log_sum_exp };

/// result[i] = x[0] o ... o x[i] along `axis`, for as many i as the result has. `exclusive`: the result starts with the
/// monoid's neutral element, then come these. The input has at least as many elements along the axis as are read.
struct scan {
  scan_monoid monoid = scan_monoid::sum;
  std::size_t axis = 0;  ///< of the core's input and result, which have the same rank
  bool exclusive = false;
  dsl::core core;
};

/// The only scan among the nodes: cumsum, cumprod, the values of cummax and cummin, logcumsumexp. A cat with neutral
/// elements before it or behind it makes it exclusive: cat(zeros, cumsum(x)), cat(zeros, cumsum(x)[:-1]),
/// cumsum(cat(zeros, x)). Refused (`bad_input`): all else.
messages::expected<scan> find_scan(const graph_index& index, std::span<const std::string> nodes);

}  // namespace dsl
