#include "actors/cli/outcome.hpp"

#include <doctest/doctest.h>

namespace outcome_test {

using actors::cli::code_of;
using actors::cli::exit_code;
using actors::cli::place_in;
using messages::failure_code;

TEST_CASE("a complaint says where: a line of a file, a flag, else the command") {
  CHECK(place_in("r.yaml:4: unknown key \"x\"\nr.yaml:9: another", "run") == "r.yaml:4");
  CHECK(place_in("--for: \"soon\" is no time; write 90s", "optimize") == "--for");
  CHECK(place_in("results can't be written to /x: no; name another folder with --out", "run") == "--out");
  CHECK(place_in("no Python was found (see --python)", "verify") == "--python");
  CHECK(place_in("the task a--b.py: does not exist -- at all", "verify") == "verify");
  CHECK(place_in("there is no device cpu:0: none", "optimize") == "optimize");
}

TEST_CASE("exit codes follow from what failed") {
  CHECK(code_of({failure_code::misconfigured, ""}) == exit_code::bad_input);
  CHECK(code_of({failure_code::not_found, ""}) == exit_code::bad_input);
  CHECK(code_of({failure_code::storage, ""}) == exit_code::infrastructure);
  CHECK(code_of({failure_code::interrupted, ""}) == exit_code::interrupted);
}

}  // namespace outcome_test
