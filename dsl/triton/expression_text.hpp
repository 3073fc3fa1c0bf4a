#pragma once
// Expressions as Triton over blocks of elements. What it prints keeps IEEE's edges: no approximate division, root or
// exponential, and a maximum hands NaN on.

#include <string>
#include <vector>

#include "dsl/printer.hpp"
#include "messages/records/tensor.hpp"

namespace dsl::triton {

/// Computes in tl.float32, in tl.float64 where `compute` is float64, in tl.int64 where it is int64 (only what integers
/// can do).
class triton_printer : public printer {
public:
  /// @param operands text of each operand, in the type that is computed in
  triton_printer(messages::dtype compute, std::vector<std::string> operands);

  std::string number(double x) const override;
  std::string operand(std::uint32_t index) const override;
  std::string apply(operation op, std::span<const std::string> arguments) const override;
  std::string define(kind type, std::string_view name, std::string_view text) const override;

private:
  std::string bare_number(double x) const;
  std::vector<std::string> in_blocks(operation op, std::span<const std::string> arguments) const;
  std::string call(std::string_view function, std::span<const std::string> arguments) const;
  std::string power(std::span<const std::string> arguments) const;
  std::string cast(const std::string& x, std::string_view type) const;

  messages::dtype compute_;
  std::vector<std::string> operands_;
};

/// The type that is computed in, "tl.float32".
std::string compute_type(messages::dtype compute);

/// Of the texts that `number` gives.
bool is_literal(const std::string& text);

/// The same as a block without dimensions, of the type that is computed in; any other text stays.
std::string as_block(const std::string& text, messages::dtype compute);

/// A value of the type that is computed in, as it is stored in memory of another.
std::string stored(const std::string& value, messages::dtype compute, messages::dtype memory);

/// An element of memory in the type that is computed in.
std::string loaded(const std::string& value, messages::dtype memory, messages::dtype compute);

}  // namespace dsl::triton
