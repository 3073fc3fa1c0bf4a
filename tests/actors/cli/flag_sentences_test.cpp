#include "actors/cli/flag_sentences.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace flag_sentences_test {

using namespace actors::cli;

TEST_CASE("a number that is none, or out of range, comes back with what is wanted") {
  CHECK(not_a_whole_number("5", 5, 1000).empty());
  CHECK(not_a_whole_number("18446744073709551615", 0, std::numeric_limits<std::uint64_t>::max()).empty());
  for (auto wrong : {"abc", "", "4", "1001", "-5", "5.5", " 5", "5 ", "0x7", "18446744073709551616", "\n"})
    CHECK_MESSAGE(not_a_whole_number(wrong, 5, 1000).ends_with("\" is no whole number from 5 to 1000"), wrong);
}

TEST_CASE("a name that is not known comes back with those that are, and the nearest") {
  const std::vector<std::string> names{"tune", "refine"};
  CHECK(not_one_of("tune", names).empty());
  CHECK(not_one_of("tuen", names) == "\"tuen\" is not known; write \"tune\" or \"refine\"; did you mean \"tune\"?");
  CHECK(not_one_of("luck", names) == "\"luck\" is not known; write \"tune\" or \"refine\"");
}

TEST_CASE("a stray word is a command, a flag or an argument too many") {
  const std::vector<std::string> commands{"optimize", "verify"}, flags{"--seed", "--device"};
  CHECK(sentence_of({"optimise", "", commands, flags})
        == "there is no command \"optimise\"; did you mean \"optimize\"?");
  CHECK(sentence_of({"frobnicate", "", commands, flags}) == "there is no command \"frobnicate\"");
  CHECK(sentence_of({"kernelbenhc", "bench", {"kernelbench"}, {}})
        == "there is no command \"bench kernelbenhc\"; did you mean \"kernelbench\"?");
  CHECK(sentence_of({"--sede=3", "optimize", {}, flags})
        == "kernelmesh optimize has no flag --sede; did you mean --seed?");
  CHECK(sentence_of({"--frobnicate", "", commands, flags}) == "kernelmesh has no flag --frobnicate");
  CHECK(sentence_of({"b.py", "optimize", {}, flags}) == "kernelmesh optimize takes no further argument \"b.py\"");
}

}  // namespace flag_sentences_test
