#pragma once
// The kernels of a reduction: one for all of it, or where rows are divided two for each stage and one that writes
// results of the whole size; and one more where something is reduced over all rows.

#include "dsl/triton/nest_code.hpp"

namespace dsl::triton {

struct nest_kernels {
  template_data data;  ///< for recipes/reduction.py.mustache
  std::vector<kernel> kernels;
  std::vector<std::uint64_t> scratch;
};

nest_kernels write_kernels(const nest_tiles& tiles, const nest_interface& interface, const std::string& name,
                           const std::string& summary);

}  // namespace dsl::triton
