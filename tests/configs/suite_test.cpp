#include "configs/suite.hpp"

#include <doctest/doctest.h>

#include "messages/wire/wire.hpp"
#include "tests/configs/files.hpp"

namespace suite_test {

using namespace configs;

namespace {

std::string line_of(std::uint32_t level, std::uint32_t id, const std::string& name) {
  return wire::to_json(messages::suite_problem{level, id, name, "class Model: ...\ndef get_inputs(): ...\n"}) + '\n';
}

struct fixture {
  test::folder folder;

  std::filesystem::path lines() const {
    return folder.write("suite.jsonl", line_of(2, 1, "1_Conv") + '\n' + line_of(1, 20, "20_LeakyReLU")
                                           + line_of(1, 3, "3_Batched") + line_of(1, 19, "19_ReLU"));
  }
  std::filesystem::path checkout() const {
    folder.write("KernelBench/level1/19_ReLU.py", "relu");
    folder.write("KernelBench/level1/3_Batched.py", "batched");
    folder.write("KernelBench/level1/__init__.py", "");
    folder.write("KernelBench/level1/notes.txt", "");
    folder.write("KernelBench/level2/1_Conv.py", "conv");
    folder.write("KernelBench/changelog/v1.py", "");
    return folder.path;
  }
};

std::vector<std::string> names(const messages::expected<std::vector<messages::suite_problem>>& found) {
  REQUIRE_MESSAGE(found, found.error().detail);
  std::vector<std::string> all;
  for (const auto& x : *found) all.push_back(problem_name(x) + ' ' + x.name);
  return all;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "problems of a JSON-lines file come by level and number, empty lines left out") {
  CHECK(names(read_suite(lines()))
        == std::vector<std::string>{"kernelbench:1/3 3_Batched", "kernelbench:1/19 19_ReLU",
                                    "kernelbench:1/20 20_LeakyReLU", "kernelbench:2/1 1_Conv"});
}

TEST_CASE_FIXTURE(fixture, "problems of a checkout are the numbered Python files of its levels") {
  CHECK(names(read_suite(checkout()))
        == std::vector<std::string>{"kernelbench:1/3 3_Batched", "kernelbench:1/19 19_ReLU", "kernelbench:2/1 1_Conv"});
  CHECK(read_suite(folder.path / "KernelBench")->size() == 3);
  CHECK(read_suite(checkout())->at(1).code == "relu");
}

TEST_CASE_FIXTURE(fixture, "levels and problems can be chosen") {
  CHECK(names(read_suite(lines(), {{{1, 1}}, {{19, 25}}}))
        == std::vector<std::string>{"kernelbench:1/19 19_ReLU", "kernelbench:1/20 20_LeakyReLU"});
  CHECK(names(read_suite(checkout(), {{}, {{1, 3}}}))
        == std::vector<std::string>{"kernelbench:1/3 3_Batched", "kernelbench:2/1 1_Conv"});
}

TEST_CASE("ranges are numbers and spans of them") {
  CHECK(*parse_ranges("--problem", "1,19-25") == std::vector<number_range>{{1, 1}, {19, 25}});
  for (auto text : {"", "x", "1,", "-3", "5-", "9-2", "1;2", "1.5", "99999999999"}) {
    auto read = parse_ranges("--problem", text);
    REQUIRE_FALSE(read);
    CHECK(read.error().detail.starts_with("--problem: \""));
    CHECK(read.error().detail.ends_with("is no number or range; write 1,19-25"));
  }
}

TEST_CASE_FIXTURE(fixture, "what is no suite is refused with one sentence that says where") {
  CHECK(test::sentence_of(read_suite(folder.path / "none")).find("does not exist") != std::string::npos);
  CHECK(test::sentence_of(read_suite(folder.path)).find("has no folder KernelBench/level1") != std::string::npos);
  auto bad = folder.write("bad.jsonl", line_of(1, 1, "1_A") + "{\"level\": 1,\n");
  CHECK(test::sentence_of(read_suite(bad)).starts_with(bad.string() + ":2: "));
  auto empty = folder.write("empty.jsonl", line_of(1, 1, "1_A") + "{}\n");
  CHECK(test::sentence_of(read_suite(empty))
        == empty.string() + ":2: a problem needs level, problem_id, name and code");
  auto twice = folder.write("twice.jsonl", line_of(1, 1, "1_A") + line_of(2, 1, "1_B") + line_of(1, 1, "1_C"));
  CHECK(test::sentence_of(read_suite(twice)) == "--data has kernelbench:1/1 twice: 1_A and 1_C");
  CHECK(test::sentence_of(read_suite(lines(), {{{3, 3}}, {}})).find("has no such problem") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "a task may name a problem of the suite") {
  CHECK(names_problem("kernelbench:1/19"));
  CHECK_FALSE(names_problem("configs/tasks/relu.py"));
  CHECK(find_problem("kernelbench:1/19", lines())->name == "19_ReLU");
  CHECK(test::sentence_of(find_problem("kernelbench:1/19", {})).find("--data") != std::string::npos);
  for (auto wrong : {"kernelbench:", "kernelbench:19", "kernelbench:1/x", "kernelbench:1/", "kernelbench:/2"})
    CHECK(test::sentence_of(find_problem(wrong, lines())).find("write kernelbench:LEVEL/ID") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "a task that the suite lacks is named, without flags that bench alone has") {
  CHECK(test::sentence_of(find_problem("kernelbench:1/77", lines()))
        == lines().string() + " has no problem kernelbench:1/77; name a level and number that it has");
}

}  // namespace suite_test
