#include "configs/task_file.hpp"

#include <doctest/doctest.h>

#include "tests/configs/files.hpp"

namespace task_file_test {

using namespace configs;

namespace {

struct fixture {
  test::folder folder;
  std::string about(const std::string& name) { return "the task " + (folder.path / name).string(); }
  std::string sentence(const std::string& name, std::string_view text) {
    return test::sentence_of(read_task(folder.write(name, text)));
  }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a task has the file's name and text, and the dtype and overrides asked for") {
  auto file = folder.write("19_ReLU.py", "class Model: ...\ndef get_inputs(): ...\n");
  auto task = read_task(file, {.dtype = messages::dtype::float16, .overrides = {{"n", 4}}});
  REQUIRE(task);
  CHECK(*task
        == messages::task{.name = "19_ReLU",
                          .code = "class Model: ...\ndef get_inputs(): ...\n",
                          .dtype = messages::dtype::float16,
                          .overrides = {{"n", 4}}});
}

TEST_CASE_FIXTURE(fixture, "a file that is no task is refused with one sentence") {
  CHECK(test::sentence_of(read_task(folder.path / "x.py")) == about("x.py") + " does not exist; check the path");
  CHECK(test::sentence_of(read_task(folder.path / "a" / "x.py"))
        == about("a/x.py") + " does not exist; check the path");
  CHECK(test::sentence_of(read_task(folder.path))
        == "the task " + folder.path.string() + " is a folder; name one Python file in it");
  CHECK(sentence("e.py", "") == about("e.py") + " is empty; is it the right file?");
  CHECK(sentence("b.py", {"class Model get_inputs\0", 23})
        == about("b.py") + " is a binary file, not text; is it the right file?");
  CHECK(sentence("latin.py", "# one\n# caf\xe9\nclass Model: get_inputs\n")
        == about("latin.py") + " is not UTF-8: byte 11, in line 2, is 0xe9; save it as UTF-8");
  CHECK(sentence("cut.py", "\xef\xbb\xbf#\xc3")
        == about("cut.py") + " is not UTF-8: byte 4, in line 1, is 0xc3; save it as UTF-8");
  CHECK(sentence("l.py", std::string((4u << 20) + 1, '#'))
        == about("l.py") + " is larger than 4 MiB; is it the right file?");
  CHECK(test::sentence_of(read_task("/dev/zero")) == "the task /dev/zero is no ordinary file; name one");
  CHECK(read_task(folder.path / "x.py").error().code == messages::failure_code::bad_input);
}

TEST_CASE_FIXTURE(fixture, "a file of exactly the largest size is read") {
  auto text = "class Model get_inputs\n" + std::string((4u << 20) - 23, '#');
  CHECK(sentence("l.py", text) == "passed");
}

TEST_CASE_FIXTURE(fixture, "what a text lacks is left to those who can read Python") {
  CHECK(sentence("a.py", "def f(:\n") == "passed");
}

TEST_CASE_FIXTURE(fixture, "without a dtype a task keeps its own, with one it is cast") {
  auto file = folder.write("a.py", "class Model: ...\ndef get_inputs(): ...\n");
  auto own = read_task(file), wide = read_task(file, {.dtype = messages::dtype::float64});
  REQUIRE(own);
  REQUIRE(wide);
  CHECK(own->own_dtype);
  CHECK_FALSE(wide->own_dtype);
  CHECK(wide->dtype == messages::dtype::float64);
  CHECK_FALSE(messages::task{}.own_dtype);  // what records said that are older than the field
}

TEST_CASE("dtypes have torch's names and their short ones") {
  CHECK(parse_dtype("fp16") == messages::dtype::float16);
  CHECK(parse_dtype("half") == messages::dtype::float16);
  CHECK(parse_dtype("bf16") == messages::dtype::bfloat16);
  CHECK(parse_dtype("float32") == messages::dtype::float32);
  CHECK(test::sentence_of(parse_dtype("int8"))
        == "--dtype: no dtype is called \"int8\"; give one of \"float32\", \"float16\", \"bfloat16\" or \"float64\" (or fp32, fp16, bf16, "
           "fp64)");
  CHECK(parse_dtype("fp64") == messages::dtype::float64);
  CHECK(parse_dtype("") == std::nullopt);
}

}  // namespace task_file_test
