#include "devices/worker/cuda_native/gpu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace devices::worker::cuda {

namespace {

constexpr unsigned not_blocking_stream = 1, lazy_peer_access = 1, blocking_event = 0;
constexpr std::size_t kept_free = 256u << 20;
constexpr std::uint32_t largest_cluster = 16;
constexpr std::size_t fewest_flushes = 4, operations_a_flush = 8, most_flushes = 200;

/// A module whose parts come when they are first needed would be loaded while it is measured.
void choose_settings() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1);
}

}  // namespace

// -- gpu --------------------------------------------------------------------------------------------------------------

expected<gpu> gpu::open() {
  choose_settings();
  gpu x;
  auto found = cuda::driver::load();
  if (!found) return failed(found.error());
  auto& d = x.driver_ = *found;
  context primary = nullptr;
  if (auto ok = d.checked(d.cuInit(0), "CUDA can't be initialised"); !ok) return failed(ok.error());
  if (auto ok = d.checked(d.cuDeviceGet(&x.device_, 0), "the device can't be used"); !ok) return failed(ok.error());
  if (auto ok = d.checked(d.cuDevicePrimaryCtxRetain(&primary, x.device_), "the device has no context"); !ok)
    return failed(ok.error());
  if (auto ok = d.checked(d.cuCtxSetCurrent(primary), "the context can't be used"); !ok) return failed(ok.error());
  if (auto ok = d.checked(d.cuStreamCreate(&x.stream_, not_blocking_stream), "there is no stream"); !ok)
    return failed(ok.error());
  return x;
}

expected<device_limits> gpu::limits(std::uint64_t most_scratch_bytes) const {
  result error = 0;
  auto value = [&](int attribute) {
    int x = 0;
    if (auto code = driver_.cuDeviceGetAttribute(&x, static_cast<device_attribute>(attribute), device_)) error = code;
    return static_cast<std::uint32_t>(std::max(x, 0));
  };
  device_limits x;
  for (int i = 0; i < 3; ++i) {
    x.grid[static_cast<std::size_t>(i)] = value(grid_x + i);
    x.block[static_cast<std::size_t>(i)] = value(block_x + i);
  }
  x.threads_a_block = value(threads_a_block);
  x.shared_memory_bytes_a_block = value(shared_memory_bytes_a_block);
  x.blocks_a_cluster = value(has_clusters) != 0 ? largest_cluster : 1;
  std::size_t free = 0, total = 0;
  if (auto code = driver_.cuMemGetInfo(&free, &total)) error = code;
  x.scratch_bytes = std::min<std::uint64_t>(most_scratch_bytes, free > kept_free ? free - kept_free : 0);
  if (auto ok = driver_.checked(error, "the device does not tell its limits"); !ok) return failed(ok.error());
  return x;
}

expected<device_address> gpu::open_lent(const wire::bytes& handle, std::uint64_t bytes) const {
  if (handle.empty()) return device_address{0};
  ipc_handle opened{};
  std::memcpy(&opened, handle.data(), std::min(handle.size(), sizeof(opened)));
  device_address at = 0, base = 0;
  std::size_t size = 0;
  auto what = "the judge's memory can't be opened";
  if (auto ok = driver_.checked(driver_.cuIpcOpenMemHandle(&at, opened, lazy_peer_access), what); !ok)
    return failed(ok.error());
  if (auto ok = driver_.checked(driver_.cuMemGetAddressRange(&base, &size, at), what); !ok) return failed(ok.error());
  if (at < base || at - base > size || size - (at - base) < bytes)
    return failed(std::string{what} + ": it has " + std::to_string(size) + " bytes, not " + std::to_string(bytes));
  return at;
}

expected<device_address> gpu::allocate(std::uint64_t bytes, const std::string& what) const {
  device_address at = 0;
  if (bytes == 0) return at;
  if (auto ok = driver_.checked(driver_.cuMemAlloc(&at, bytes), "there is no memory for " + what); !ok)
    return failed(ok.error());
  return at;
}

expected<std::uint64_t> gpu::cache_bytes() const {
  int bytes = 0;
  auto ok =
      driver_.checked(driver_.cuDeviceGetAttribute(&bytes, l2_bytes, device_), "the device does not tell its cache");
  if (!ok) return failed(ok.error());
  return static_cast<std::uint64_t>(std::max(bytes, 1));
}

expected<void> gpu::finish(const std::string& what) const {
  return driver_.checked(driver_.cuStreamSynchronize(stream_), what);
}

// -- device_clock -----------------------------------------------------------------------------------------------------

expected<device_clock> device_clock::make(const gpu& on) {
  device_clock x{on};
  const auto& d = on.driver();
  auto cache = on.cache_bytes();
  if (!cache) return failed(cache.error());
  x.flushed_bytes_ = 2 * *cache;
  auto memory = on.allocate(x.flushed_bytes_, "clearing the cache");
  if (!memory) return failed(memory.error());
  x.flushed_ = *memory;
  for (auto to : {&x.begin_, &x.end_})
    if (auto ok = d.checked(d.cuEventCreate(to, blocking_event), "there is no event"); !ok) return failed(ok.error());
  return x;
}

/// One time suffices for the cache; each takes the device some 50 us, and asking for an operation some 5 us.
expected<void> device_clock::start(std::size_t operations) const {
  const auto& d = gpu_->driver();
  for (auto times = std::min(fewest_flushes + operations / operations_a_flush, most_flushes); times > 0; --times) {
    auto code = d.cuMemsetD8Async(flushed_, 0, flushed_bytes_, gpu_->stream());
    if (auto ok = d.checked(code, "the cache can't be cleared"); !ok) return ok;
  }
  return d.checked(d.cuEventRecord(begin_, gpu_->stream()), "the clock can't be started");
}

expected<std::chrono::nanoseconds> device_clock::stop() const {
  const auto& d = gpu_->driver();
  float milliseconds = 0;
  if (auto ok = d.checked(d.cuEventRecord(end_, gpu_->stream()), "the clock can't be stopped"); !ok)
    return failed(ok.error());
  if (auto ok = gpu_->finish("what was launched failed"); !ok) return failed(ok.error());
  if (auto ok = d.checked(d.cuEventElapsedTime(&milliseconds, begin_, end_), "the clock can't be read"); !ok)
    return failed(ok.error());
  return std::chrono::nanoseconds{std::llround(static_cast<double>(milliseconds) * 1e6)};
}

}  // namespace devices::worker::cuda
