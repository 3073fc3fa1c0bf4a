#include "actors/journal.hpp"

#include <sys/stat.h>
#include <fstream>
#include <random>
#include <thread>

#include "actors/journal_file.hpp"
#include "tests/support/database.hpp"
#include "tests/support/deterministic.hpp"
#include "tests/support/scratch_folder.hpp"

namespace journal_test {

using namespace messages;
using actors::journal_file;
using mode = actors::journal_file::mode;

namespace {

fact some(decltype(fact::content) content, const std::string& job = "") {
  return {.run = {"r"}, .job = {job}, .content = std::move(content)};
}

struct journaled : testing::deterministic {
  tests::scratch_folder folder;
  journal_actor journal = actors::spawn_journal(system, {.folder = folder.path(), .own_thread = false});

  ~journaled() {
    self->send_exit(journal, caf::exit_reason::user_shutdown);
    run();
  }
  auto append(std::vector<fact> facts) {
    return self->request(journal, std::chrono::minutes{1}, append_facts{{"r"}, std::move(facts)});
  }
  expected<facts_read> read() {
    return answer_to<facts_read>(self->request(journal, std::chrono::minutes{1}, read_facts{{"r"}}));
  }
  std::filesystem::path file() const { return actors::journal_path(folder.path(), {"r"}); }
};

}  // namespace

TEST_CASE_FIXTURE(journaled, "facts come back in order with numbers, from the actor and from the file") {
  auto first = append({some(run_started{{.run = {"r"}, .name = "n"}})});
  auto second = append({some(job_started{}, "a"), some(job_finished{}, "a")});
  CHECK(answer_to<facts_appended>(first)->facts.at(0).number == 1);
  CHECK(answer_to<facts_appended>(second)->facts.at(1).number == 3);
  auto facts = read()->facts;
  REQUIRE(facts.size() == 3);
  CHECK(std::get<run_started>(facts[0].content).spec.name == "n");
  CHECK(facts[2].job.value == "a");
  CHECK(*actors::read_journal(folder.path(), {"r"}) == facts);
}

TEST_CASE_FIXTURE(journaled, "many appends share commits, and each is answered") {
  auto start = append({some(run_started{})});
  std::vector<decltype(append({}))> pending;
  for (int i = 0; i < 1000; ++i) pending.push_back(append({some(job_started{}, std::to_string(i))}));
  CHECK(answer_to<facts_appended>(start));
  for (auto& x : pending) CHECK(answer_to<facts_appended>(x));
  CHECK(read()->facts.size() == 1001);
}

TEST_CASE_FIXTURE(journaled, "facts of a run that never began are refused") {
  auto answer = answer_to<facts_appended>(append({some(job_started{})}));
  REQUIRE(!answer);
  CHECK(answer.error().code == failure_code::not_found);
}

TEST_CASE("a run has one writer: a second is refused until the first is gone") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  {
    auto first = journal_file::open(path, mode::create);
    REQUIRE(first);
    auto second = journal_file::open(path, mode::open);
    REQUIRE(!second);
    CHECK(second.error().code == failure_code::refused);
    CHECK(journal_file::open(path, mode::read_only));
  }
  CHECK(journal_file::open(path, mode::open));
}

TEST_CASE("a journal that grows while it is read is whole each time") {
  tests::scratch_folder folder;
  auto writer = journal_file::open(actors::journal_path(folder.path(), {"r"}), mode::create);
  REQUIRE(writer);
  REQUIRE(writer->add({some(run_started{{.run = {"r"}}})}));
  REQUIRE(writer->commit());
  std::thread writing{[&] {
    for (int i = 0; i < 300; ++i) CHECK((writer->add({some(job_started{}, "a")}) && writer->commit()));
  }};
  std::size_t seen = 0;
  while (seen < 301) {
    auto facts = actors::read_journal(folder.path(), {"r"});
    CHECK_MESSAGE(facts.has_value(), facts.error().detail);
    if (!facts) break;
    CHECK(facts->size() >= seen);
    seen = facts->size();
  }
  writing.join();
}

TEST_CASE("a journal of a newer version is refused and says what to do") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  tests::make_database(path, "CREATE TABLE facts(number INTEGER); PRAGMA user_version = 99");
  for (auto how : {mode::open, mode::read_only}) {
    auto file = journal_file::open(path, how);
    REQUIRE(!file);
    CHECK(file.error().code == failure_code::unreadable);
    CHECK(file.error().detail.ends_with(
        "was written by a newer kernelmesh (version 99, this one reads up to 2): update kernelmesh"));
  }
}

TEST_CASE("a file that is no journal is refused, whatever it holds") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  std::filesystem::create_directories(path.parent_path());
  std::ofstream{path} << std::string(10'000, 'x');
  auto file = journal_file::open(path, mode::open);
  REQUIRE(!file);
  CHECK(file.error().code == failure_code::unreadable);
  CHECK(file.error().detail.find("file is not a database") != std::string::npos);
}

TEST_CASE("facts that were not committed are not there after a crash") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  {
    auto file = journal_file::open(path, mode::create);
    REQUIRE(file->add({some(run_started{})}));
    REQUIRE(file->commit().has_value());
    REQUIRE(file->add({some(job_started{}, "a")}));
  }
  auto file = journal_file::open(path, mode::open);
  CHECK(file->read()->size() == 1);
  CHECK(file->check());
}

