#pragma once
// Files of a test in a folder that goes with it.

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "configs/surroundings.hpp"

namespace test {

class folder {
public:
  folder() {
    auto name = (std::filesystem::temp_directory_path() / "kernelmesh-configs-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = std::filesystem::canonical(name);
  }
  ~folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  folder(const folder&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    auto file = path / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
    return file;
  }

  /// A program that `sh` runs.
  std::filesystem::path program(const std::string& name, const std::string& script) const {
    auto file = write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  std::filesystem::path path;
};

inline configs::surroundings around(std::map<std::string, std::string> variables,
                                    std::filesystem::path executable = "/nowhere/build/dev/kernelmesh") {
  return {.variable =
              [variables = std::move(variables)](const std::string& name) {
                auto found = variables.find(name);
                return found == variables.end() ? std::string{} : found->second;
              },
          .executable = std::move(executable)};
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The checkout that this test belongs to.
inline std::filesystem::path checkout() { return std::filesystem::path{__FILE__}.parent_path() / "../.."; }

/// The failure's sentence; "passed" where there is none.
template <class T>
std::string sentence_of(const T& result) {
  return result ? "passed" : result.error().detail;
}

}  // namespace test
