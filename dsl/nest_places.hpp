#pragma once
// What of a reduction's loops is the same for every language: which way they run, how each tensor lies along them, and
// which tensors the kernel gets.

#include <string>
#include <vector>

#include "dsl/map_layout.hpp"
#include "dsl/reduction_nest.hpp"

namespace dsl {

struct nest_place {
  nest_tensor tensor;
  std::vector<std::int64_t> dense_strides;  ///< of a copy, in the tensor's own dimensions
  motion inner = motion::unit;              ///< along the dimension that the innermost loop walks
};
std::vector<nest_place> place_all(const std::vector<nest_tensor>& all, std::size_t inner);

/// Whether the innermost loop walks kept elements.
bool runs_down_columns(const reduction_nest& x);

/// Puts in a dimension of size 1, for a loop that would have none.
void add_dimension(reduction_nest& x, std::size_t at);

/// What is read for each point of the whole space, at least 1: tensors that move along fewer dimensions do not count.
std::int64_t element_bytes(const reduction_nest& x);

/// Which tensors the kernel gets, in the order of its arguments and outputs.
struct nest_interface {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
};
nest_interface interface_of(const reduction_nest& x, const graph_index& graph);

}  // namespace dsl
