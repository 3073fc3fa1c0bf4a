#pragma once
// What all recipes with an anchor have in common: the tensors around it, and its prologues and epilogue as functions
// that read and write one row of numbers. Fills recipes/anchored.mustache.

#include <functional>
#include <string>
#include <vector>

#include "dsl/anchored.hpp"
#include "dsl/c_printer.hpp"
#include "dsl/mustache.hpp"
#include "dsl/recipe.hpp"

namespace dsl::cpp {

/// From an index space of the anchor to the one that the kernel walks, whose last dimension is a row.
using to_kernel_space = std::function<std::optional<view>(const view&)>;

/// The space itself.
std::optional<view> as_it_is(const view& x);

struct anchored_order {
  const group_order& group;
  const anchored& around;
  std::string number;                   ///< the C++ type that the anchor computes in
  std::vector<to_kernel_space> inputs;  ///< one for each of around.inputs
  to_kernel_space output;
  std::string include;           ///< the support file of its loops
  std::int64_t longest_row = 1;  ///< that is written at once
  math functions = math::vector;
};

/// Keys for the template and its partial "anchored". `bad_input` where a tensor does not fit into the kernel's space.
messages::expected<template_data> anchored_data(const anchored_order& order, const recipe_files& files);

/// The kernel's text with what it reads and writes.
messages::expected<group_text> anchored_text(const anchored_order& order, const recipe_files& files,
                                             const template_data& data);

/// Whether a row of that input is memory of the number's type just as the anchor needs it.
bool is_direct(const prologue& x, const to_kernel_space& space, messages::dtype number);

}  // namespace dsl::cpp
