#include "devices/worker/cuda_native/launch_check.hpp"

#include <map>
#include <variant>

#include "messages/wire/wire.hpp"

namespace devices::worker::cuda {

namespace {

using status = expected<void>;
using messages::buffer_kind, messages::buffer_place;

std::string number(std::uint64_t x) { return std::to_string(x); }

std::string text_of(const buffer_place& x) {
  return std::string{enum_names(x.buffer)[static_cast<std::size_t>(x.buffer)]} + ' ' + number(x.index);
}

std::array<std::uint32_t, 3> sides(const messages::launch_extent& x) { return {x.x, x.y, x.z}; }

/// Of three numbers of 32 bits each: no more than `most`, or nothing.
std::uint64_t product(const messages::launch_extent& x, std::uint64_t most) {
  auto area = std::uint64_t{x.x} * x.y;
  return area > most ? 0 : area * x.z;
}

bool within(const messages::launch_extent& x, const std::array<std::uint32_t, 3>& most) {
  for (std::size_t i = 0; i < 3; ++i)
    if (sides(x)[i] < 1 || sides(x)[i] > most[i]) return false;
  return true;
}

class record_checker {
public:
  record_checker(const messages::launch_record& record, const lent_sizes& lent, const device_limits& limits)
      : record_(record), lent_(lent), limits_(limits) {}

  expected<std::vector<cubin>> check() {
    for (auto step : {&record_checker::check_counts, &record_checker::read_images, &record_checker::check_memory,
                      &record_checker::check_operations})
      if (auto ok = (this->*step)(); !ok) return failed("the launch record " + ok.error());
    return std::move(images_);
  }

private:
  // -- the whole ------------------------------------------------------------------------------------------------------

  status check_counts() {
    if (record_.version != 1) return failed("is of version " + number(record_.version) + ", not 1");
    if (record_.operations.empty()) return failed("has no operations");
    if (record_.operations.size() > most_operations)
      return failed("has " + number(record_.operations.size()) + " operations, " + number(most_operations) + " may be");
    if (record_.images.size() > most_images) return failed("has " + number(record_.images.size()) + " images");
    if (record_.scratch.size() > most_scratch)
      return failed("has " + number(record_.scratch.size()) + " buffers of scratch");
    return {};
  }

  status read_images() {
    for (std::size_t i = 0; i < record_.images.size(); ++i) {
      auto image = cubin::read(record_.images[i].content);
      if (!image) return failed("has an image (" + number(i) + ") which " + image.error());
      images_.push_back(*std::move(image));
    }
    parameters_.resize(images_.size());
    return {};
  }

  /// Scratch, and a copy of each variable, which is put back before each call.
  status check_memory() {
    std::uint64_t left = limits_.scratch_bytes;
    auto take = [&](std::uint64_t bytes) {
      auto padding = (scratch_alignment - bytes % scratch_alignment) % scratch_alignment;
      if (bytes > left || padding > left - bytes) return false;
      left -= bytes + padding;
      return true;
    };
    for (auto bytes : record_.scratch)
      if (!take(bytes)) return failed(needs_more("scratch"));
    for (const auto& image : images_)
      for (const auto& x : image.variables())
        if (!take(x.bytes)) return failed(needs_more("scratch and variables"));
    return {};
  }

  std::string needs_more(const std::string& what) const {
    return "needs more " + what + " than the " + number(limits_.scratch_bytes) + " bytes that it may have";
  }

  status check_operations() {
    for (std::size_t i = 0; i < record_.operations.size(); ++i) {
      auto ok = std::visit([&](const auto& x) { return check(x); }, record_.operations[i]);
      if (!ok) return failed("has an operation (" + number(i) + ") which " + ok.error());
    }
    return {};
  }

  // -- memory ---------------------------------------------------------------------------------------------------------

  /// Bytes from the place to its buffer's end.
  expected<std::uint64_t> room_at(const buffer_place& x) const {
    const auto& sizes = x.buffer == buffer_kind::argument ? lent_.arguments
                        : x.buffer == buffer_kind::output ? lent_.outputs
                                                          : record_.scratch;
    if (x.index >= sizes.size()) return failed("names " + text_of(x) + ", which is not there");
    if (x.offset > sizes[x.index]) return failed("names a place outside of " + text_of(x));
    return sizes[x.index] - x.offset;
  }

  status check_range(const buffer_place& x, std::uint64_t bytes) const {
    auto room = room_at(x);
    if (!room) return failed(room.error());
    return bytes <= *room ? status{} : failed("goes on behind the end of " + text_of(x));
  }

  /// Also of a buffer that has no bytes, which nobody can read.
  status check_pointer(const buffer_place& x) const {
    auto room = room_at(x);
    if (!room) return failed(room.error());
    return *room > 0 || x.offset == 0 ? status{} : failed("points behind the end of " + text_of(x));
  }

