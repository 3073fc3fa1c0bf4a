#include "actors/cli/program.hpp"

#include <doctest/doctest.h>

namespace program_test {

using namespace actors::cli;

TEST_CASE(
    "a command that is printed works when pasted: by the name that was found through PATH, else as it was called") {
  called_as("build/release/kernelmesh");
  CHECK(hint("status") == "`build/release/kernelmesh status`");
  called_as("/opt/my tools/kernelmesh");
  CHECK(hint("resume r") == "`'/opt/my tools/kernelmesh' resume r`");
  called_as("kernelmesh");
  CHECK(hint("status") == "`kernelmesh status`");
  called_as("");
  CHECK(program() == "kernelmesh");
}

TEST_CASE("a shell takes a quoted word as one") {
  CHECK(in_shell_words("it's") == "'it'\\''s'");
  CHECK(in_shell_words("") == "''");
}

}  // namespace program_test
