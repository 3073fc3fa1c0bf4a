#pragma once
// kernel.cpp: the groups' texts and the C functions that run them.

#include <span>
#include <string>
#include <vector>

#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// A function of the form of kernelmesh_abi.h that runs some groups one after the other. Borrows.
struct kernel_function {
  std::string name = "kernelmesh_run";
  std::vector<std::string> arguments;  ///< names in the graph
  std::vector<std::string> outputs;
  std::span<const group_text> groups;  ///< what they hand to each other and is no output lies in scratch memory
};

messages::expected<std::string> kernel_source(const language_files& files, const graph_index& graph,
                                              std::span<const kernel_function> functions);

}  // namespace dsl::cpp
