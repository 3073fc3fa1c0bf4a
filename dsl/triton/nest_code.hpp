#pragma once
// Pieces of a reduction kernel's text. Tensors that are read are x0, x1, ..., written y0, y1, ...; what was loaded of
// x0 is v0, slots are s0, s1, ... In a tile, rows lie along the first dimension: `row` counts kept points, `at` reduced
// ones; r0 was loaded of x0 for each row. Each loop has a label, which ends the names of what changes in it.

#include <set>
#include <string>
#include <vector>

#include "dsl/mustache.hpp"
#include "dsl/nest_places.hpp"
#include "dsl/printer.hpp"
#include "dsl/triton/kernel.hpp"
#include "dsl/triton/nest_tiles.hpp"

namespace dsl::triton {

/// What the values of an expression are: one for each point of a tile, one for each row, or one.
enum class extent : std::uint8_t { tile, rows, one };

/// One kernel's text; it remembers which tensors it uses. Borrows.
class nest_code {
public:
  nest_code(const nest_tiles& tiles, const nest_interface& interface) : tiles_(tiles), interface_(interface) {}

  /// The expression's lines, and in `results` texts of that extent, or literals, or blocks without dimensions.
  printed text_of(const messages::expression& x, extent how, const std::string& prefix, const std::string& label,
                  const char* indent);

  /// Lines that load what the expression reads along the reduced dimensions; each tensor once a label.
  std::string tile_loads(const messages::expression& x, const std::string& label, const char* indent);

  /// Result `result` of the text of x, in the type of memory.
  std::string value_to_store(const messages::expression& x, std::size_t result, const printed& text, extent how,
                             messages::dtype memory) const;

  /// What changes with rows alone, or not at all, as lines for the kernel's beginning; after all else was written.
  std::string row_loads() const;

  /// Where a reduction's position lies, in tl.int64.
  std::string position(std::uint32_t operand, extent how, const std::string& label) const;

  /// "y0 + ...": where target `index` (of each_kept, each_element, once) lies.
  std::string target(std::size_t index, extent how, const std::string& label);

  std::string slot_type(std::uint32_t slot) const;  ///< "tl.float32"
  bool is_place(std::uint32_t slot) const;
  const nest_tiles& tiles() const { return tiles_; }
  const std::set<std::uint32_t>& used_slots() const { return used_slots_; }

  /// Pointers to tensors that were used, in order.
  std::vector<kernel_pointer> pointers() const;

private:
  bool along_kept(const nest_tensor& x) const;
  bool along_reduced(const nest_tensor& x) const;
  std::string kept_place(const nest_tensor& x) const;
  std::string reduced_place(const nest_tensor& x, const std::string& label) const;
  std::string operand(std::uint32_t index, extent how, const std::string& label);
  std::string slot(std::uint32_t slot, extent how);
  std::string row_load(std::uint32_t index, bool scalar) const;
  std::string tile_load(std::uint32_t index, const std::string& label) const;
  const nest_tensor& target_of(std::size_t index) const;

  const nest_tiles& tiles_;
  const nest_interface& interface_;
  std::set<std::uint32_t> reads_;      ///< operands
  std::set<std::uint32_t> row_reads_;  ///< that are loaded at the beginning
  std::set<std::size_t> writes_;       ///< targets
  std::set<std::string> loaded_;       ///< names
  std::set<std::uint32_t> used_slots_;
  bool scalar_ = false;  ///< the kernel has no rows
};

/// "a[:, None]" of any text.
std::string as_column(const std::string& text);
std::string as_row(const std::string& text);

}  // namespace dsl::triton
