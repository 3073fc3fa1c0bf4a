#pragma once
// Tiles of tensors around a product as Triton text.

#include <string>
#include <vector>

#include "dsl/anchored.hpp"
#include "dsl/printer.hpp"
#include "dsl/triton/kernel.hpp"

namespace dsl::triton {

/// A tile's axes: the names of what counts them, "m" and "k". Their masks are m_in and k_in. A space with a batch has
/// it in front, as the name batch.
struct tile_axes {
  std::string first, second;
};

/// What kernels of one group read: operands of all prologues and of the epilogue, in the order of the group's reads.
class product_code {
public:
  explicit product_code(const anchored& around);

  /// Tensors that input i, or the epilogue, reads, as pointers x0, x1, ...
  std::vector<kernel_pointer> reads_of_input(std::size_t i) const;
  std::vector<kernel_pointer> reads_of_output() const;
  std::vector<kernel_pointer> writes() const;

  /// The tile of an input's numbers, 0 outside of the masks: lines, and the result's text.
  /// @param turned its last two dimensions are swapped; `narrow` in the type that it has in memory
  struct input_options {
    tile_axes axes;
    bool turned = false;
    bool narrow = false;
    std::string prefix;
  };
  printed input(std::size_t i, const input_options& options, const char* indent) const;

  /// Whether the last dimension of the input is the inner one of what is read most.
  bool last_is_inner(std::size_t i) const;

  /// The same of an input that is broadcast to the result.
  printed added(std::size_t i, const char* indent) const;

  /// What becomes of the tile `value`, over axes m and n: lines, and a text for each result.
  printed output(const std::string& value, const char* indent) const;

  /// "y0 + ...": where result i lies.
  std::string target(std::size_t i) const;

  bool wide_index() const { return wide_; }

private:
  std::string load(std::size_t number, const seen_tensor& x, const view& place, const tile_axes& axes,
                   bool narrow = false) const;
  printed text_of(const messages::expression& x, std::vector<std::string> operands, const std::string& prefix,
                  const char* indent) const;
  std::size_t first_read(std::size_t input) const;

  const anchored& around_;
  bool wide_ = false;
};

}  // namespace dsl::triton
