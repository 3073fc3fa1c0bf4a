#include <doctest/doctest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "configs/python_search.hpp"
#include "configs/short_process.hpp"
#include "messages/wire/wire.hpp"
#include "tests/configs/files.hpp"

namespace python_test {

using namespace configs;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const std::string all_there =
    R"(echo warning; printf '%s\n' 'kernelmesh-python {"python":"3.11.7","versions":{"torch":"2.9.0+cpu","numpy":"2.1","zmq":"26","msgpack":"1.1"},"missing":{}}')";
const std::string no_torch =
    R"(printf '%s\n' 'kernelmesh-python {"python":"3.12.1","versions":{"numpy":"2.1"},"missing":{"msgpack":"ImportError: bad\nline","torch":"ModuleNotFoundError: No module named torch","zmq":"PackageNotFoundError: pyzmq"}}')";

python_check_options script(const fs::path& file = "check.py") { return {.limit = 10s, .script = file}; }
std::string sentence(const fs::path& python) { return test::sentence_of(check_python(python, script())); }

std::string remedy(const fs::path& python) {
  return "; run scripts/quickstart, or `" + python.string()
         + " -m pip install \"torch>=2.4\" numpy pyzmq msgpack`, or point to another one with --python";
}

}  // namespace

TEST_CASE("a Python with all packages passes and says its versions") {
  test::folder folder;
  auto report = check_python(folder.program("python", all_there), script());
  REQUIRE_MESSAGE(report, test::sentence_of(report));
  CHECK(report->python == "3.11.7");
  CHECK(report->versions.at("torch") == "2.9.0+cpu");
}

TEST_CASE("a Python without packages says which, in one sentence with the remedy") {
  test::folder folder;
  auto python = folder.program("python", no_torch);
  CHECK(sentence(python)
        == "the Python " + python.string()
               + " can't run workers: msgpack does not load (ImportError: bad\\nline), no torch, no pyzmq"
               + remedy(python));
}

TEST_CASE("old versions are told from new ones") {
  CHECK(version_at_least("2.4.0", 2, 4));
  CHECK(version_at_least("2.15.0a0+git", 2, 4));
  CHECK(version_at_least("3", 2, 4));
  CHECK_FALSE(version_at_least("2.3.1", 2, 4));
  CHECK_FALSE(version_at_least("1.13", 2, 4));
  CHECK_FALSE(version_at_least("unknown", 2, 4));
  python_report old{.python = "3.8.10", .versions = {{"torch", "2.1.0"}}, .missing = {}};
  CHECK(shortcomings(old) == "is version 3.8.10, and 3.11 is needed, torch 2.1.0, and 2.4 is needed");
  CHECK(shortcomings({.python = "3.10.12", .versions = {}, .missing = {}}) == "is version 3.10.12, and 3.11 is needed");
  CHECK(shortcomings({.python = "3.11.0", .versions = {}, .missing = {}}).empty());
}

TEST_CASE("what is no Python, does not answer or is not there is told apart") {
  test::folder folder;
  auto python = folder.program("python", "echo 'no such option'; exit 3");
  CHECK(sentence(python)
        == "the Python " + python.string()
               + " gave no answer, its last line is \"no such option\"; is it a Python? Point to another one with "
                 "--python");
  CHECK(
      sentence("/nowhere/python")
      == "the Python /nowhere/python can't be started: No such file or directory; point to another one with --python");
  auto silent = folder.program("silent", "exec sleep 1000");
  CHECK(test::sentence_of(check_python(silent, {.limit = 50ms, .script = "x"}))
        == "the Python " + silent.string() + " did not answer within 50 ms; point to another one with --python");
  auto odd = folder.program("odd", "echo 'kernelmesh-python [1'");
  CHECK(sentence(odd).starts_with("the Python " + odd.string() + " gave an unreadable answer: "));
}

