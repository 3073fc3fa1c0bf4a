#pragma once
// One kernel of a reduction: its stages, its results and what other kernels of the group get of it, as data for
// recipes/reduction.py.mustache.

#include <map>
#include <set>

#include "dsl/triton/nest_code.hpp"

namespace dsl::triton {

/// Numbers that kernels of one group hand to each other: one for each of something, of one slot.
class nest_fields {
public:
  nest_fields(const nest_tiles& tiles, std::int64_t final_units) : tiles_(tiles), final_units_(final_units) {}

  kernel_pointer pointer(const std::string& what, std::uint32_t slot, bool place);
  const std::vector<std::uint64_t>& bytes() const { return bytes_; }

private:
  std::int64_t count(const std::string& what) const;

  const nest_tiles& tiles_;
  std::int64_t final_units_;
  std::map<std::string, std::uint32_t> places_;
  std::vector<std::uint64_t> bytes_;
};

/// One kernel's text and what it needs; `rows`, `block`: of its tiles.
class nest_kernel {
public:
  nest_kernel(const nest_tiles& tiles, const nest_interface& interface, nest_fields& all, std::string name)
      : tiles_(tiles), nest_(tiles.nest), fields_(all), code_(tiles, interface) {
    kernel_.name = std::move(name);
  }

  // -- stages

  /// A stage that this kernel computes from tensors; in one tile, or in a loop.
  template_data stage(std::size_t index, const std::string& begin, const std::string& end, const std::string& total);

  /// A stage whose parts other programs found.
  template_data join(std::size_t index, std::int64_t pieces);

  void add_derived(template_data& data, std::size_t index);

  /// Which slots a stage fills.
  std::vector<std::uint32_t> slots_filled(std::size_t index) const;

  /// What this kernel writes for others.
  void store(template_data& data, const char* what, const std::string& place, const std::vector<std::uint32_t>& slots);

  // -- results

  void add_keep(template_data& data);

  /// @param looped in a loop over the row, else of the tile that there is
  void add_apply(template_data& data, bool looped);

  /// This program's part of what is reduced over all rows.
  void add_finals(template_data& data);

  /// The kernel that ends it.
  void add_last(template_data& data, std::int64_t units);

  // -- the whole

  struct shape {
    std::int64_t rows, block, programs, warps;
    std::int64_t programs_a_unit = 1;
    bool tile = false;  ///< one tile for all of the kernel
  };

  template_data finish(template_data data, const shape& of, const std::string& summary);
  const kernel& made() const { return kernel_; }

private:
  /// One reduction of a stage, or of the last one; `value` is its body's text.
  template_data reduction(const nest_reduction& x, const std::string& value, extent how, const std::string& label);
  template_data reductions(const nest_stage& stage, const printed& text, extent how, const std::string& label);
  template_data reductions(const nest_stage& stage);  ///< of what is loaded
  template_data writes(const nest_results& results, std::size_t first, const printed& text, extent how,
                       const std::string& label);

  void use_field(const std::string& what, std::uint32_t slot);
  void use_fields(const std::string& what, const nest_reduction& x);

  void note_made(const nest_reduction& x);

  /// Slots that another kernel filled.
  template_data handed_slots();

  const nest_tiles& tiles_;
  const reduction_nest& nest_;
  nest_fields& fields_;
  nest_code code_;
  std::set<std::uint32_t> made_;  ///< slots that this kernel fills
  std::map<std::string, kernel_pointer> scratch_;
  kernel kernel_;
};

}  // namespace dsl::triton
