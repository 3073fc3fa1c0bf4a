#pragma once
// One run's journal on disk. The only source that includes SQLite is journal_file.cpp.

#include <filesystem>
#include <memory>
#include <vector>

#include "messages/records/fact.hpp"

namespace actors {

/// Written in SQLite with a write-ahead log and synchronous=FULL. One thread. Failures: storage, unreadable (damaged,
/// no journal at all, or of a newer version), not_found. `read_only` needs no folder that can be written; `open` brings
/// an older journal to this version.
class journal_file {
public:
  /// Newest version of the schema that is understood, and the one that is written.
  static constexpr int schema_version = 2;

  enum class mode { create, open, read_only };

  static messages::expected<journal_file> open(const std::filesystem::path& file, mode how);
  journal_file(journal_file&&) noexcept;
  journal_file& operator=(journal_file&&) noexcept;
  ~journal_file();

  /// Adds facts to the open transaction (begins one) and gives them their numbers.
  messages::expected<std::vector<messages::fact>> add(std::vector<messages::fact> facts);

  /// Everything added is on disk when it returns; on failure nothing of it is.
  messages::expected<void> commit();

  /// Each is held against its hash. A failure names the run and the fact.
  messages::expected<std::vector<messages::fact>> read() const;

  /// Facts that it has, without reading them.
  std::uint64_t count() const;

  /// SQLite's own check of every page. Fails with unreadable.
  messages::expected<void> check() const;

private:
  struct connection;
  explicit journal_file(std::unique_ptr<connection> x);
  std::unique_ptr<connection> connection_;
};

/// Where a run's journal lies under the folder of all runs.
std::filesystem::path journal_path(const std::filesystem::path& runs, const messages::run_id& run);

/// All facts of a run, without an actor: for reports.
messages::expected<std::vector<messages::fact>> read_journal(const std::filesystem::path& runs,
                                                             const messages::run_id& run);

}  // namespace actors
