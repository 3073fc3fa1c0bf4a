#pragma once
// How the threads of a kernel reach a tensor: where the element of a number lies, and whether neighbours lie side by
// side, so that they move in one access. All sizes and steps count elements.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "messages/records/device.hpp"
#include "messages/records/tensor.hpp"

namespace dsl::cuda_c {

/// How a vector of neighbouring elements is read or written.
enum class access : std::uint8_t {
  vector,    ///< in one piece
  repeated,  ///< one element for all of the vector
  each,      ///< element by element
  still,     ///< one element for the whole loop
};

/// A tensor along the dimensions of one loop, as few of them as say the same, outermost first.
class way {
public:
  way(std::span<const std::int64_t> sizes, std::span<const std::int64_t> steps);

  /// "n / 64 * 128 + n % 64", "n", "0": what is added to the tensor's address for the element of that number.
  std::string offset(const std::string& number) const;

  bool is_still() const { return parts_.empty(); }
  bool is_unit() const { return !parts_.empty() && parts_.back().step == 1; }

  /// All elements side by side, in their order.
  bool is_flat() const { return parts_.size() == 1 && is_unit(); }

  /// Whether everything but the innermost unit step goes by multiples.
  bool keeps(std::int64_t multiple) const;

  /// @param width of a vector; vectors begin at multiples of it
  /// @param aligned the loop itself begins where the tensor's address is a multiple
  access with(std::int64_t width, bool aligned) const;

private:
  struct part {
    std::int64_t size = 1;
    std::int64_t step = 0;
    std::int64_t inner = 1;  ///< elements of the dimensions behind it
  };
  bool whole(std::int64_t width) const { return parts_.size() == 1 || parts_.back().size % width == 0; }

  std::vector<part> parts_;
  std::int64_t count_ = 1;
};

/// Elements of the widest type in one access of 16 bytes, or what the knob says.
std::int64_t widest_vector(std::int64_t wish, std::size_t largest_bytes);

/// Of a device that does not say it, as an H100.
std::int64_t multiprocessors(const messages::device_info& device);

/// Whether blocks can form clusters.
bool has_clusters(const messages::device_info& device);

/// Whether numbers of elements and offsets of all these tensors fit in 32 bits.
bool is_small(std::int64_t count, std::span<const messages::tensor_spec> tensors);

}  // namespace dsl::cuda_c
