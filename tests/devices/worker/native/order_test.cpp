#include "devices/worker/native/order.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "messages/wire/wire.hpp"

namespace order_test {

using namespace devices::worker::native;
using messages::dtype;

namespace {

constexpr std::uint64_t page = 4096;

/// Two arguments and an output, all of 4 x 8 floats.
order sample() {
  messages::tensor_spec matrix{dtype::float32, {4, 8}, {8, 1}};
  return {.entry = messages::c_abi_entry{.function = "run"},
          .artifact = "/tmp/library.so",
          .cores = 2,
          .lent = {page, page, page},
          .arguments = {{matrix, 256, inputs_buffer}, {matrix, 0, weights_buffer}},
          .outputs = {{matrix, 0}}};
}

std::string problem_of(const order& x) {
  auto result = parse_order(wire::pack(x));
  return result ? "" : result.error();
}

template <class F>
std::string problem_after(F change) {
  auto x = sample();
  change(x);
  return problem_of(x);
}

}  // namespace

TEST_CASE("an order is read as it was written") {
  auto x = parse_order(wire::pack(sample()));
  REQUIRE(x.has_value());
  CHECK(x->variants.at(0).function == "run");
  CHECK(x->artifact == "/tmp/library.so");
  CHECK(x->cores == 2);
  CHECK(x->variants.at(0).arguments.at(0).offset == 256);
  CHECK(x->variants.at(0).arguments.at(1).lent == weights_buffer);
  CHECK(x->variants.at(0).outputs.at(0).spec == messages::tensor_spec{dtype::float32, {4, 8}, {8, 1}});
}

TEST_CASE("a tensor may end where its buffer ends, and not an element later") {
  auto at = [](std::uint64_t offset) { return problem_after([=](order& x) { x.arguments[0].offset = offset; }); };
  CHECK(at(page - 128) == "");
  CHECK(at(page - 124) == "the order's argument 0 ends outside of its lent buffer");
  CHECK(at(UINT64_MAX - 127) == "the order's argument 0 ends outside of its lent buffer");
  CHECK(at(2) == "the order's argument 0 is not aligned");
}

TEST_CASE("each tensor lies in a buffer of its kind") {
  CHECK(problem_after([](order& x) { x.arguments[1].lent = outputs_buffer; })
        == "the order's argument 1 is not in a buffer for it");
  CHECK(problem_after([](order& x) { x.arguments[1].lent = 99; })
        == "the order's argument 1 is not in a buffer for it");
  CHECK(problem_after([](order& x) { x.outputs[0].lent = inputs_buffer; })
        == "the order's output 0 is not in a buffer for it");
}

TEST_CASE("sizes and strides that make no tensor are refused") {
  auto with = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    return problem_after([&](order& x) { x.outputs[0].spec = {dtype::float32, shape, strides}; });
  };
  CHECK(with({4, 8}, {1}) == "the order's output 0 has other dimensions than strides");
  CHECK(with({-1}, {1}) == "the order's output 0 has a size or stride of -1");
  CHECK(with({4}, {-1}) == "the order's output 0 has a size or stride of -1");
  CHECK(with({1LL << 48}, {1}) == "the order's output 0 has a size or stride of 281474976710656");
  CHECK(with({1LL << 40, 1LL << 40}, {1LL << 40, 1}) == "the order's output 0 is beyond counting");
  CHECK(with(std::vector<std::int64_t>(64, 1), std::vector<std::int64_t>(64, 1)) == "");
  CHECK(with(std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1))
        == "the order's output 0 has 65 dimensions");
}

TEST_CASE("a tensor's extent counts what its strides reach") {
  auto extent = [](dtype of, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    return extent_bytes({of, std::move(shape), std::move(strides)}).value();
  };
  CHECK(extent(dtype::float32, {4, 8}, {8, 1}) == 128);
  CHECK(extent(dtype::float32, {8, 4}, {1, 8}) == 128);
  CHECK(extent(dtype::float64, {2, 3}, {100, 1}) == 824);
  CHECK(extent(dtype::float16, {1000}, {0}) == 2);
  CHECK(extent(dtype::int64, {}, {}) == 8);
  CHECK(extent(dtype::int64, {5, 0}, {1, 1}) == 0);
}

TEST_CASE("the program of an order is checked before it is loaded") {
  CHECK(problem_after([](order& x) { x.entry = messages::python_host_entry{}; })
        == "only programs with a c_abi entry run here");
  CHECK(problem_after([](order& x) { x.entry = messages::c_abi_entry{.function = ""}; })
        == "the order names no function");
  CHECK(problem_after([](order& x) { x.entry = messages::c_abi_entry{.abi = 2}; })
        == "the function is of version 2, not 1");
  CHECK(problem_after([](order& x) { x.artifact = ""; }) == "");
  CHECK(problem_after([](order& x) { x.artifact = "libm.so"; }) == "the order names no library by an absolute path");
  CHECK(problem_after([](order& x) { x.cores = 0; }) == "the order has 0 cores");
  CHECK(problem_after([](order& x) { x.lent = {page}; }) == "the order lends 1 buffers");
}

TEST_CASE("an order for several shapes has a function for each, whose tensors are checked as well") {
  auto x = sample();
  messages::tensor_spec row{dtype::float32, {8}, {1}};
  x.variants = {{"run_0", x.arguments, x.outputs}, {"run_1", {{row, 0, inputs_buffer}}, {{row, 0}}}};
  x.arguments.clear(), x.outputs.clear();
  auto read = parse_order(wire::pack(x));
  REQUIRE(read.has_value());
  REQUIRE(read->variants.size() == 2);
  CHECK(read->variants[1].function == "run_1");
  CHECK(read->variants[1].outputs.at(0).spec == row);
  x.variants[1].outputs[0].offset = page;
  CHECK(problem_of(x) == "the order's output 0 ends outside of its lent buffer");
  x.variants[1].outputs[0].offset = 0;
  x.variants[1].function.clear();
  CHECK(problem_of(x) == "the order names no function");
}

TEST_CASE("what is no order is refused with its place") {
  auto text = wire::pack(sample());
  text.pop_back();
  CHECK(parse_order(text).error().starts_with("the order can't be read: cut off at byte"));
  CHECK(parse_order({}).error().starts_with("the order can't be read: "));
  CHECK(read_order(-1).error() == "there is no order: Bad file descriptor");
}

TEST_CASE("an order in a file is read from the start, and its descriptor closed") {
  auto text = wire::pack(sample());
  auto file = memfd_create("order", MFD_CLOEXEC);
  REQUIRE(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  auto x = read_order(file);
  REQUIRE(x.has_value());
  CHECK(x->variants.at(0).function == "run");
  CHECK(close(file) == -1);
}

}  // namespace order_test
