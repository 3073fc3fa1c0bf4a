#pragma once
// How an expression becomes text of some language. Each DSL implements `printer`; the walk over the expression is here.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/expression.hpp"

namespace dsl {

/// What one language says. Everything it returns is text that may stand as an argument of another operator: put what
/// needs it in parentheses. Operators mean what FORMS.md says, so where the language's own `max` drops a NaN, this has
/// to be another text.
class printer {
public:
  virtual ~printer() = default;

  /// A literal of the type in which the expression is computed, for any double, NaN and infinities too. It reads back
  /// as the nearest value of that type; `exact_decimal` and `exact_hexadecimal` help.
  virtual std::string number(double x) const = 0;

  /// The operand's current element, converted to the type in which the expression is computed.
  virtual std::string operand(std::uint32_t index) const = 0;

  /// An operator over texts, as many as its signature says.
  virtual std::string apply(operation op, std::span<const std::string> arguments) const = 0;

  /// The line or lines that give a text a name, without indent and line end: "const float t3 = a + b;".
  virtual std::string define(kind type, std::string_view name, std::string_view text) const = 0;
};

struct print_options {
  std::string prefix = "t";  ///< temporaries are t0, t1, ...; must clash with no name the printer uses
  std::string indent;        ///< before each line
};

struct printed {
  std::string lines;                 ///< each ended by a newline; every operand that is used is read once
  std::vector<std::string> results;  ///< text of each result: a temporary or a literal
};

/// Of a checked expression. Nodes that no result needs are left out; literals stand where they are used.
printed print(const messages::expression& x, const printer& language, const print_options& options = {});

/// Shortest decimal that reads back as x, always with "." or "e": "0.5", "1e-07", "3.0". Finite x only.
std::string exact_decimal(double x);

std::string short_decimal(float x);  ///< the same of a float: what reads back as it

/// Between its operands, as C, C++ and Python write it: "+", "<=", "&"; empty for another operator. No division, which
/// is not exact everywhere.
std::string_view sign_of(operation op);

/// As C's mathematical library calls it: "expm1"; empty for another operator. Of what is rounded, and of pow.
std::string_view function_of(operation op);

std::string infix(const std::string& a, std::string_view sign, const std::string& b);  ///< "(a + b)"

/// Without parentheses that span all of it.
std::string_view bare(std::string_view text);

/// As C and C++ write it: "0x1.8p+1". Finite x only.
std::string exact_hexadecimal(double x);

}  // namespace dsl
