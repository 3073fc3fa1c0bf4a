#pragma once
// Whether a launch record may be carried out (dsl/FORMS.md, "Launch record"). It comes from whoever made it: nothing of
// it reaches the driver before all of this holds. Pure; a refusal is one sentence.

#include <array>

#include "devices/worker/cuda_native/cubin.hpp"
#include "messages/records/launch_record.hpp"

namespace devices::worker::cuda {

/// What a device can do.
struct device_limits {
  std::array<std::uint32_t, 3> grid{2147483647, 65535, 65535};
  std::array<std::uint32_t, 3> block{1024, 1024, 64};
  std::uint32_t threads_a_block = 1024;
  std::uint32_t blocks_a_cluster = 1;
  std::uint64_t shared_memory_bytes_a_block = 48 << 10;  ///< with opting in
  std::uint64_t scratch_bytes = 16ull << 30;             ///< of all that a record needs besides what it is lent
};

/// Bytes between the first and the last of each tensor that is lent, both counted.
struct lent_sizes {
  std::vector<std::uint64_t> arguments;
  std::vector<std::uint64_t> outputs;
};

constexpr std::size_t most_images = 256, most_operations = 16384, most_scratch = 4096;
constexpr std::uint64_t scratch_alignment = 256, most_record_bytes = 256u << 20;

/// MessagePack, at most `most_record_bytes`.
expected<messages::launch_record> parse_record(wire::bytes_view message);

/// Views of the record's images, in their order: the record must outlive them.
expected<std::vector<cubin>> check_record(const messages::launch_record& record, const lent_sizes& lent,
                                          const device_limits& limits);

/// Scratch as it is laid out, one after the other at multiples of `scratch_alignment`; of a checked record.
std::vector<std::uint64_t> scratch_offsets(const messages::launch_record& record);

}  // namespace devices::worker::cuda
