#include "configs/candidate_file.hpp"

#include <doctest/doctest.h>

#include "tests/configs/files.hpp"

namespace candidate_file_test {

using namespace configs;
namespace fs = std::filesystem;

namespace {

struct fixture {
  test::folder folder;
  fs::path candidate = folder.path / "k";
  blobs::blob_store blobs = *blobs::blob_store::open(folder.path / "blobs");

  /// Of the folder `k` with this manifest.
  std::string sentence(const std::string& manifest, const candidate_limits& limits = {}) {
    folder.write("k/manifest.json", manifest);
    auto x = read_candidate(candidate, blobs, limits);
    if (!x) CHECK(x.error().code == messages::failure_code::bad_input);
    return test::sentence_of(x);
  }
  std::string with_source(const std::string& path) {
    return sentence(R"({"dsl":"cpp","entry":{"c_abi":{}},"sources":[{"path":")" + path + "\"}]}");
  }
  std::string manifest() { return "the manifest " + (candidate / "manifest.json").string(); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a Python file with ModelNew becomes a python_host candidate") {
  auto x = read_candidate(folder.write("new.py", "class ModelNew: pass\n"), blobs);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  CHECK(x->dsl == "imported");
  CHECK(x->origin == messages::candidate_origin::imported);
  CHECK(std::get<messages::python_host_entry>(x->entry) == messages::python_host_entry{});
  REQUIRE(x->sources.size() == 1);
  CHECK(x->sources[0].path == "model.py");
  CHECK(blobs.get(x->sources[0].blob) == "class ModelNew: pass\n");
}

TEST_CASE_FIXTURE(fixture, "equal programs are one candidate whatever their files are called") {
  auto a = read_candidate(folder.write("a.py", "class ModelNew: pass\n"), blobs);
  auto b = read_candidate(folder.write("b.py", "class ModelNew: pass\n"), blobs);
  auto c = read_candidate(folder.write("c.py", "class ModelNew: ...\n"), blobs);
  CHECK(messages::identify(*a) == messages::identify(*b));
  CHECK(messages::identify(*a) != messages::identify(*c));
}

TEST_CASE_FIXTURE(fixture, "a file that is no candidate is refused with one sentence") {
  auto about = [&](const std::string& name) { return "the candidate " + (folder.path / name).string(); };
  auto of = [&](const std::string& name, std::string_view text) {
    return test::sentence_of(read_candidate(folder.write(name, text), blobs));
  };
  CHECK(test::sentence_of(read_candidate(folder.path / "x.py", blobs))
        == about("x.py") + " does not exist; check the path");
  CHECK(of("e.py", "") == about("e.py") + " is empty; is it the right file?");
  CHECK(of("lib.so", {"\x7f"
                      "ELF\0",
                      5})
        == about("lib.so") + " is a binary file, not text; is it the right file?");
  CHECK(of("m.py", "class Model: pass")
        == about("m.py") + " has no class \"ModelNew\"; name the kernel's torch.nn.Module so");
  CHECK(of("l.py", std::string((4u << 20) + 1, ' ')) == about("l.py") + " is larger than 4 MiB; is it the right file?");
}

TEST_CASE_FIXTURE(fixture, "a folder's manifest is read with its sources") {
  folder.write("k/src/kernel.cpp", "int x;");
  folder.write("k/launches.json", {"\0\1", 2});
  folder.write("k/manifest.json",
               R"({"version":1,"dsl":"cpp","entry":{"c_abi":{"function":"run"}},"plan":"00","parents":["p"],
                   "origin":"rules","sources":[{"path":"src/kernel.cpp"},{"path":"launches.json"}]})");
  auto x = read_candidate(candidate, blobs);
  REQUIRE_MESSAGE(x, test::sentence_of(x));
  CHECK(x->dsl == "cpp");
  CHECK(std::get<messages::c_abi_entry>(x->entry).function == "run");
  CHECK(blobs.get(x->sources[0].blob) == "int x;");
  CHECK(blobs.get(x->sources[1].blob) == std::string{"\0\1", 2});
  CHECK(x->origin == messages::candidate_origin::imported);
  CHECK(x->plan.value.empty());
  CHECK(x->parents.empty());
}

TEST_CASE_FIXTURE(fixture, "a folder without a manifest says so") {
  fs::create_directories(candidate);
  CHECK(test::sentence_of(read_candidate(candidate, blobs))
        == "the candidate folder " + candidate.string()
               + " has no manifest.json; add one, or name a Python file with ModelNew");
}

TEST_CASE_FIXTURE(fixture, "a manifest that is not of the form is refused") {
  CHECK(sentence("{").starts_with(manifest() + " can't be read: "));
  CHECK(sentence("[1]").starts_with(manifest() + " can't be read: "));
  CHECK(sentence("{\"dsl\": 5}").starts_with(manifest() + " can't be read: dsl: "));
  CHECK(sentence("{\"entry\": {\"magic\": {}}}").starts_with(manifest() + " can't be read: entry"));
  CHECK(sentence("") == manifest() + " is empty; is it the right file?");
  CHECK(sentence("{}") == manifest() + " needs \"dsl\", the name of the language that it is written in");
  CHECK(sentence(R"({"dsl":"../x"})") == manifest() + " needs \"dsl\", the name of the language that it is written in");
  CHECK(sentence(R"({"dsl":"cpp","version":2})")
        == manifest() + " is of version 2, and this kernelmesh reads version 1; use a newer kernelmesh");
  CHECK(sentence(R"({"dsl":"cpp"})") == manifest() + " lists no \"sources\"; list each file with its \"path\"");
  folder.write("k/a.cpp", "x");
  CHECK(sentence(R"({"dsl":"cpp","sources":[{"path":"a.cpp"},{"path":"a.cpp"}]})")
        == manifest() + " lists \"a.cpp\" twice; remove one of them");
  CHECK(sentence(R"({"dsl":"t","entry":{"python_host":{}},"sources":[{"path":"a.cpp"}]})")
        == manifest() + " has the entry \"model.py\", which is not among its sources; add it there");
}

TEST_CASE_FIXTURE(fixture, "no source is read from outside the folder") {
  folder.write("secret", "s");
  folder.write("k/a.cpp", "x");
  auto refused = [&](const std::string& path) {
    return manifest() + " names the source \"" + path + "\"; paths must be relative, without \"..\"";
  };
  for (std::string path : {"../secret", "/etc/passwd", "a/../../secret", "", ".", "./a.cpp", "a//b", "a/"})
    CHECK(with_source(path) == refused(path));
  fs::create_symlink("../secret", candidate / "link");
  fs::create_directory_symlink("..", candidate / "up");
  fs::create_symlink("a.cpp", candidate / "inner");
  auto outside = [&](const std::string& path) {
    return "the source " + (candidate / path).string() + " leads out of " + candidate.string()
           + "; put the file itself into the folder";
  };
  CHECK(with_source("link") == outside("link"));
  CHECK(with_source("up/secret") == outside("up/secret"));
  CHECK(with_source("inner") == "passed");
  REQUIRE(::mkfifo((candidate / "pipe").c_str(), 0600) == 0);
  CHECK(with_source("pipe") == "the source " + (candidate / "pipe").string() + " is no ordinary file; name one");
  CHECK(with_source("gone") == "the source " + (candidate / "gone").string() + " does not exist; check the path");
}

TEST_CASE_FIXTURE(fixture, "a manifest that is a link out of its folder is not followed") {
  folder.write("other.json", R"({"dsl":"cpp"})");
  fs::create_directories(candidate);
  fs::create_symlink("../other.json", candidate / "manifest.json");
  CHECK(test::sentence_of(read_candidate(candidate, blobs))
        == manifest() + " leads out of " + candidate.string() + "; put the file itself into the folder");
}

TEST_CASE_FIXTURE(fixture, "sizes and numbers of sources are bounded") {
  folder.write("k/a", std::string(100, 'a'));
  folder.write("k/b", std::string(100, 'b'));
  auto both = R"({"dsl":"cpp","sources":[{"path":"a"},{"path":"b"}]})";
  CHECK(sentence(both, {.source_bytes = 99})
        == "the source " + (candidate / "a").string() + " is larger than 99 bytes; is it the right file?");
  CHECK(sentence(both, {.total_bytes = 150})
        == "the sources of the candidate " + candidate.string()
               + " are larger than 150 bytes; leave out what it does not need");
  CHECK(sentence(both, {.sources = 1}) == manifest() + " lists 2 sources; at most 1 are allowed");
  CHECK(sentence(both, {.manifest_bytes = 10}) == manifest() + " is larger than 10 bytes; is it the right file?");
}

TEST_CASE_FIXTURE(fixture, "a source that differs from the manifest's hash is refused") {
  folder.write("k/a", "new");
  auto old = blobs.put("old")->value;
  auto manifest_of = [&](const std::string& hash) {
    return R"({"dsl":"cpp","sources":[{"path":"a","blob":")" + hash + "\"}]}";
  };
  CHECK(sentence(manifest_of(old))
        == "the source " + (candidate / "a").string()
               + " is not what its manifest says (\"blob\"); copy the folder again, or remove \"blob\"");
  CHECK(sentence(manifest_of(blobs.put("new")->value)) == "passed");
}

}  // namespace candidate_file_test
