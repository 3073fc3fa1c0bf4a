#include "devices/worker/native/lent_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace devices::worker::native {

static_assert(static_cast<int>(messages::dtype::float32) == kernelmesh_float32);
static_assert(static_cast<int>(messages::dtype::bfloat16) == kernelmesh_bfloat16);
static_assert(static_cast<int>(messages::dtype::int64) == kernelmesh_int64);
static_assert(static_cast<int>(messages::dtype::boolean) == kernelmesh_bool);

namespace {

/// A page beyond the file's end would end the process by SIGBUS where it is touched.
expected<lent_memory> map_one(int descriptor, std::uint64_t size) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return tl::unexpected{std::string{std::strerror(errno)}};
  if (about.st_size < 0 || static_cast<std::uint64_t>(about.st_size) < size)
    return tl::unexpected{"it has " + std::to_string(about.st_size) + " bytes, not " + std::to_string(size)};
  auto at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (at == MAP_FAILED) return tl::unexpected{std::string{std::strerror(errno)}};
  return lent_memory{static_cast<std::byte*>(at), size};
}

}  // namespace

expected<std::vector<lent_memory>> map_lent(int first, const std::vector<std::uint64_t>& sizes) {
  std::vector<lent_memory> lent;
  for (auto size : sizes) {
    auto place = static_cast<int>(lent.size());
    auto one = map_one(first + place, size);
    close(first + place);
    if (!one) return tl::unexpected{"lent buffer " + std::to_string(place) + " can't be mapped: " + one.error()};
    lent.push_back(*one);
  }
  return lent;
}

std::vector<kernelmesh_tensor> views(const std::vector<lent_tensor>& tensors, const std::vector<lent_memory>& lent) {
  std::vector<kernelmesh_tensor> result;
  result.reserve(tensors.size());
  for (const auto& x : tensors)
    result.push_back({.data = lent[x.lent].data() + x.offset,
                      .shape = x.spec.shape.data(),
                      .strides = x.spec.strides.data(),
                      .rank = static_cast<std::int32_t>(x.spec.shape.size()),
                      .dtype = static_cast<std::int32_t>(x.spec.dtype)});
  return result;
}

}  // namespace devices::worker::native
