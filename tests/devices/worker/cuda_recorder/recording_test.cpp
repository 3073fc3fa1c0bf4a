#include "devices/worker/cuda_recorder/recording.hpp"

#include <doctest/doctest.h>

#include "tests/devices/worker/cuda_native/samples.hpp"

namespace recording_test {

using namespace devices::worker::recorder;
using enum messages::buffer_kind;
using messages::buffer_place, messages::kernel_launch;

namespace {

constexpr address x_at = 0x7f00'0000'0000, y_at = 0x7f00'0010'0000, temporary = 0x7f00'0020'0000,
                  result = 0x7f00'0030'0000;
constexpr std::uint64_t bytes = 4000;

/// saxpy's parameters.
struct arguments {
  address out, x, y;
  float a = 2;
  int n = 1000;
};

struct fixture {
  recording seen;
  std::size_t image = seen.add_image(tests::kernels_cubin());

  fixture() {
    for (auto at : {x_at, y_at, temporary, result}) seen.allocated({at, bytes});
  }

  void begin() {
    seen.begin();
    seen.lend(0, {x_at, bytes});
    seen.lend(1, {y_at, bytes});
  }
  void launch(const arguments& x) {
    const void* parameters[]{&x.out, &x.x, &x.y, &x.a, &x.n};
    seen.launch(
        {.image = image, .kernel = "saxpy", .grid = {4}, .block = {256}, .cluster = {}, .parameters = parameters});
  }
  expected<messages::launch_record> finish() {
    memory_range output{result, bytes};
    return seen.finish({&output, 1}, "sm_90a");
  }
};

buffer_place place(const messages::launch_record& x, std::size_t operation, std::size_t parameter) {
  return std::get<kernel_launch>(x.operations[operation]).parameters[parameter].pointers.at(0).place;
}

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "addresses become places: what is lent, what the call gave back, and what it needed between") {
  begin();
  launch({temporary, x_at, y_at});
  launch({result, temporary, y_at + 8});
  auto x = finish();
  REQUIRE(x.has_value());
  REQUIRE(x->operations.size() == 2);
  CHECK(place(*x, 0, 0) == buffer_place{scratch, 0, 0});
  CHECK(place(*x, 0, 1) == buffer_place{argument, 0, 0});
  CHECK(place(*x, 1, 0) == buffer_place{output, 0, 0});
  CHECK(place(*x, 1, 1) == buffer_place{scratch, 0, 0});
  CHECK(place(*x, 1, 2) == buffer_place{argument, 1, 8});
  CHECK(x->scratch == std::vector<std::uint64_t>{bytes, 0});
  auto& launch = std::get<kernel_launch>(x->operations[0]);
  CHECK(launch.parameters[0].value == wire::bytes(8));
  CHECK(launch.parameters[3].value.size() == 4);
  CHECK(tests::refusal_of(*x) == "");
}

TEST_CASE_FIXTURE(fixture,
                  "copies and fills of the device's memory are operations, what its host's side moves is refused") {
  begin();
  seen.fill(temporary, bytes, 0);
  seen.copy(temporary, result, bytes);
  seen.copy(12345678, 87654321, 8);
  auto x = finish();
  REQUIRE(x.has_value());
  CHECK(x->operations.size() == 2);
  CHECK(std::get<messages::memory_copy>(x->operations[1]).to == buffer_place{output, 0, 0});
  seen.copy(12345678, temporary, 8);
  CHECK(finish().error() == "its host's side writes 8 bytes to the device's memory");
  begin();
  seen.copy(temporary, 12345678, 4);
  CHECK(finish().error() == "its host's side reads 4 bytes of the device's memory");
}

TEST_CASE_FIXTURE(fixture, "a call that launches nothing has no record") {
  begin();
  launch({result, x_at, y_at});
  CHECK(finish().has_value());
  begin();
  CHECK(finish().error() == "it launched nothing");
}

TEST_CASE_FIXTURE(fixture, "what was lent to an earlier call is scratch like any other memory") {
  begin();
  seen.begin();
  launch({result, x_at, y_at});
  auto x = finish();
  REQUIRE(x.has_value());
  CHECK(place(*x, 0, 1).buffer == scratch);
}

TEST_CASE_FIXTURE(fixture, "an output must lie in memory that the call used, and alone") {
  begin();
  launch({temporary, x_at, y_at});
  CHECK(finish().error() == "output 0 is not in memory that the call used");
  begin();
  launch({result + 8, result, y_at});
  memory_range part{result + 8, 100};
  CHECK(seen.finish({&part, 1}, "").error() == "output 0 shares its memory with what is none");
}

TEST_CASE_FIXTURE(fixture, "an unknown kernel and an image that can't be judged are refused with the reason") {
  begin();
  seen.launch({.image = seen.add_image(wire::bytes(100)), .kernel = "saxpy"});
  CHECK(finish().error() == "it uses an image which is no ELF file");
  begin();
  seen.launch({.image = image, .kernel = "gone"});
  CHECK(finish().error() == "it uses an image which has no kernel gone");
}

TEST_CASE_FIXTURE(fixture, "two calls may differ in bytes of parameters, but not in what they do") {
  auto recorded = [&](arguments x, address copied_from = 0) {
    begin();
    launch(x);
    if (copied_from != 0) seen.copy(copied_from, result, 8);
    return finish().value();
  };
  auto one = recorded({result, x_at, y_at, 2});
  CHECK(difference(one, recorded({result, x_at, y_at, 3})) == "");
  CHECK(difference(one, recorded({result, y_at, x_at})) == "operation 0 is another one");
  CHECK(difference(one, recorded({result, x_at, y_at}, x_at)) == "they have another number of operations");
}

}  // namespace recording_test
