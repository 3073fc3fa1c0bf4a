#pragma once
// An SQLite file made of SQL, for tests of journals.

#include <filesystem>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

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
    database.exec("PRAGMA user_version = 0; CREATE TABLE a(x); BEGIN; INSERT INTO a VALUES(1)");
    sqlite3_db_cacheflush(database.getHandle());
    std::filesystem::copy_file(whole, file);
    std::filesystem::copy_file(whole.string() + "-journal", file.string() + "-journal");
  }
}

}  // namespace tests
