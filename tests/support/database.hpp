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

}  // namespace tests
