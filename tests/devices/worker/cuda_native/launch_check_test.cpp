#include "devices/worker/cuda_native/launch_check.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>

#include "messages/wire/wire.hpp"
#include "tests/devices/worker/cuda_native/samples.hpp"
#include "tests/support/memory_probe.hpp"
#include "tests/support/random_values.hpp"

namespace launch_check_test {

using namespace tests;
using messages::buffer_kind, messages::kernel_launch, messages::launch_record, messages::memory_copy;

namespace {

kernel_launch& launch_of(launch_record& x) { return std::get<kernel_launch>(x.operations[0]); }
memory_copy& copy_of(launch_record& x) { return std::get<memory_copy>(x.operations[1]); }

struct forgery {
  const char* said;  ///< in place of "the launch record has an operation (...) which" if it is about one
  std::function<void(launch_record&)> make;
};

std::string said_of(const forgery& x) {
  auto record = saxpy_record();
  x.make(record);
  return refusal_of(record);
}

}  // namespace

TEST_CASE("a right record is accepted, with all that its buffers and the device have") {
  CHECK(refusal_of(saxpy_record()) == "");
  auto x = saxpy_record();
  launch_of(x).grid = {2147483647, 65535, 65535};
  launch_of(x).block = {16, 1, 64};
  launch_of(x).shared_bytes = 48 << 10;
  launch_of(x).parameters[0].pointers[0].place.offset = vector_bytes - 1;
  CHECK(refusal_of(x) == "");
  launch_of(x).cluster = {1, 5, 3};
  CHECK(refusal_of(x, lent_vectors(), {.blocks_a_cluster = 16}) == "");
}

TEST_CASE("a tensor without bytes has a place, but no byte") {
  auto x = saxpy_record();
  x.operations.pop_back();
  x.scratch = {0};
  CHECK(refusal_of(x) == "");
  launch_of(x).parameters[0].pointers[0].place.offset = 1;
  CHECK(refusal_of(x).ends_with("names a place outside of scratch 0"));
}

TEST_CASE("each kind of forged launch is refused with the operation and the reason") {
  const forgery forgeries[]{
      {"launches from image 1, which is not there", [](auto& x) { launch_of(x).image = 1; }},
      {"names an image which has no kernel gone", [](auto& x) { launch_of(x).kernel = "gone"; }},
      {"has a grid that the device can't have", [](auto& x) { launch_of(x).grid.x = 0; }},
      {"has a grid that the device can't have", [](auto& x) { launch_of(x).grid.z = 65536; }},
      {"has a block that the device can't have",
       [](auto& x) {
         launch_of(x).block = {1024, 2, 1};
       }},
      {"has a block that the device can't have",
       [](auto& x) {
         launch_of(x).block = {1, 1, 65};
       }},
      {"has a block that the device can't have",
       [](auto& x) {
         launch_of(x).block = {1u << 31, 1u << 31, 4};
       }},
      {"has a cluster that the device can't have", [](auto& x) { launch_of(x).cluster.x = 2; }},
      {"has a cluster that the device can't have", [](auto& x) { launch_of(x).cluster.y = 0; }},
      {"wants 49153 bytes of shared memory, the device has 49152",
       [](auto& x) { launch_of(x).shared_bytes = (48 << 10) + 1; }},
      {"has 4 parameters, the kernel 5", [](auto& x) { launch_of(x).parameters.pop_back(); }},
      {"has a parameter (4) of 5 bytes, the kernel's has 4",
       [](auto& x) { launch_of(x).parameters[4].value.resize(5); }},
      {"has a parameter (1) which has a pointer outside of it",
       [](auto& x) { launch_of(x).parameters[1].pointers[0].at = 8; }},
      {"has a parameter (1) which has a pointer outside of it",
       [](auto& x) { launch_of(x).parameters[1].pointers[0].at = 0xfffffff8; }},
      {"has a parameter (3) which has a pointer outside of it",
       [](auto& x) { launch_of(x).parameters[3].pointers = launch_of(x).parameters[0].pointers; }},
      {"has a parameter (1) which has a pointer at a place that is no multiple of 8",
       [](auto& x) { launch_of(x).parameters[1].pointers[0].at = 1; }},
      {"has a parameter (1) which names argument 2, which is not there",
       [](auto& x) { launch_of(x).parameters[1].pointers[0].place.index = 2; }},
      {"has a parameter (1) which points behind the end of argument 0",
       [](auto& x) { launch_of(x).parameters[1].pointers[0].place.offset = vector_bytes; }},
      {"has a parameter (1) which names a place outside of argument 0",
       [](auto& x) { launch_of(x).parameters[1].pointers[0].place.offset = UINT64_MAX; }},
  };
  for (const auto& x : forgeries)
    CHECK(said_of(x) == std::string{"the launch record has an operation (0) which "} + x.said);
}

TEST_CASE("each kind of forged copy and fill is refused") {
  const forgery forgeries[]{
      {"goes on behind the end of scratch 0", [](auto& x) { copy_of(x).bytes = vector_bytes + 1; }},
      {"goes on behind the end of scratch 0", [](auto& x) { copy_of(x).bytes = UINT64_MAX; }},
      {"goes on behind the end of output 0", [](auto& x) { copy_of(x).to.offset = 1; }},
      {"names a place outside of output 0", [](auto& x) { copy_of(x).to.offset = UINT64_MAX - 3; }},
      {"names output 1, which is not there", [](auto& x) { copy_of(x).to.index = 1; }},
      {"copies scratch 0 onto itself",
       [](auto& x) {
         copy_of(x) = {{buffer_kind::scratch, 0, 0}, {buffer_kind::scratch, 0, 9}, 10};
       }},
      {"goes on behind the end of argument 1",
       [](auto& x) {
         x.operations[1] = messages::memory_fill{{buffer_kind::argument, 1, 3000}, 1001, 0};
       }},
  };
  for (const auto& x : forgeries)
    CHECK(said_of(x) == std::string{"the launch record has an operation (1) which "} + x.said);
}

TEST_CASE("a record as a whole is refused for what it has or needs") {
  const forgery forgeries[]{
      {"is of version 2, not 1", [](auto& x) { x.version = 2; }},
      {"has no operations", [](auto& x) { x.operations.clear(); }},
      {"has 16385 operations, 16384 may be", [](auto& x) { x.operations.resize(16385, x.operations[1]); }},
      {"has 257 images", [](auto& x) { x.images.resize(257); }},
      {"has 5000 buffers of scratch", [](auto& x) { x.scratch.resize(5000); }},
      {"has an image (0) which is no ELF file", [](auto& x) { x.images[0].content.clear(); }},
      {"needs more scratch than the 17179869184 bytes that it may have",
       [](auto& x) { x.scratch.push_back(99ull << 40); }},
      {"needs more scratch than the 17179869184 bytes that it may have",
       [](auto& x) { x.scratch.resize(3, UINT64_MAX - 100); }},
  };
  for (const auto& x : forgeries) CHECK(said_of(x) == std::string{"the launch record "} + x.said);
}

TEST_CASE("variables count as memory that a record needs") {
  CHECK(refusal_of(saxpy_record(), lent_vectors(), {.scratch_bytes = 4096})
        == "the launch record needs more scratch and variables than the 4096 bytes that it may have");
  CHECK(refusal_of(saxpy_record(), lent_vectors(), {.scratch_bytes = 4096 + 256}) == "");
}

TEST_CASE("scratch lies at multiples of 256 bytes") {
  launch_record x{.scratch = {1, 0, 256, 257}};
  CHECK(cuda::scratch_offsets(x) == std::vector<std::uint64_t>{0, 256, 256, 512, 1024});
}

TEST_CASE("damaged input of every kind is refused or means what it says, in bounded memory") {
  auto whole = wire::pack(saxpy_record());
  random_values random{1};
  auto asked = std::getenv("WIRE_FUZZ");
  auto rounds = asked ? std::stoul(asked) / 10 : 3000;
  std::size_t peak = 0, accepted = 0;
  auto limit = 4 * whole.size() + (1u << 20);
  for (std::size_t i = 0; i < rounds; ++i) {
    auto x = whole;
    for (auto n = 1 + random.below(4); n > 0; --n) {
      auto at = random.below(random.below(3) == 0 ? x.size() : std::min<std::size_t>(x.size(), 2000));
      if (random.below(3) == 0) at = x.size() - 1 - random.below(600);  // operations stand at the end
      x[at] = static_cast<std::byte>(random.below(3) == 0 ? 0xff : random.below(256));
    }
    if (random.below(20) == 0) x.resize(random.below(x.size()));
    peak = std::max(peak, peak_of([&] {
                      auto record = cuda::parse_record(x);
                      if (record) accepted += refusal_of(*record).empty();
                    }));
  }
  CHECK(peak < limit);
  CHECK(accepted > 0);
  CHECK(accepted < rounds);
}

TEST_CASE("records of random content never get through, and never break anything") {
  random_values random{2};
  for (int i = 0; i < 3000; ++i) {
    launch_record x;
    random.fill(x);
    x.version = 1;
    if (x.images.empty()) x.images.emplace_back();
    CHECK(refusal_of(x).starts_with("the launch record "));
    x.images = saxpy_record().images;
    refusal_of(x);
  }
}

}  // namespace launch_check_test
