#pragma once
// Expressions as C++ over functions in namespace km, which each language's support files define for its machine.

#include <string>
#include <vector>

#include "dsl/printer.hpp"
#include "messages/records/tensor.hpp"

namespace dsl {

/// Of a stored element: "float", "km::bfloat16", "int64_t"; bool is uint8_t.
std::string_view type_of(messages::dtype x);

enum class math : std::uint8_t { vector, plain };

/// Computes in float, in double where `compute` is float64, in int64_t where it is int64 (only what integers can do).
class c_printer : public printer {
public:
  /// @param operands text of each operand's current element, as it is stored: "km::load(x0[i])"
  c_printer(messages::dtype compute, math functions, std::vector<std::string> operands);

  std::string number(double x) const override;
  std::string operand(std::uint32_t index) const override;
  std::string apply(operation op, std::span<const std::string> arguments) const override;
  std::string define(kind type, std::string_view name, std::string_view text) const override;

private:
  std::string call(std::string_view function, std::span<const std::string> arguments) const;
  std::string power(std::span<const std::string> arguments) const;
  std::string cast(std::string_view text) const;
  std::string type() const;

  bool wide_;
  bool integer_;
  math functions_;
  std::vector<std::string> operands_;
};

}  // namespace dsl
