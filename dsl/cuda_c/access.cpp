#include "dsl/cuda_c/access.hpp"

#include <algorithm>
#include <charconv>

#include "dsl/launch_program.hpp"

namespace dsl::cuda_c {

way::way(std::span<const std::int64_t> sizes, std::span<const std::int64_t> steps) {
  for (auto i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1) {
      auto* outer = parts_.empty() ? nullptr : &parts_.front();
      if (outer && steps[i] == outer->step * outer->size) {
        outer->size *= sizes[i];
      } else {
        parts_.insert(parts_.begin(), {sizes[i], steps[i], count_});
      }
    }
    count_ *= sizes[i];
  }
  if (std::ranges::all_of(parts_, [](const part& x) { return x.step == 0; })) parts_.clear();
}

std::string way::offset(const std::string& number) const {
  std::string text;
  for (const auto& x : parts_) {
    if (x.step == 0) continue;
    auto index = number;
    if (x.inner != 1) index += " / " + std::to_string(x.inner);
    if (&x != &parts_.front()) index += " % " + std::to_string(x.size);
    if (x.step != 1) index += " * " + (x.step < 0 ? '(' + std::to_string(x.step) + ')' : std::to_string(x.step));
    text += (text.empty() ? "" : " + ") + index;
  }
  return text.empty() ? "0" : text;
}

bool way::keeps(std::int64_t multiple) const {
  return std::ranges::all_of(
      parts_, [&](const part& x) { return x.step % multiple == 0 || (x.step == 1 && &x == &parts_.back()); });
}

access way::with(std::int64_t width, bool aligned) const {
  if (is_still()) return access::still;
  if (parts_.back().step == 0 && parts_.back().size % width == 0) return access::repeated;
  return is_unit() && aligned && whole(width) && keeps(width) ? access::vector : access::each;
}

std::int64_t widest_vector(std::int64_t wish, std::size_t largest_bytes) {
  if (wish > 0) return wish;
  return 16 / static_cast<std::int64_t>(std::clamp<std::size_t>(largest_bytes, 1, 16));
}

std::int64_t multiprocessors(const messages::device_info& device) {
  auto found = device.limits.find("multiprocessors");
  return found == device.limits.end() ? 132 : std::max<std::int64_t>(static_cast<std::int64_t>(found->second), 1);
}

bool has_clusters(const messages::device_info& device) {
  std::string_view arch = device.arch;
  if (!arch.starts_with("sm_")) return false;
  int number = 0;
  std::from_chars(arch.data() + 3, arch.data() + arch.size(), number);
  return number >= 90;
}

bool is_small(std::int64_t count, std::span<const messages::tensor_spec> tensors) {
  constexpr std::int64_t limit = INT64_C(1) << 31;
  return count < limit && std::ranges::all_of(tensors, [](const messages::tensor_spec& x) {
           return extent_bytes(x) / messages::bytes_of(x.dtype) < static_cast<std::uint64_t>(limit);
         });
}

}  // namespace dsl::cuda_c