  status check(const messages::memory_fill& x) const { return check_range(x.place, x.bytes); }

  status check(const messages::memory_copy& x) const {
    if (auto ok = check_range(x.from, x.bytes); !ok) return ok;
    if (auto ok = check_range(x.to, x.bytes); !ok) return ok;
    auto distance = x.from.offset > x.to.offset ? x.from.offset - x.to.offset : x.to.offset - x.from.offset;
    bool same = x.from.buffer == x.to.buffer && x.from.index == x.to.index;
    return same && distance < x.bytes ? failed("copies " + text_of(x.to) + " onto itself") : status{};
  }

  // -- launches -------------------------------------------------------------------------------------------------------

  status check(const messages::kernel_launch& x) {
    if (x.image >= images_.size()) return failed("launches from image " + number(x.image) + ", which is not there");
    if (auto ok = check_extents(x); !ok) return ok;
    if (x.shared_bytes > limits_.shared_memory_bytes_a_block)
      return failed("wants " + number(x.shared_bytes) + " bytes of shared memory, the device has "
                    + number(limits_.shared_memory_bytes_a_block));
    if (auto ok = check_layout(x); !ok) return ok;
    for (std::size_t i = 0; i < x.parameters.size(); ++i)
      if (auto ok = check_pointers(x.parameters[i]); !ok)
        return failed("has a parameter (" + number(i) + ") which " + ok.error());
    return {};
  }

  status check_extents(const messages::kernel_launch& x) const {
    if (!within(x.grid, limits_.grid)) return failed("has a grid that the device can't have");
    auto threads = product(x.block, limits_.threads_a_block);
    if (!within(x.block, limits_.block) || threads < 1 || threads > limits_.threads_a_block)
      return failed("has a block that the device can't have");
    auto blocks = product(x.cluster, limits_.blocks_a_cluster);
    if (blocks < 1 || blocks > limits_.blocks_a_cluster) return failed("has a cluster that the device can't have");
    for (std::size_t i = 0; i < 3; ++i)
      if (sides(x.grid)[i] % sides(x.cluster)[i] != 0) return failed("has a grid that is not made of whole clusters");
    return {};
  }

  status check_layout(const messages::kernel_launch& x) {
    auto& known = parameters_[x.image];
    auto found = known.find(x.kernel);
    if (found == known.end()) {
      auto sizes = images_[x.image].parameters(x.kernel);
      if (!sizes) return failed("names an image which " + sizes.error());
      found = known.emplace(x.kernel, *std::move(sizes)).first;
    }
    if (found->second.size() != x.parameters.size())
      return failed("has " + number(x.parameters.size()) + " parameters, the kernel " + number(found->second.size()));
    for (std::size_t i = 0; i < x.parameters.size(); ++i)
      if (x.parameters[i].value.size() != found->second[i])
        return failed("has a parameter (" + number(i) + ") of " + number(x.parameters[i].value.size())
                      + " bytes, the kernel's has " + number(found->second[i]));
    return {};
  }

  status check_pointers(const messages::kernel_parameter& x) const {
    constexpr std::size_t pointer = 8;
    for (const auto& patch : x.pointers) {
      if (patch.at % pointer != 0) return failed("has a pointer at a place that is no multiple of 8");
      if (patch.at >= x.value.size() || x.value.size() - patch.at < pointer)
        return failed("has a pointer outside of it");
      if (auto ok = check_pointer(patch.place); !ok) return ok;
    }
    return {};
  }

  const messages::launch_record& record_;
  const lent_sizes& lent_;
  const device_limits& limits_;
  std::vector<cubin> images_;
  std::vector<std::map<std::string_view, std::vector<std::uint32_t>>> parameters_;  ///< of each image's kernels
};

}  // namespace

expected<messages::launch_record> parse_record(wire::bytes_view message) {
  auto x = wire::unpack<messages::launch_record>(
      message, {.message_bytes = most_record_bytes, .memory_bytes = most_record_bytes + (64u << 20)});
  if (!x) return failed("the launch record can't be read: " + wire::to_string(x.error()));
  return *std::move(x);
}

expected<std::vector<cubin>> check_record(const messages::launch_record& record, const lent_sizes& lent,
                                          const device_limits& limits) {
  return record_checker{record, lent, limits}.check();
}

std::vector<std::uint64_t> scratch_offsets(const messages::launch_record& record) {
  std::vector<std::uint64_t> offsets;
  std::uint64_t at = 0;
  for (auto bytes : record.scratch) {
    offsets.push_back(at);
    at += (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
  }
  offsets.push_back(at);
  return offsets;
}

}  // namespace devices::worker::cuda
