#pragma once
// Pieces of a row kernel's code: expressions over what a thread has at hand. Operands are x0, x1, ..., targets y0, y1,
// ..., slots s0, s1, ...; e is an element of the row, n the first of a vector, row the row. In columns row is the first
// of a thread's, j the one of them.

#include <set>
#include <string>
#include <vector>

#include "dsl/cuda_c/row_layout.hpp"
#include "dsl/cuda_c/tensor_text.hpp"
#include "dsl/printer.hpp"

namespace dsl::cuda_c {

/// Where an expression is computed.
enum class level : std::uint8_t { element, row, once };

/// Borrows the layout.
class row_code {
public:
  explicit row_code(const row_layout& layout);

  tensor_text operand(std::uint32_t i) const;
  tensor_text target(std::size_t i) const;

  std::string element_type() const;
  std::string slot_type(std::uint32_t slot) const;
  std::string monoid_of(const nest_reduction& x) const;

  /// "of_0.r2.second()".
  std::string slot_value(const std::string& total, const nest_reduction& x, std::uint32_t which) const;

  printed text_of(const messages::expression& x, level at, const char* indent) const;

  /// Of a position, as an integer.
  std::string position(std::uint32_t operand, level at) const;

  /// Operands of these expressions that are no positions.
  std::set<std::uint32_t> tensors_in(const messages::expression& x) const;

private:
  std::string operand_text(std::uint32_t i, level at) const;
  static std::string column_operand(const std::string& id, const row_tensor& x);
  std::string slot(std::uint32_t slot, level at) const;

  const row_layout& layout_;
  std::set<std::uint32_t> index_slots_;
};

}  // namespace dsl::cuda_c