TEST_CASE("a journal whose writer was killed at its first page never began") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  tests::make_half_written_database(path);
  auto file = journal_file::open(path, mode::read_only);
  REQUIRE_FALSE(file);
  CHECK(file.error().detail.find("never began") != std::string::npos);
}

namespace {

/// A journal as an earlier version wrote it.
void make_sample(const std::filesystem::path& path, const std::string& name) {
  std::ifstream sample{std::filesystem::path{KERNELMESH_SOURCE_DIR} / "tests/data/journals" / name};
  tests::make_database(path, std::string{std::istreambuf_iterator<char>{sample}, {}});
}

}  // namespace

TEST_CASE("journals of every version are read for ever") {
  for (std::string name : {"version1.sql", "version2.sql"}) {
    CAPTURE(name);
    tests::scratch_folder folder;
    make_sample(actors::journal_path(folder.path(), {"r"}), name);
    auto facts = actors::read_journal(folder.path(), {"r"});
    REQUIRE(facts);
    REQUIRE(facts->size() == 3);
    CHECK(std::get<run_started>(facts->at(0).content).spec.name == "sample");
    CHECK(std::get<job_finished>(facts->at(2).content).stopped_by == "patience");
  }
}

TEST_CASE("a journal that lacks a fact is refused and says which") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  {
    auto file = journal_file::open(path, mode::create);
    REQUIRE(file->add({some(run_started{}), some(job_started{}, "a"), some(job_finished{}, "a")}));
    REQUIRE(file->commit().has_value());
  }
  tests::make_database(path, "DELETE FROM facts WHERE number = 2");
  auto facts = actors::read_journal(folder.path(), {"r"});
  REQUIRE(!facts);
  CHECK(facts.error().code == failure_code::unreadable);
  CHECK(facts.error().detail.starts_with("run r: fact 2 is missing in its journal " + path.string()));
}

namespace {

std::filesystem::path with_three_facts(const std::filesystem::path& folder) {
  auto path = actors::journal_path(folder, {"r"});
  auto file = journal_file::open(path, mode::create);
  REQUIRE(file->add({some(run_started{.spec = {.run = {"r"}, .name = "n"}}), some(job_started{}, "a"),
                     some(job_finished{.stopped_by = "patience"}, "a")}));
  REQUIRE(file->commit().has_value());
  return path;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("a journal of version 1 that is gone on with has hashes of all its facts") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  make_sample(path, "version1.sql");
  {
    auto file = journal_file::open(path, mode::open);
    REQUIRE(file);
    REQUIRE(file->add({some(run_finished{})}));
    REQUIRE(file->commit().has_value());
  }
  CHECK(actors::read_journal(folder.path(), {"r"})->size() == 4);
  tests::make_database(path, "UPDATE facts SET hash = 'x' WHERE number = 1");
  CHECK_FALSE(actors::read_journal(folder.path(), {"r"}));
}

TEST_CASE("a fact that does not match its hash is refused with the names of run and fact") {
  tests::scratch_folder folder;
  auto path = with_three_facts(folder.path());
  tests::make_database(path, "UPDATE facts SET body = (SELECT body FROM facts WHERE number = 3) WHERE number = 2");
  auto facts = actors::read_journal(folder.path(), {"r"});
  REQUIRE_FALSE(facts);
  CHECK(facts.error().code == failure_code::unreadable);
  CHECK(facts.error().detail.starts_with("run r: fact 2 is damaged (it does not match its hash)"));
  CHECK(facts.error().detail.find("restore it from a copy") != std::string::npos);
}

TEST_CASE("no flipped bit changes what is read") {
  tests::scratch_folder folder;
  auto path = with_three_facts(folder.path());
  auto whole = actors::read_journal(folder.path(), {"r"});
  REQUIRE(whole);
  auto bytes = bytes_of(path);
  std::mt19937_64 random{7};
  int noticed = 0;
  for (int i = 0; i < 2000; ++i) {
    auto flipped = bytes;
    flipped[random() % flipped.size()] ^= static_cast<char>(1 << random() % 8);
    std::ofstream{path, std::ios::binary} << flipped;
    auto facts = actors::read_journal(folder.path(), {"r"});
    if (facts) REQUIRE(*facts == *whole);
    if (!facts) ++noticed;
  }
  CHECK(noticed > 20);
}

TEST_CASE("what is no file is no journal, and nobody waits for it") {
  tests::scratch_folder folder;
  auto path = actors::journal_path(folder.path(), {"r"});
  std::filesystem::create_directories(path);
  auto is_refused = [&](const std::string& kind) {
    for (auto how : {mode::open, mode::read_only, mode::create}) {
      auto file = journal_file::open(path, how);
      REQUIRE_FALSE(file);
      CHECK(file.error().code == failure_code::unreadable);
      CHECK(file.error().detail.find(kind) != std::string::npos);
    }
  };
  is_refused("a folder");
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  is_refused("a pipe");
}

TEST_CASE_FIXTURE(journaled, "two runs of one id: the second is refused and the first stays as it is") {
  CHECK(answer_to<facts_appended>(append({some(run_started{.spec = {.run = {"r"}, .name = "first"}})})));
  auto second = answer_to<facts_appended>(append({some(run_started{.spec = {.run = {"r"}, .name = "second"}})}));
  REQUIRE_FALSE(second);
  CHECK(second.error().code == failure_code::bad_input);
  CHECK(second.error().detail == "there is a run r already: resume it, or take another id");
  REQUIRE(read()->facts.size() == 1);
  CHECK(std::get<run_started>(read()->facts[0].content).spec.name == "first");
}

}  // namespace journal_test
