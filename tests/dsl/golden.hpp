#pragma once
// What recipes write, against files.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace dsl::testing {

/// What a golden file holds; KERNELMESH_WRITE_GOLDEN in the environment writes `text` into it first.
inline std::string golden(const std::string& name, const std::string& text) {
  auto file = std::filesystem::path{KERNELMESH_SOURCE_FOLDER} / "tests/data/golden" / name;
  if (std::getenv("KERNELMESH_WRITE_GOLDEN") != nullptr) std::ofstream{file} << text;
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace dsl::testing
