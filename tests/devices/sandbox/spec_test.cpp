#include "devices/sandbox/spec.hpp"

#include <doctest/doctest.h>

namespace spec_test {

using namespace devices::sandbox;

TEST_CASE("a spec survives its text, with spaces in paths") {
  spec x{.readable = {"/usr", "/opt/my tools"},
         .devices = {"/dev/nvidia0"},
         .own = {"/run/hub.sock"},
         .writable = {"/work"},
         .candidate = "/work/candidate 1",
         .keep_capabilities = true,
         .processes = true,
         .exec = true,
         .profiler = true};
  CHECK(parse(to_text(x)) == x);
  CHECK(parse(to_text({})) == spec{});
}

TEST_CASE("empty lines mean nothing, and the last line needs no end") {
  CHECK(parse("\nro /usr\n\nrw /work")->writable == std::vector<std::string>{"/work"});
}

TEST_CASE("what is no item is refused with its words") {
  for (auto text :
       {"readonly /usr", "ro usr", "ro", "ro ", "rw /work/../etc", "keep-caps /x", "candidate ..", "ro/usr"})
    CHECK_MESSAGE(!parse(text).has_value(), text);
  CHECK(parse("rw tmp").error() == "a sandbox has no item \"rw tmp\"");
}

}  // namespace spec_test
