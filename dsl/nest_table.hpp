#pragma once
// The parts of the table behind find_nest_lowering, and what their entries share.

#include <map>

#include "dsl/nest_call.hpp"

namespace dsl {

using nest_table = std::map<std::string_view, nest_lowering>;

nest_table nest_reductions();
nest_table nest_norms();
nest_table nest_losses();
nest_table nest_moves();

// -- what entries share -----------------------------------------------------------------------------------------------

/// The dimensions that a node reduces, and what is left.
struct nest_extent {
  nest_value of;
  std::vector<std::size_t> dims;
  axes whole;
  axes over;
  bool keep = false;
};

/// Of the arguments `dim` and `keepdim`.
nest_extent extent_of(nest_call& c, std::string_view argument = "self");

/// A result that has the dimensions that are left.
nest_value left_of(nest_call& c, const nest_extent& x, const term& value);

term fold(nest_call& c, const nest_extent& x, monoid kind, const term& body, std::uint32_t which = 0);
double count_of(nest_call& c, const nest_extent& x);

/// Refuses the extreme of nothing.
term demand_elements(nest_call& c, const nest_extent& x, const term& value);

/// Refuses another rank of the argument: a graph from outside may give any rank to anything.
nest_lowering with_rank(std::string_view argument, std::size_t least, std::size_t most, nest_lowering inner);

/// A weight or bias, lined up with those axes; nothing where it is left out.
std::optional<term> along(nest_call& c, std::string_view name, const axes& where);

}  // namespace dsl