TEST_CASE("a short process leaves nothing behind and is bounded in output") {
  test::folder folder;
  auto ended = run_briefly({folder.program("many", "sleep 1000 & echo $!; exec head -c 1000000 /dev/zero")}, 10s);
  CHECK(ended.exit_code == 0);
  CHECK(ended.output.size() == 64u << 10);
  auto child = static_cast<::pid_t>(std::stol(ended.output));
  auto handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  ::pollfd death{handle, POLLIN, 0};
  CHECK((handle < 0 || ::poll(&death, 1, 10'000) == 1));
  if (handle >= 0) ::close(handle);
  CHECK(run_briefly({folder.program("fails", "exit 7")}, 10s).exit_code == 7);
}

TEST_CASE("the script that asks finds packages and reports broken ones") {
  test::folder folder;
  REQUIRE(fs::exists("/usr/bin/python3"));
  folder.write("torch.py", "__version__ = '2.6.0'\n");
  folder.write("numpy.py", "raise RuntimeError('built for another numpy')\n");
  folder.write("zmq.py", "print('hello'); __version__ = '26.0'\n");
  folder.write("msgpack.py", "version = (1, 1, 0)\n");
  auto check = test::checkout() / "configs/check_python.py";
  auto python = folder.program("python", "PYTHONPATH=" + folder.path.string() + " exec /usr/bin/python3 \"$@\"");
  auto report = ask_python(python, script(check));
  REQUIRE_MESSAGE(report, test::sentence_of(report));
  CHECK(report->versions.at("torch") == "2.6.0");
  CHECK(report->versions.at("zmq") == "26.0");
  CHECK(report->missing.at("numpy") == "RuntimeError: built for another numpy");
  CHECK(report->python.starts_with("3."));
}

TEST_CASE("Pythons are searched in the documented order") {
  test::folder folder;
  auto flag = folder.program("flag/python", "");
  auto venv = folder.program("venv/bin/python", "");
  auto own = folder.program(".venv/bin/python", "");
  auto path = folder.program("path/python3", "");
  auto around =
      test::around({{"VIRTUAL_ENV", folder.path / "venv"}, {"PATH", "/nowhere::" + (folder.path / "path").string()}});
  std::vector<std::string> found;
  for (auto& x : python_places(flag, "/configured/python", {folder.path}, around))
    found.push_back(x.named_by + " " + x.path.string() + (x.by_user ? " !" : ""));
  CHECK(found
        == std::vector<std::string>{"--python " + flag.string() + " !", "worker.python /configured/python !",
                                    "$VIRTUAL_ENV " + venv.string(), "kernelmesh's own .venv " + own.string(),
                                    "python3 on PATH " + path.string()});
  CHECK(python_places("python3", "", {"/nowhere"}, around)[0].path == path);
  CHECK(python_places(folder.path / "venv", "", {"/nowhere"}, around)[0].path == venv);
  CHECK(python_places("", "", {"/nowhere"}, test::around({})).empty());
}

TEST_CASE("the first Python that can run workers is taken") {
  test::folder folder;
  std::vector<python_place> places{{folder.program("a", no_torch), "$VIRTUAL_ENV"},
                                   {folder.program("b", all_there), "python3 on PATH"}};
  auto check = [](const fs::path& x) { return check_python(x, script()); };
  auto found = find_python(places, check);
  REQUIRE_MESSAGE(found, test::sentence_of(found));
  CHECK(found->place.path == places[1].path);
}

TEST_CASE("a Python that the user named is refused, never passed over") {
  test::folder folder;
  auto good = folder.program("b", all_there);
  auto bad = folder.program("a", no_torch);
  auto check = [](const fs::path& x) { return check_python(x, script()); };
  CHECK(test::sentence_of(find_python({{bad, "--python", true}, {good, "$VIRTUAL_ENV"}}, check)) == sentence(bad));
  CHECK(test::sentence_of(find_python({{"/nowhere", "worker.python", true}, {good, "$VIRTUAL_ENV"}}, check))
        == "the Python /nowhere (worker.python) is no program that can be run; run scripts/quickstart, or point to a "
           "Python that has torch>=2.4, numpy, pyzmq and msgpack with --python");
}

TEST_CASE("where no Python will do, what each lacks is said once, and the remedy") {
  test::folder folder;
  auto bad = folder.program("a", no_torch);
  auto check = [](const fs::path& x) { return check_python(x, script()); };
  CHECK(test::sentence_of(find_python({{bad, "$VIRTUAL_ENV"}}, check))
        == "no Python can run workers ($VIRTUAL_ENV: the Python " + bad.string()
               + " can't run workers: msgpack does not load (ImportError: bad\\nline), no torch, no pyzmq); run "
                 "scripts/quickstart, or point to a Python that has torch>=2.4, numpy, pyzmq and msgpack with --python");
  CHECK(test::sentence_of(find_python({}, check))
        == "no Python was found; run scripts/quickstart, or point to a Python that has torch>=2.4, numpy, pyzmq and "
           "msgpack with --python");
}

}  // namespace python_test
