#include "devices/worker/worker_python.hpp"

#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

namespace worker_python_test {

using namespace devices::worker;

namespace {

std::string protocol() {
  std::ostringstream text;
  text << std::ifstream{std::filesystem::path{KERNELMESH_SOURCES} / "devices/worker/PROTOCOL.md"}.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the protocol names every variable that a worker is given") {
  auto text = protocol();
  for (auto name : {"LC_ALL", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) ::setenv(name, "x", 0);
  worker_python python{.sandbox = {.level = "namespaces"}};
  for (auto role : {worker_role::judge, worker_role::compiler})
    for (const auto& line : worker_environment(python, role, "/folder")) {
      auto name = line.substr(0, line.find('='));
      CHECK_MESSAGE((text.find("`" + name + "`") != text.npos || text.find("`" + name + "=") != text.npos), name);
    }
}

}  // namespace worker_python_test
