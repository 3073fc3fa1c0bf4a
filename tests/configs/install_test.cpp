#include <doctest/doctest.h>

#include "configs/install_paths.hpp"
#include "configs/state_folder.hpp"
#include "tests/configs/files.hpp"

namespace install_test {

using namespace configs;
namespace fs = std::filesystem;

namespace {

void lay_tree(const test::folder& folder, const std::string& root) {
  folder.write(root + "configs/system/local.yaml", "node: a");
  folder.write(root + "configs/check_python.py", "");
}

unsigned mode_of(const fs::path& x) { return static_cast<unsigned>(fs::status(x).permissions()) & 0777; }

}  // namespace

TEST_CASE("a checkout is found from its build folder, an install from its prefix") {
  test::folder a, b;
  lay_tree(a, "");
  lay_tree(b, "share/kernelmesh/");
  CHECK(find_install(test::around({}, a.path / "build/release/kernelmesh"))->root == a.path);
  CHECK(find_install(test::around({}, b.path / "bin/kernelmesh"))->root == b.path / "share/kernelmesh");
  CHECK(find_install(test::around({{"KERNELMESH_ROOT", a.path}}, b.path / "bin/kernelmesh"))->root == a.path);
}

TEST_CASE("this test's own checkout is found") {
  auto install = find_install();
  REQUIRE_MESSAGE(install, test::sentence_of(install));
  CHECK(fs::equivalent(install->root, test::checkout()));
  CHECK(fs::is_directory(install->worker()));
  CHECK(fs::is_directory(install->dsl()));
}

TEST_CASE("an install that is not there says what to set") {
  test::folder folder;
  CHECK(test::sentence_of(find_install(test::around({}, folder.path / "bin/kernelmesh")))
        == "kernelmesh's own files (configs/, dsl/, devices/worker/) were not found from "
               + (folder.path / "bin/kernelmesh").string() + "; set KERNELMESH_ROOT to the folder that holds them");
  CHECK(test::sentence_of(find_install(test::around({{"KERNELMESH_ROOT", folder.path}})))
        == "KERNELMESH_ROOT is " + folder.path.string()
               + ", and no configs/system/local.yaml lies there; set it to the folder of the kernelmesh checkout, or "
                 "unset it");
}

TEST_CASE("the state folder is the config's, else the environment says") {
  CHECK(state_folder_of("/s", test::around({{"KERNELMESH_HOME", "/h"}})) == fs::path{"/s"});
  CHECK(state_folder_of("", test::around({{"KERNELMESH_HOME", "/h"}, {"XDG_STATE_HOME", "/x"}})) == fs::path{"/h"});
  CHECK(state_folder_of("", test::around({{"XDG_STATE_HOME", "/x"}, {"HOME", "/me"}})) == fs::path{"/x/kernelmesh"});
  CHECK(state_folder_of("", test::around({{"HOME", "/me"}})) == fs::path{"/me/.local/state/kernelmesh"});
  CHECK(test::sentence_of(state_folder_of("", test::around({})))
        == "no place for the state folder: neither KERNELMESH_HOME, XDG_STATE_HOME nor HOME is set; set KERNELMESH_HOME "
           "to a folder");
}

TEST_CASE("a state folder is made for its owner alone, and opened again") {
  test::folder folder;
  auto path = folder.path / "a/b/state";
  CHECK(open_state_folder(path) == path);
  CHECK(mode_of(path) == 0700);
  folder.write("a/b/state/journal", "x");
  CHECK(open_state_folder(path) == path);
}

TEST_CASE("a folder that is open to others is closed if empty, refused if not") {
  test::folder folder;
  auto path = folder.path / "state";
  fs::create_directory(path);
  fs::permissions(path, fs::perms{0755});
  CHECK(open_state_folder(path));
  CHECK(mode_of(path) == 0700);
  folder.write("state/mine.txt", "x");
  fs::permissions(path, fs::perms{0755});
  CHECK(test::sentence_of(open_state_folder(path))
        == "the state folder " + path.string()
               + " is open to other users; run `chmod 700` on it if it is kernelmesh's own, else name another one with "
                 "KERNELMESH_HOME");
  CHECK(mode_of(path) == 0755);
}

TEST_CASE("who only reads makes no state folder") {
  test::folder folder;
  CHECK(state_folder_to_read(folder.path / "none") == folder.path / "none");
  CHECK_FALSE(fs::exists(folder.path / "none"));
}

TEST_CASE("a state folder that can't be made or written says why") {
  test::folder folder;
  folder.write("file", "x");
  CHECK(test::sentence_of(open_state_folder(folder.path / "file"))
        == "the state folder " + (folder.path / "file").string() + " is a file; name another one with KERNELMESH_HOME");
  CHECK(test::sentence_of(open_state_folder(folder.path / "file/state"))
        == "the state folder " + (folder.path / "file/state").string()
               + " can't be made: Not a directory; name another one with KERNELMESH_HOME");
  auto refused = open_state_folder("/proc/kernelmesh-state");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == messages::failure_code::storage);
  // A folder where nobody can make files, root neither, as on a read-only disk.
  CHECK(test::sentence_of(open_state_folder("/proc/self/task")).starts_with("the state folder /proc/self/task "));
}

}  // namespace install_test
