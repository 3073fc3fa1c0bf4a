#pragma once
// One device in this process: its context, memory, stream and clock.

#include <chrono>

#include "devices/worker/cuda_native/cuda_driver.hpp"
#include "devices/worker/cuda_native/launch_check.hpp"

namespace devices::worker::cuda {

class gpu {
public:
  /// Finds the driver, makes the first device's primary context current. Modules are loaded as a whole from then on,
  /// and nothing is kept on disk.
  static expected<gpu> open();

  /// `scratch_bytes`: what is free, less some that the driver may need, but `most_scratch_bytes` at most.
  expected<device_limits> limits(std::uint64_t most_scratch_bytes) const;

  /// The judge's memory; it must have `bytes`, from its first on. An empty handle: no address.
  expected<device_address> open_lent(const wire::bytes& handle, std::uint64_t bytes) const;

  /// For as long as the process lives; at a multiple of 256. No bytes: no address.
  expected<device_address> allocate(std::uint64_t bytes, const std::string& what) const;

  expected<std::uint64_t> cache_bytes() const;

  const cuda::driver& driver() const { return driver_; }
  cuda::stream stream() const { return stream_; }

  /// Waits for all that was asked for; failures of it are told here, `what` it was.
  expected<void> finish(const std::string& what) const;

private:
  cuda::driver driver_;
  cuda::device device_ = 0;
  cuda::stream stream_ = nullptr;
};

/// Measures on the device, with nothing of what is measured in its L2 cache.
class device_clock {
public:
  static expected<device_clock> make(const gpu& on);

  /// What is asked for between the two is measured. The device is kept busy before it, for as long as asking for so
  /// many `operations` takes even a process that was just woken: so it never waits for one while it measures.
  expected<void> start(std::size_t operations) const;
  expected<std::chrono::nanoseconds> stop() const;  ///< waits for it

private:
  explicit device_clock(const gpu& on) : gpu_(&on) {}

  const gpu* gpu_;
  event begin_ = nullptr, end_ = nullptr;
  device_address flushed_ = 0;  ///< twice as much memory as the cache has
  std::size_t flushed_bytes_ = 0;
};

}  // namespace devices::worker::cuda
