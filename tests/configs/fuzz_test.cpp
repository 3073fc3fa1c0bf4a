#include <doctest/doctest.h>
#include <random>

#include "configs/run_config.hpp"
#include "configs/section_reader.hpp"
#include "configs/system_keys.hpp"
#include "tests/configs/files.hpp"

namespace fuzz_test {

using namespace configs;

namespace {

using generator = std::mt19937_64;

std::size_t below(generator& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

/// Changes, drops, doubles and moves parts of a text.
std::string mutated(std::string text, generator& random) {
  static const std::string_view pieces[] = {": ",
                                            "\n",
                                            "- ",
                                            "[",
                                            "]",
                                            "{",
                                            "}",
                                            "&a ",
                                            "*a",
                                            "!",
                                            "\"",
                                            "'",
                                            "|",
                                            ">",
                                            "\n---\n",
                                            "#",
                                            "\t",
                                            "? ",
                                            "999999999999999999999",
                                            "-1",
                                            "~",
                                            "%",
                                            "@",
                                            "`",
                                            ",",
                                            "\xff",
                                            "\r",
                                            "null",
                                            "1e400"};
  for (auto n = 1 + below(random, 6); n > 0; --n) {
    auto at = below(random, text.size() + 1);
    auto length = below(random, std::min<std::size_t>(40, text.size() - at + 1));
    switch (random() % 5) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, pieces[below(random, std::size(pieces))]); break;
      case 2: text.insert(below(random, text.size() + 1), text.substr(at, length)); break;
      case 3: text.insert(at, 1, static_cast<char>(random())); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random());
    }
  }
  return text;
}

/// Every problem names the file; nothing is refused without a reason.
template <class T>
void check_answer(const messages::expected<T>& x, const std::string& text) {
  if (x) return;
  CHECK_MESSAGE(x.error().code == messages::failure_code::misconfigured, text);
  CHECK_MESSAGE(x.error().detail.starts_with("f.yaml"), text);
}

}  // namespace

TEST_CASE("mutated configs are read or refused with a reason") {
  generator random{20261128};
  auto system = test::text_of(test::checkout() / "configs/system/local.yaml");
  auto run = test::text_of(test::checkout() / "configs/run_example.yaml");
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    auto a = mutated(system, random);
    auto x = read_yaml<system_config>(a, "f.yaml");
    check_answer(x, a);
    auto b = mutated(run, random);
    auto y = parse_run_config(b, "f.yaml");
    check_answer(y, b);
    refused += (x ? 0 : 1) + (y ? 0 : 1);
    if (x) CHECK_MESSAGE(x->validate(), a);
    if (y) CHECK_MESSAGE(y->validate(), b);
  }
  CHECK(refused > 1000);
  CHECK(refused < 7900);
}

TEST_CASE("garbage is refused with a reason") {
  generator random{7};
  for (int i = 0; i < 3000; ++i) {
    std::string text(below(random, 200), ' ');
    bool printable = i % 2 == 0;
    for (auto& c : text) c = printable ? "{}[]:-?!&*|>'\"%@`,# \na1"[below(random, 24)] : static_cast<char>(random());
    auto x = parse_run_config(text, "f.yaml");
    CHECK_MESSAGE(!x, text);
    check_answer(x, text);
  }
}

}  // namespace fuzz_test
