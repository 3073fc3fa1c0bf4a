#include "devices/cuda/cuda_device.hpp"

#include <fstream>

#include <doctest/doctest.h>

#include "tests/support/scratch_folder.hpp"

namespace cuda_device_test {

using namespace devices::cuda;

TEST_CASE("a GPU's nodes are found by their names, in their order") {
  tests::scratch_folder folder;
  for (auto name : {"nvidiactl", "null", "nvidia0", "nvidia-uvm"}) std::ofstream{folder / name} << 'x';
  std::vector<std::filesystem::path> wanted{folder / "nvidia-uvm", folder / "nvidia0", folder / "nvidiactl"};
  CHECK(look_for_cuda(folder.path()).nodes == wanted);
  CHECK(look_for_cuda(folder / "none").nodes.empty());
}

TEST_CASE("a GPU that is not there is said with what to do") {
  cuda_surroundings two{.nodes = {"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia-uvm", "/dev/nvidiactl"}};
  CHECK(check_number({"cuda:1"}, two, nullptr));
  CHECK_FALSE(check_number({"cuda:2"}, two, nullptr));
  CHECK(check_number({"cuda:0"}, two, "1"));
  CHECK_FALSE(check_number({"cuda:1"}, two, "1"));
  CHECK_FALSE(check_number({"cuda:0"}, two, ""));
  auto failure = check_number({"cuda:0"}, {}, nullptr).error();
  CHECK(failure.code == messages::failure_code::no_resource);
  CHECK(failure.detail.find("nvidia-smi -L") != failure.detail.npos);
}

TEST_CASE("what is no number, or another spelling of one, is no GPU") {
  cuda_surroundings two{.nodes = {"/dev/nvidia0", "/dev/nvidia1"}};
  for (auto name : {"cuda:-1", "cuda:00", "cuda:+1", "cuda: 1", "cuda:1 ", "cuda:x", "cuda:", "cuda", "cuda:0x1"})
    CHECK_MESSAGE(check_number({name}, two, nullptr).error().code == messages::failure_code::misconfigured, name);
}

}  // namespace cuda_device_test
