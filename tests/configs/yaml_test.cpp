#include "configs/yaml.hpp"

#include <doctest/doctest.h>

namespace yaml_test {

using namespace configs;

namespace {

std::string problem_of(std::string_view text, const yaml_limits& limits = {}) {
  auto root = parse_yaml(text, limits);
  if (root) return "passed";
  return std::to_string(root.error().at.line) + ": " + root.error().sentence;
}

}  // namespace

TEST_CASE("a tree keeps lines, columns, order and quotes") {
  auto root = parse_yaml("a: 1\nb:\n  - x\n  - \"2\"\nc: {d: cpu:0}\ne:\n");
  REQUIRE(root);
  CHECK(root->keys == std::vector<std::string>{"a", "b", "c", "e"});
  CHECK(root->items[0].text == "1");
  CHECK(root->items[0].at == position{1, 4});
  CHECK(root->items[1].items[1].at == position{4, 5});
  CHECK(root->items[1].items[1].quoted);
  CHECK_FALSE(root->items[1].items[0].quoted);
  CHECK(root->items[2].items[0].text == "cpu:0");
  CHECK(root->items[3].kind == yaml_kind::null);
  CHECK(root->items[3].at.line == 6);
}

TEST_CASE("an alias repeats what its anchor names") {
  auto root = parse_yaml("a: &x {k: [1, 2]}\nb: *x\n");
  REQUIRE(root);
  CHECK(root->items[1].items[0].items[1].text == "2");
}

TEST_CASE("a text that is no YAML is refused with its line and column") {
  CHECK(problem_of("a: [1, 2\nb: 3\n")
        == "2: no valid YAML at column 2 (end of sequence flow not found); check indentation, quotes and brackets");
  CHECK(problem_of("a: b: c\n")
        == "1: no valid YAML at column 5 (illegal map value); check indentation, quotes and brackets");
  CHECK(problem_of("a: *nobody\n")
        == "1: no valid YAML at column 4 (the referenced anchor is not defined); check indentation, quotes and "
           "brackets");
}

TEST_CASE("what configs do not need is refused") {
  CHECK(problem_of("a: 1\n---\nb: 2\n") == "2: a second document starts here; put it into a file of its own");
  CHECK(problem_of("a: !!int 5\n") == "1: tags (\"!!int\") are not understood; write the value alone");
  CHECK(problem_of("? [a]\n: 5\n") == "1: a key is a list or a map; a key must be a name");
  CHECK(problem_of("a: &x [*x]\n") == "1: an alias stands inside what it repeats; write it out");
  CHECK(problem_of("a: &x b\n*x : 1\n") == "2: an alias can't be a key; write the name out");
  CHECK(problem_of("~: 1\n") == "1: a key is empty; give it a name");
}

TEST_CASE("a bomb of aliases ends at the limit of nodes and of bytes") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    auto before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  CHECK(problem_of(bomb) == "5: too much content, with what aliases repeat; split the file");
  auto wide = "a: &a " + std::string(500'000, 'x') + "\nb: [";
  for (int i = 0; i < 1000; ++i) wide += "*a, ";
  CHECK(problem_of(wide + "]\n") == "2: too much content, with what aliases repeat; split the file");
}

TEST_CASE("nesting is bounded, and a file's size") {
  CHECK(problem_of("a: " + std::string(40, '[') + std::string(40, ']'))
        == "1: more than 32 levels of nesting; flatten it");
  CHECK(problem_of("a: " + std::string(100'000, '[')) != "passed");
  CHECK(problem_of(std::string(2'000'000, '#')) == "0: the file is larger than 1 MiB; split it");
}

TEST_CASE("stray punctuation ends") {
  for (auto text : {", , , ,", "]", "}", ": :", "- - -", "? ? ?", "%", "---\n---\n---", "|", ">", "@", "`", "\t- a"})
    CHECK_NOTHROW(problem_of(text));
}

}  // namespace yaml_test
