#pragma once
// What one call of a candidate launched, as a launch record. Told by whoever sees the driver's calls; knows no CUDA.
//
// Nothing here is trusted by a judge: a record is another program to be judged, however it was made.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/worker/cuda_native/cubin.hpp"
#include "messages/records/launch_record.hpp"

namespace devices::worker::recorder {

using native::expected;
using address = std::uint64_t;

struct memory_range {
  address begin = 0;
  std::uint64_t bytes = 0;
};

/// As it was asked for; `parameters` are the bytes that the kernel takes of each.
struct seen_launch {
  std::size_t image = 0;  ///< of those that were added
  std::string kernel;
  messages::launch_extent grid, block, cluster;
  std::uint32_t shared_bytes = 0;
  bool cooperative = false;
  std::span<const void* const> parameters;
};

class recording {
public:
  // -- what is there
  // ----------------------------------------------------------------------------------------------------

  void allocated(memory_range x);
  void freed(address begin);
  /// A binary for the device; its number. One that can't be judged is known, and refused when it is used.
  std::size_t add_image(wire::bytes content);
  /// Bytes of each parameter.
  expected<std::vector<std::uint32_t>> parameters(std::size_t image, const std::string& kernel);

  // -- a call
  // -----------------------------------------------------------------------------------------------------------

  /// Forgets the call before, also what was lent to it: who goes back to that finds what no call has written.
  void begin();
  /// A tensor that the judge gives, argument `index` of the candidate.
  void lend(std::uint32_t index, memory_range x);
  void launch(const seen_launch& x);
  void fill(address at, std::uint64_t bytes, std::uint8_t value);
  /// Between two addresses of which either may be the host's.
  void copy(address from, address to, std::uint64_t bytes);
  /// One end is the host's, and no record can say what it has there.
  void copy_from_host(std::uint64_t bytes);
  void copy_to_host(std::uint64_t bytes);
  /// What no record can say; the first one counts.
  void refuse(std::string why);

  /// The call's record, or why there is none. `outputs` lie in memory that was allocated; it becomes theirs.
  expected<messages::launch_record> finish(std::span<const memory_range> outputs, const std::string& arch) const;

private:
  struct image {
    wire::bytes content;
    expected<cuda::cubin> read;
    std::map<std::string, std::vector<std::uint32_t>> parameters;
  };

  std::optional<messages::buffer_place> place_of(address x);
  messages::kernel_parameter bound(const void* value, std::uint32_t bytes);
  expected<void> hand_over(messages::launch_record& record, std::uint32_t index, memory_range output) const;

  std::map<address, std::uint64_t> blocks_;
  std::map<address, std::pair<std::uint64_t, std::uint32_t>> lent_;  ///< bytes and index
  std::vector<image> images_;

  std::map<address, std::uint32_t> scratch_;  ///< blocks that this call uses, in the order in which it did
  std::map<std::size_t, std::uint32_t> used_images_;
  messages::launch_record record_;
  std::string refusal_;
};

/// Do both make the same of their memory? Bytes of parameters may differ, since some are padding that nobody wrote.
/// Empty, or where they differ.
std::string difference(const messages::launch_record& a, const messages::launch_record& b);

}  // namespace devices::worker::recorder
