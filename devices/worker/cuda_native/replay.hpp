#pragma once
// A checked launch record on a device: loaded once, carried out again and again.

#include <variant>

#include "devices/worker/cuda_native/gpu.hpp"

namespace devices::worker::cuda {

/// Where the first bytes of the tensors lie that a record is given.
struct lent_addresses {
  std::vector<device_address> arguments;
  std::vector<device_address> outputs;
};

class replay {
public:
  /// Loads the images and binds every launch. `images` are what check_record gave for `record`; both may go afterwards.
  /// Fails where the driver knows other parameters than the record, or can't load an image.
  static expected<replay> load(const gpu& on, const messages::launch_record& record, const std::vector<cubin>& images,
                               const lent_addresses& lent);

  /// Nothing of an earlier call is left: scratch is 0xff, variables of modules are what they were when loaded.
  expected<void> prepare() const;

  /// Asks for all operations, in their order on the device's stream. A failure names the operation.
  expected<void> run() const;

private:
  friend class replay_builder;
  struct launch {
    function kernel = nullptr;
    std::string name;
    std::vector<wire::bytes> values;
    std::vector<void*> parameters;  ///< points to `values`
    std::vector<launch_attribute> attributes;
    launch_config config;  ///< points to `attributes`
  };
  struct fill {
    device_address at = 0;
    std::uint64_t bytes = 0;
    unsigned char value = 0;
  };
  struct copy {
    device_address from = 0, to = 0;
    std::uint64_t bytes = 0;
  };
  struct variable {
    device_address at = 0, kept = 0;
    std::uint64_t bytes = 0;
  };

  explicit replay(const gpu& on) : gpu_(&on) {}
  result ask(const launch& x) const;
  result ask(const fill& x) const;
  result ask(const copy& x) const;

  const gpu* gpu_;
  device_address scratch_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  std::vector<variable> variables_;
  std::vector<std::variant<launch, fill, copy>> operations_;
};

}  // namespace devices::worker::cuda
