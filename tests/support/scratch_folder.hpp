#pragma once
// A folder for one test, gone when the test ends.

#include <stdlib.h>
#include <filesystem>
#include <string>

namespace tests {

class scratch_folder {
public:
  scratch_folder() {
    auto name = (std::filesystem::temp_directory_path() / "kernelmesh_test.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error{"mkdtemp", {}};
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  operator const std::filesystem::path&() const { return path_; }
  friend std::filesystem::path operator/(const scratch_folder& x, const std::string& name) { return x.path_ / name; }

private:
  std::filesystem::path path_;
};

}  // namespace tests
