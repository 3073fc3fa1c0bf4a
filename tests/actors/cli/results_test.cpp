#include "actors/cli/results.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

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

TEST_CASE("an export waits for no pipe in its place") {
  tests::scratch_folder scratch;
  auto pipe = scratch.path() / "relu.py";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  auto written = write_export(pipe, export_of("relu"));
  REQUIRE_FALSE(written);
  CHECK(code_of(written.error()) == exit_code::bad_input);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("what is written to a link goes to the file behind it, and the link stays") {
  tests::scratch_folder scratch;
  auto file = scratch.path() / "report.html", link = scratch.path() / "link", second = scratch.path() / "second";
  write(file, "old");
  fs::create_symlink("report.html", link);
  fs::create_symlink("link", second);
  REQUIRE(write_file(second, "new"));
  CHECK(fs::is_symlink(second));
  CHECK(fs::is_symlink(link));
  std::ifstream in{file};
  CHECK(std::string{std::istreambuf_iterator<char>{in}, {}} == "new");
  fs::remove(file);
  CHECK_FALSE(write_file(second, "new"));  // leads nowhere
  CHECK(fs::is_symlink(second));
}

}  // namespace results_test
