#pragma once
// Folders that tests write to.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dsl::testing {

/// Is removed with the object.
class temporary_folder {
public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "kernelmesh-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  void write(const std::filesystem::path& file, std::string_view text) const {
    std::filesystem::create_directories((path / file).parent_path());
    std::ofstream{path / file} << text;
  }

  std::filesystem::path path;
};

}  // namespace dsl::testing
