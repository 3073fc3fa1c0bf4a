#include "messages/blobs/blob_store.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <latch>
#include <thread>

#include "messages/records/content_hash.hpp"
#include "messages/records/plan.hpp"
#include "tests/support/scratch_folder.hpp"

namespace blob_store_test {

namespace {

namespace fs = std::filesystem;
using blobs::blob_store;
using messages::blob_hash;
using messages::failure_code;

struct fixture {
  tests::scratch_folder folder;
  blob_store store = *blob_store::open(folder / "blobs");

  /// Files anywhere in the store, those left behind too; without the stamp of the last sweep.
  std::size_t files() const {
    std::size_t n = 0;
    for (const auto& x : fs::recursive_directory_iterator{store.folder()})
      n += x.is_regular_file() && x.path().filename() != "swept";
    return n;
  }
};

template <class T>
failure_code code_of(const messages::expected<T>& x) {
  REQUIRE(!x);
  CHECK(!x.error().detail.empty());
  return x.error().code;
}

void write(const fs::path& to, std::string_view bytes) { std::ofstream{to, std::ios::binary} << bytes; }

/// Root may write anywhere, so it steps down for a while.
struct without_privileges {
  without_privileges() : is_root(::geteuid() == 0) {
    if (is_root) REQUIRE(::seteuid(65534) == 0);
  }
  ~without_privileges() {
    if (is_root) CHECK(::seteuid(0) == 0);
  }
  bool is_root;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "what was put comes back, whatever the bytes are") {
  for (auto bytes : {std::string{}, std::string("\0\xff\n", 3), std::string(3'000'000, 'x')}) {
    auto hash = store.put(bytes);
    REQUIRE(hash);
    CHECK(hash->value == messages::content_hash(bytes));
    CHECK(store.has(*hash));
    CHECK(store.get(*hash) == bytes);
  }
  CHECK(files() == 3);
}

TEST_CASE_FIXTURE(fixture, "a blob is one read-only file, in a folder of its owner") {
  auto path = store.path_of(*store.put("abc"));
  REQUIRE(path);
  CHECK(*path == store.folder() / "06" / "b05ab6733a618578af5f94892f3950");
  CHECK((fs::status(*path).permissions() & fs::perms::mask) == fs::perms{0444});
  CHECK((fs::status(store.folder()).permissions() & fs::perms::mask) == fs::perms{0700});
}

TEST_CASE_FIXTURE(fixture, "the same bytes are kept once") {
  auto first = store.put("same");
  auto before = fs::last_write_time(*store.path_of(*first));
  CHECK(store.put("same") == first);
  CHECK(files() == 1);
  CHECK(fs::last_write_time(*store.path_of(*first)) == before);
}

TEST_CASE_FIXTURE(fixture, "a store that is opened again has what was put before") {
  auto hash = *store.put("kept");
  CHECK(blob_store::open(store.folder())->get(hash) == "kept");
}

TEST_CASE_FIXTURE(fixture, "what a crash left of a blob is removed after a day, and looked for once a day") {
  auto kept = *store.path_of(*store.put("kept"));
  auto old = kept.parent_path() / "new.aaaaaa", young = kept.parent_path() / "new.bbbbbb";
  auto leave = [&] {
    write(old, "half");
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours{25});
  };
  leave();
  write(young, "half");
  fs::last_write_time(kept, fs::file_time_type::clock::now() - std::chrono::hours{1000});
  REQUIRE(blob_store::open(store.folder()));
  CHECK(fs::exists(old));  // swept when it was made
  fs::last_write_time(store.folder() / "swept", fs::file_time_type::clock::now() - std::chrono::hours{25});
  REQUIRE(blob_store::open(store.folder()));
  CHECK(!fs::exists(old));
  CHECK(fs::exists(young));
  CHECK(fs::exists(kept));
  leave();
  REQUIRE(blob_store::open(store.folder()));
  CHECK(fs::exists(old));
}

TEST_CASE_FIXTURE(fixture, "a record comes back as it was, and a blob that is none says so") {
  messages::plan x{.remark = "r", .groups = {{.name = "g0", .recipe = "map", .knobs = {{"block", 256}}}}};
  auto hash = store.put_record(x);
  REQUIRE(hash);
  CHECK(store.get_record<messages::plan>(*hash) == x);
  CHECK(code_of(store.get_record<messages::plan>(*store.put("{"))) == failure_code::unreadable);
  CHECK(code_of(store.get_record<messages::plan>({std::string(32, '0')})) == failure_code::not_found);
}

TEST_CASE_FIXTURE(fixture, "a damaged blob is found out") {
  auto hash = *store.put("sound");
  auto path = *store.path_of(hash);
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
  write(path, "Sound");
  auto damaged = store.get(hash);
  CHECK(code_of(damaged) == failure_code::unreadable);
  CHECK(damaged.error().detail.find(path.string()) != std::string::npos);
  fs::remove(path);
  CHECK(code_of(store.get(hash)) == failure_code::not_found);
  CHECK(store.put("sound") == hash);
  CHECK(store.get(hash) == "sound");
}

TEST_CASE_FIXTURE(fixture, "a damaged blob is whole again once the same content is put") {
  auto hash = *store.put("precious");
  auto place = *store.path_of(hash);
  fs::remove(place);
  write(place, "evil");
  REQUIRE(!store.get(hash));
  REQUIRE(store.put("precious"));
  CHECK(*store.get(hash) == "precious");
}

TEST_CASE_FIXTURE(fixture, "what is not a hash is never a path") {
  write(folder / "secret", "secret");
  std::string zeros(32, '0');
  for (std::string bad : {"", "../secret", "..", "/etc/passwd", "06B05AB6733A618578AF5F94892F3950", "0"})
    CHECK_MESSAGE(code_of(store.get({bad})) == failure_code::not_found, bad);
  CHECK(code_of(store.get({zeros + "0"})) == failure_code::not_found);
  CHECK(code_of(store.path_of({"../" + zeros.substr(3)})) == failure_code::not_found);
  CHECK(!store.has({"../" + zeros.substr(3)}));
  CHECK(code_of(store.get({std::string("\0", 1) + zeros.substr(1)})) == failure_code::not_found);
}

TEST_CASE_FIXTURE(fixture, "a file is put with its contents, and one that can't be read is a storage failure") {
  write(folder / "f", std::string("a\0b", 3));
  auto hash = store.put_file(folder / "f");
  REQUIRE(hash);
  CHECK(store.get(*hash) == std::string("a\0b", 3));
  CHECK(code_of(store.put_file(folder / "missing")) == failure_code::storage);
  CHECK(code_of(store.put_file(folder)) == failure_code::storage);
}

TEST_CASE_FIXTURE(fixture, "where nothing can be written put fails, and leaves nothing behind") {
  fs::permissions(folder, fs::perms{0755});
  fs::permissions(store.folder(), fs::perms{0555});
  {
    without_privileges now;
    auto failed = store.put("abc");
    CHECK(code_of(failed) == failure_code::storage);
    CHECK(failed.error().detail.find("06") != std::string::npos);
  }
  fs::permissions(store.folder(), fs::perms{0700});
  write(store.folder() / "06", "a file where a folder must be");
  CHECK(code_of(store.put("abc")) == failure_code::storage);
  CHECK(files() == 1);
}

TEST_CASE_FIXTURE(fixture, "a folder that can't be made is a storage failure") {
  write(folder / "file", "");
  CHECK(code_of(blob_store::open(folder / "file" / "blobs")) == failure_code::storage);
  CHECK(code_of(blob_store::open(folder / "file")) == failure_code::storage);
}

TEST_CASE_FIXTURE(fixture, "many threads may put the same content at once") {
  constexpr int threads = 8;
  const std::string bytes(200'000, 'p');
  const blob_hash expected{messages::content_hash(bytes)};
  std::latch start{threads};
  std::vector<std::string> seen(threads);
  {
    std::vector<std::jthread> putting;
    for (int i = 0; i < threads; ++i)
      putting.emplace_back([&, i] {
        start.arrive_and_wait();
        auto hash = store.put(bytes);
        auto back = hash ? store.get(*hash) : messages::expected<std::string>{tl::unexpected{hash.error()}};
        seen[static_cast<std::size_t>(i)] = back ? *back : back.error().detail;
      });
  }
  for (const auto& x : seen) CHECK(x == bytes);
  CHECK(store.has(expected));
  CHECK(files() == 1);
}

}  // namespace blob_store_test
