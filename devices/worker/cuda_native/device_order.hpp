#pragma once
// What the judge lends and orders: the part of PROTOCOL.md's order that a launch record needs. From the judge, so
// trusted to mean well; checked all the same.

#include "devices/worker/cuda_native/cuda_driver.hpp"
#include "devices/worker/cuda_native/launch_check.hpp"

namespace devices::worker::cuda {

struct device_order {
  messages::candidate_entry entry;
  std::string artifact;                       ///< the built record, absolute; "": none
  std::string place = "cuda:0";               ///< the device's name; CUDA shows no other
  std::uint64_t scratch_bytes = 16ull << 30;  ///< that a record may need at most
  std::vector<std::uint64_t> lent;            ///< bytes of inputs, weights, outputs
  std::vector<wire::bytes> handles;           ///< of each lent buffer, to open it with; empty where it has no bytes
  std::vector<native::lent_tensor> arguments;
  std::vector<native::lent_tensor> outputs;

  void fields(auto& f) {
    f("entry", entry);
    f("artifact", artifact);
    f("place", place);
    f("scratch_bytes", scratch_bytes);
    f("lent", lent);
    f("handles", handles);
    f("arguments", arguments);
    f("outputs", outputs);
  }
};

constexpr std::uint64_t tensor_alignment = 256;

/// Its entry is a launch_record, each of its tensors lies wholly in its lent buffer at a multiple of 256 bytes.
expected<device_order> parse_device_order(wire::bytes_view message);

/// Of a checked order.
lent_sizes sizes_of(const device_order& x);

/// All of a file, which has `most_record_bytes` at most.
expected<wire::bytes> read_artifact(const std::string& path);

}  // namespace devices::worker::cuda
