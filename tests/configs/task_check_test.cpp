#include "configs/task_check.hpp"

#include <doctest/doctest.h>

#include "tests/configs/files.hpp"

namespace task_check_test {

using namespace configs;
using namespace std::chrono_literals;

namespace {

/// A Python that answers so, whatever it is asked.
struct answering {
  test::folder folder;
  std::string sentence(const std::string& script, const std::vector<task_to_check>& tasks) {
    return test::sentence_of(check_tasks(tasks, {.python = folder.program("python", script), .limit = 10s}));
  }
};

const std::string two_are_wrong =
    R"(echo warning; printf '%s\n' 'kernelmesh-task {"file":"/b","line":3,"message":"no good"}' 'kernelmesh-task {"file":"/c","line":0,"message":"no Model"}')";

}  // namespace

TEST_CASE("each task that its text tells to be wrong is named with its line") {
  answering python;
  CHECK(python.sentence(two_are_wrong, {{"a.py", "/a"}, {"b.py", "/b"}, {"c.py", "/c"}})
        == "b.py:3: no good\nthe task c.py: no Model");
}

TEST_CASE("a task is named once however often it is asked about") {
  answering python;
  CHECK(python.sentence(two_are_wrong, {{"b.py", "/b"}, {"again.py", "/b"}}) == "b.py:3: no good");
}

TEST_CASE("without a problem, or without an answer, tasks are left to the judge") {
  test::folder folder;
  for (auto script : {"exit 0", "exit 1", "echo 'kernelmesh-task {'", "kill -9 $$"}) {
    auto done = check_tasks({{"a.py", "/a"}}, {.python = folder.program("python", script), .limit = 10s});
    CHECK_MESSAGE(done, script);
  }
  CHECK(check_tasks({{"a.py", "/a"}}, {.python = "/no/python"}));
  CHECK(check_tasks({{"a.py", "/a"}}, {.python = folder.program("slow", "sleep 60"), .limit = 50ms}));
}

}  // namespace task_check_test
