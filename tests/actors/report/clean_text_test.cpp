#include "actors/report/clean_text.hpp"

#include <doctest/doctest.h>

namespace clean_text_test {

using namespace actors::report;

TEST_CASE("terminal sequences go as a whole and newlines stay") {
  CHECK(clean("a\x1B[31;1mred\x1B[0m\nb\tc") == "ared\nb\tc");
  CHECK(clean("\x1B]0;title\adone\x1B]8;;http://x\x1B\\y") == "doney");
  CHECK(clean("a\rb\x07\x7F\xC2\x9B"
              "c")
        == "abc");
  CHECK(clean("\x1B[") == "");
  CHECK(clean("\x1B") == "");
}

TEST_CASE("marks that reorder or hide text go") {
  CHECK(clean("a\xE2\x80\xAE"
              "b\xE2\x81\xA6"
              "c\xE2\x80\x8B"
              "d\xEF\xBB\xBF")
        == "abcd");
}

TEST_CASE("what is not UTF-8 is replaced byte by byte") {
  CHECK(clean("\xFF" "a") == "\xEF\xBF\xBD" "a");
  CHECK(clean("\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  CHECK(clean("\xED\xA0\x80").size() == 9);                // a surrogate
  CHECK(clean("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut off
  CHECK(clean("\xC3\xA9\xE2\x82\xAC") == "\xC3\xA9\xE2\x82\xAC");
}

TEST_CASE("a line is one line, cut between characters") {
  CHECK(clean_line("a\nb\tc") == "a b c");
  CHECK(clean_line("\xC3\xA9\xC3\xA9", 3) == "\xC3\xA9...");
  CHECK(clean_line(std::string(1'000'000, 'x'), 10) == "xxxxxxxxxx...");
  CHECK(clean_block("ab\xC3\xA9", 3) == "ab");
}

TEST_CASE("what HTML gives a meaning is escaped") {
  CHECK(html_escape("<a href=\"x\" id='y'>&") == "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
}

TEST_CASE("text is broken between words and counted in characters") {
  CHECK(wrapped("aa bb cc", 5, "") == "aa bb\ncc");
  CHECK(wrapped("aa bb cc", 7, "  ") == "aa bb\n  cc");
  CHECK(width_of("\xC3\xA9"
                 "a")
        == 2);
}

}  // namespace clean_text_test
