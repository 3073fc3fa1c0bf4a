#include "devices/worker/cuda_recorder/recording.hpp"

#include <algorithm>
#include <cstring>
#include <variant>

namespace devices::worker::recorder {

namespace {

using messages::buffer_kind, messages::buffer_place, messages::launch_record;

constexpr std::size_t pointer_bytes = 8;

tl::unexpected<std::string> failed(std::string what) { return tl::unexpected{std::move(what)}; }

/// Calls `f` for each place that an operation names.
template <class F>
void each_place(messages::launch_operation& x, F f) {
  if (auto launch = std::get_if<messages::kernel_launch>(&x))
    for (auto& parameter : launch->parameters)
      for (auto& patch : parameter.pointers) f(patch.place);
  if (auto fill = std::get_if<messages::memory_fill>(&x)) f(fill->place);
  if (auto copy = std::get_if<messages::memory_copy>(&x)) f(copy->from), f(copy->to);
}

}  // namespace

// -- what is there ----------------------------------------------------------------------------------------------------

void recording::allocated(memory_range x) { blocks_[x.begin] = x.bytes; }
void recording::freed(address begin) { blocks_.erase(begin); }

std::size_t recording::add_image(wire::bytes content) {
  auto& x = images_.emplace_back(image{std::move(content), failed(""), {}});
  x.read = cuda::cubin::read(x.content);  // views of memory that stays where it is when the image is moved
  return images_.size() - 1;
}

expected<std::vector<std::uint32_t>> recording::parameters(std::size_t number, const std::string& kernel) {
  auto& x = images_[number];
  if (auto known = x.parameters.find(kernel); known != x.parameters.end()) return known->second;
  if (!x.read) return failed("it uses an image which " + x.read.error());
  auto sizes = x.read->parameters(kernel);
  if (!sizes) return failed("it uses an image which " + sizes.error());
  return x.parameters[kernel] = *std::move(sizes);
}

// -- a call -----------------------------------------------------------------------------------------------------------

void recording::begin() {
  lent_.clear();
  scratch_.clear();
  used_images_.clear();
  record_ = {};
  refusal_.clear();
}

void recording::lend(std::uint32_t index, memory_range x) { lent_[x.begin] = {x.bytes, index}; }

void recording::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
}

std::optional<buffer_place> recording::place_of(address x) {
  if (auto lent = lent_.upper_bound(x); lent != lent_.begin())
    if (auto [begin, one] = *std::prev(lent); x - begin < one.first)
      return buffer_place{buffer_kind::argument, one.second, x - begin};
  auto block = blocks_.upper_bound(x);
  if (block == blocks_.begin() || x - std::prev(block)->first >= std::prev(block)->second) return std::nullopt;
  auto [begin, bytes] = *std::prev(block);
  auto [found, fresh] = scratch_.emplace(begin, static_cast<std::uint32_t>(record_.scratch.size()));
  if (fresh) record_.scratch.push_back(bytes);
  return buffer_place{buffer_kind::scratch, found->second, x - begin};
}

/// Every word that is an address of known memory is taken for one: structs hold them too, and descriptors of the tensor
/// memory accelerator have theirs at the beginning.
messages::kernel_parameter recording::bound(const void* value, std::uint32_t bytes) {
  auto begin = static_cast<const std::byte*>(value);
  messages::kernel_parameter x{{begin, begin + bytes}, {}};
  for (std::size_t at = 0; at + pointer_bytes <= x.value.size(); at += pointer_bytes) {
    address word = 0;
    std::memcpy(&word, x.value.data() + at, pointer_bytes);
    auto place = place_of(word);
    if (!place) continue;
    std::memset(x.value.data() + at, 0, pointer_bytes);
    x.pointers.push_back({static_cast<std::uint32_t>(at), *place});
  }
  return x;
}

