#pragma once
// An SQLite file made of SQL, for tests of journals.

#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

namespace tests {

inline void make_database(const std::filesystem::path& file, const std::string& sql) {
  std::filesystem::create_directories(file.parent_path());
  SQLite::Database{file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}.exec(sql);
}

/// A file as a process leaves it that is killed while it writes the first tables: with a rollback journal beside it.
inline void make_half_written_database(const std::filesystem::path& file) {
  auto whole = file.parent_path() / "begun";
  std::filesystem::create_directories(file.parent_path());
  {
    SQLite::Database database{whole.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
    database.exec("PRAGMA cache_size = 1; CREATE TABLE a(x); BEGIN");  // a full cache is written out
    for (int i = 0; i < 100; ++i) database.exec("INSERT INTO a VALUES(zeroblob(1000))");
    std::filesystem::copy_file(whole, file);
    std::filesystem::copy_file(whole.string() + "-journal", file.string() + "-journal");
  }
}

}  // namespace tests
