#include "devices/calibration_file.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <filesystem>
#include <fstream>

#include "tests/support/scratch_folder.hpp"

namespace calibration_file_test {

using namespace devices;

TEST_CASE("what was measured of a device is read again, each device apart") {
  tests::scratch_folder folder;
  auto file = calibration_file(folder.path() / "calibrations", {"cpu:0"});
  CHECK(file.filename() == "cpu_0.json");
  CHECK_FALSE(read_calibration(file));
  messages::calibration measured{.of = "a machine; torch 2.15", .copy_bytes_per_second = 2e10};
  measured.fma_flops_per_second = 9e10;
  REQUIRE(write_calibration(file, measured));
  CHECK(read_calibration(file) == measured);
  CHECK_FALSE(read_calibration(calibration_file(folder.path() / "calibrations", {"cuda:0"})));
}

TEST_CASE("a file that is none, or of another form, counts as not measured") {
  tests::scratch_folder folder;
  auto file = folder.path() / "cpu_0.json";
  for (auto text : {"", "{", "[]", R"({"schema": "kernelmesh.calibration/2", "of": "x"})"}) {
    std::ofstream{file} << text;
    CHECK_FALSE(read_calibration(file));
  }
  std::filesystem::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_FALSE(read_calibration(file));  // without waiting for somebody to write into it
}

TEST_CASE("a calibration that can't be written is a failure of storage") {
  auto failed = write_calibration("/proc/none/cpu_0.json", {});
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == messages::failure_code::storage);
}

}  // namespace calibration_file_test
