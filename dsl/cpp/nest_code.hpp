#pragma once
// Pieces of a reduction kernel's code: expressions over the variables that a loop has. Operands are x0, x1, ...,
// targets y0, y1, ..., slots s0, s1, ...; i is the innermost loop's element.

#include <set>
#include <string>
#include <vector>

#include "dsl/cpp/nest_layout.hpp"
#include "dsl/printer.hpp"

namespace dsl::cpp {

/// A tensor or position of the kernel.
struct nest_variable {
  std::string id;
  const nest_place* place = nullptr;
  std::size_t index = 0;  ///< in the kernel's array of tensors

  std::string type() const;      ///< of a stored element
  std::string element() const;   ///< "x0[i]"
  std::string position() const;  ///< "(x0 + i)"
};

/// What a piece of code uses: as lines that define it, as parameters and as arguments of a function (each with a comma
/// before it).
struct nest_uses {
  std::string locals, parameters, arguments;
};

/// In the type of the elements, or in double where a value is computed once a kept point.
enum class precision : std::uint8_t { element, kept };

/// Borrows the layout.
class nest_code {
public:
  nest_code(const nest_layout& layout, bool plain_math);

  const std::vector<nest_variable>& operands() const { return operands_; }
  const std::vector<nest_variable>& targets() const { return targets_; }  ///< of each_kept, each_element, once

  std::string slot_type(std::uint32_t slot) const;
  std::string slot(std::uint32_t slot) const;  ///< at element i
  std::string element_type() const;

  /// "km::sum<float>".
  std::string monoid_of(const nest_reduction& x, const std::string& type) const;

  /// @param more operands that are used beside those of the expression
  nest_uses uses_of(const messages::expression& x, const std::set<std::uint32_t>& more = {}) const;
  void use_tensor(nest_uses& u, const nest_variable& v, bool constant, const std::string& passed) const;

  printed text_of(const messages::expression& x, precision how, const char* indent) const;

  /// Of an expression on no dimension at all, over the local variables s0, s1, ... and tensors of rank 0.
  printed text_of_once(const messages::expression& x, nest_uses& u) const;

private:
  void name_all(char letter, const std::vector<nest_place>& places, std::vector<nest_variable>& into);
  void find_index_slots();
  void use_slot(nest_uses& u, std::uint32_t slot) const;
  printed with_places(const messages::expression& x, printed text, const char* element) const;

  const nest_layout& layout_;
  bool plain_;
  std::vector<nest_variable> operands_;
  std::vector<nest_variable> targets_;
  std::set<std::uint32_t> index_slots_;
};

}  // namespace dsl::cpp