void recording::launch(const seen_launch& x) {
  auto sizes = parameters(x.image, x.kernel);
  if (!sizes) return refuse(sizes.error());
  if (sizes->size() != x.parameters.size()) return refuse("kernel " + x.kernel + " has other parameters");
  auto [used, fresh] = used_images_.emplace(x.image, static_cast<std::uint32_t>(record_.images.size()));
  if (fresh) record_.images.push_back({"image " + std::to_string(x.image), images_[x.image].content});
  messages::kernel_launch one{used->second, x.kernel, x.grid, x.block, x.cluster, x.shared_bytes, x.cooperative, {}};
  for (std::size_t i = 0; i < sizes->size(); ++i) one.parameters.push_back(bound(x.parameters[i], (*sizes)[i]));
  record_.operations.emplace_back(std::move(one));
}

void recording::fill(address at, std::uint64_t bytes, std::uint8_t value) {
  auto place = place_of(at);
  if (!place) return refuse("it fills memory that is not known");
  record_.operations.emplace_back(messages::memory_fill{*place, bytes, value});
}

void recording::copy(address from, address to, std::uint64_t bytes) {
  auto source = place_of(from), target = place_of(to);
  if (!source && !target) return;  // on the host's side
  if (!target) return copy_to_host(bytes);
  if (!source) return copy_from_host(bytes);
  record_.operations.emplace_back(messages::memory_copy{*source, *target, bytes});
}

void recording::copy_from_host(std::uint64_t bytes) {
  refuse("its host's side writes " + std::to_string(bytes) + " bytes to the device's memory");
}

void recording::copy_to_host(std::uint64_t bytes) {
  refuse("its host's side reads " + std::to_string(bytes) + " bytes of the device's memory");
}

expected<launch_record> recording::finish(std::span<const memory_range> outputs, const std::string& arch) const {
  if (!refusal_.empty()) return failed(refusal_);
  if (record_.operations.empty()) return failed("it launched nothing");
  auto record = record_;
  record.arch = arch;
  for (std::uint32_t i = 0; i < outputs.size(); ++i)
    if (auto ok = hand_over(record, i, outputs[i]); !ok) return failed(ok.error());
  return record;
}

/// What lies in the output's block is the output's from now on; the block stays as scratch that nobody uses, empty.
expected<void> recording::hand_over(launch_record& record, std::uint32_t index, memory_range output) const {
  auto here = "output " + std::to_string(index) + ' ';
  auto block = scratch_.upper_bound(output.begin);
  if (block == scratch_.begin()) return failed(here + "is not in memory that the call used");
  auto [begin, number] = *std::prev(block);
  auto delta = output.begin - begin;
  if (delta >= record.scratch[number] || output.bytes > record.scratch[number] - delta)
    return failed(here + "is not in memory that the call used");
  bool inside = true;
  for (auto& operation : record.operations)
    each_place(operation, [&](buffer_place& x) {
      if (x.buffer != buffer_kind::scratch || x.index != number) return;
      inside &= x.offset >= delta && x.offset - delta <= output.bytes;
      x = {buffer_kind::output, index, x.offset - delta};
    });
  record.scratch[number] = 0;
  return inside ? expected<void>{} : failed(here + "shares its memory with what is none");
}

std::string difference(const launch_record& a, const launch_record& b) {
  auto of = [](messages::launch_operation x) {
    if (auto launch = std::get_if<messages::kernel_launch>(&x))
      for (auto& parameter : launch->parameters)
        std::fill(parameter.value.begin(), parameter.value.end(), std::byte{0});
    return x;
  };
  if (a.operations.size() != b.operations.size()) return "they have another number of operations";
  if (a.images != b.images || a.scratch != b.scratch) return "they use other images or other memory";
  for (std::size_t i = 0; i < a.operations.size(); ++i)
    if (of(a.operations[i]) != of(b.operations[i])) return "operation " + std::to_string(i) + " is another one";
  return {};
}

}  // namespace devices::worker::recorder
