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

}  // namespace cuda_device_test
