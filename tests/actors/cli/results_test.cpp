#include "actors/cli/results.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "actors/cli/outcome.hpp"
#include "actors/cli/results_folder.hpp"
#include "tests/support/scratch_folder.hpp"

namespace results_test {

using namespace actors::cli;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) { std::ofstream{file} << text; }

std::string export_of(const std::string& task) {
  return "\"\"\"" + task + ": ModelNew takes the place of the task's Model. Written by kernelmesh; needs torch.\n";
}

}  // namespace

TEST_CASE("a folder for results that nothing was written into goes again, with those above it") {
  tests::scratch_folder scratch;
  auto folder = scratch.path() / "out" / "relu";
  {
    auto ready = results_folder::prepare(folder);
    REQUIRE(ready);
    CHECK(fs::is_directory(folder));
  }
  CHECK_FALSE(fs::exists(scratch.path() / "out"));
  {
    auto ready = results_folder::prepare(folder);
    write(folder / "report.html", "text");
  }
  CHECK(fs::exists(folder / "report.html"));
  fs::remove(folder / "report.html");
  { auto ready = results_folder::prepare(folder); }
  CHECK(fs::is_directory(folder));  // it was there before
}

TEST_CASE("a place for results that can't be is a wrong flag, and says which") {
  tests::scratch_folder scratch;
  write(scratch.path() / "file", "text");
  for (const auto& wrong : {scratch.path() / "file", scratch.path() / "file" / "deeper", fs::path{"/proc/none"}}) {
    auto ready = results_folder::prepare(wrong);
    REQUIRE_FALSE(ready);
    CHECK(code_of(ready.error()) == exit_code::bad_input);
    CHECK(place_in(ready.error().detail, "optimize") == "--out");
  }
  auto file = check_place(scratch.path() / "file" / "report.html");
  REQUIRE_FALSE(file);
  CHECK(code_of(file.error()) == exit_code::bad_input);
  CHECK(check_place(scratch.path() / "report.html"));
}

TEST_CASE("an export takes the place of an earlier one and names it, and of nothing else") {
  tests::scratch_folder scratch;
  auto file = scratch.path() / "relu.py";
  auto first = write_export(file, export_of("relu"));
  REQUIRE(first);
  CHECK_FALSE(first->has_value());
  auto second = write_export(file, export_of("gelu"));
  REQUIRE(second);
  CHECK(*second == "relu");
  write(file, "class Model: pass\n");
  CHECK_FALSE(write_export(file, export_of("relu")));
}

}  // namespace results_test
