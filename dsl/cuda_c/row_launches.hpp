#pragma once
// The kernels of a row layout: which steps each takes, and how they are launched.

#include <string>
#include <vector>

#include "dsl/cuda_c/row_layout.hpp"
#include "dsl/recipe.hpp"

namespace dsl::cuda_c {

/// Threads of the one block that reduces over all rows.
constexpr std::int64_t last_threads = 512;

struct row_kernel {
  std::string name;
  std::size_t merged = 0;  ///< stages before it, whose parts lie in scratch memory
  std::size_t run = 0;     ///< stages that it runs itself, behind those
  bool tells = false;      ///< the one that it runs goes to scratch memory
  bool ends = false;       ///< it writes results
};

/// @param group its name
std::vector<row_kernel> kernels_of(const row_layout& layout, const std::string& group);

/// Launches and scratch of a group whose reads and writes are known.
void add_launches(group_text& group, const row_layout& layout);

}  // namespace dsl::cuda_c
