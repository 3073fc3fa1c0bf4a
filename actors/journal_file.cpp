#include "actors/journal_file.hpp"

#include <optional>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include "messages/records/content_hash.hpp"
#include "messages/wire/wire.hpp"

namespace actors {

using namespace messages;
namespace fs = std::filesystem;

namespace {

/// Held while a process writes to a run; the kernel lets go of it when the process dies.
class run_lock {
public:
  run_lock() = default;
  run_lock(run_lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  run_lock& operator=(run_lock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~run_lock() {
    if (fd_ >= 0) ::close(fd_);
  }

  static expected<run_lock> take(const fs::path& file) {
    run_lock lock;
    lock.fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.fd_ < 0) return fail(failure_code::storage, "cannot write " + file.string());
    if (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0)
      return fail(failure_code::refused, "another process drives this run (it holds " + file.string()
                                             + "): wait for it, or stop it, then resume");
    return lock;
  }

private:
  int fd_ = -1;
};

}  // namespace

struct journal_file::connection {
  connection(const fs::path& file, const std::string& name, int flags, run_lock l)
      : lock(std::move(l)), path(file), database(name, flags, 10'000) {}

  run_lock lock;
  fs::path path;
  SQLite::Database database;
  std::optional<SQLite::Transaction> open;
  std::optional<SQLite::Statement> insert;
  void insert_row(const fact& x);
  void undo(std::uint64_t last_before);
  tl::unexpected<failure> damaged(std::uint64_t number, const std::string& how) const;

  int version = schema_version;
  std::uint64_t last = 0;       // number of the last fact, also of those not yet committed
  std::uint64_t committed = 0;  // of the last one on disk
};

namespace {

/// What an SQLite error means to us.
failure describe(const fs::path& file, const SQLite::Exception& e) {
  auto code = e.getErrorCode() & 0xff;
  bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;  // or not the tables we make
  auto what = "journal " + file.string() + ": " + e.what();
  if (damaged) what += "; restore it from a copy, or start the run again";
  if (code == SQLITE_FULL) what += "; make room on the disk, then resume";
  return {damaged ? failure_code::unreadable : failure_code::storage, what};
}

constexpr auto tables = R"(
  CREATE TABLE facts(number INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, job TEXT NOT NULL, kind TEXT NOT NULL,
                     body BLOB NOT NULL, hash TEXT NOT NULL);
  CREATE INDEX facts_by_job ON facts(job, number);
)";

std::string kind_of(const fact& x) {
  return std::visit([]<class T>(const T&) { return std::string{T::wire_name}; }, x.content);
}

wire::bytes_view blob_of(const SQLite::Column& x) {
  return {static_cast<const std::byte*>(x.getBlob()), static_cast<std::size_t>(x.getBytes())};
}

/// Facts are ours, but a journal may be large: plans and manifests, thousands of them, one row at a time.
constexpr wire::limits row_limits{.message_bytes = 64u << 20, .memory_bytes = 256u << 20, .depth = 64};

/// A pipe would hold us up for ever, and no other kind of file is a journal either.
expected<void> check_kind(const fs::path& file) {
  for (auto part : {"", "-wal", "-shm", "-journal"}) {
    fs::path x = file.string() + part;
    std::error_code error;
    auto kind = fs::status(x, error).type();
    if (kind == fs::file_type::regular || kind == fs::file_type::not_found) continue;
    return fail(failure_code::unreadable, "journal " + x.string() + " is no file but "
                                              + (kind == fs::file_type::directory ? "a folder" : "a pipe or device")
                                              + "; restore it from a copy, or start the run again");
  }
  return {};
}

/// SQLite puts files beside what it reads. Where it can't, nobody writes either: then it is told so, unless a log has
/// to be read too, which it does with the files that are there.
bool never_changes(const fs::path& file) {
  if (::access(file.parent_path().c_str(), W_OK) == 0) return false;
  std::error_code error;
  auto log = file.string() + "-wal";
  return !fs::exists(log, error) || (fs::file_size(log, error) == 0 && !fs::exists(file.string() + "-shm", error));
}

/// As a URI, in which these characters mean something else.
std::string immutable_name(const fs::path& file) {
  std::string uri = "file:";
  for (char c : file.string()) uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  return uri + "?immutable=1";
}

/// A writer that was killed while it wrote the very first page leaves a rollback journal, which only who may write can
/// undo.
void undo_what_was_begun(const fs::path& file) {
  try {
    SQLite::Database database{file.string(), SQLite::OPEN_READWRITE};
    database.execAndGet("PRAGMA user_version");
  } catch (const SQLite::Exception&) {  // on a read-only disk, say: the reader says what it can't do
  }
}

/// From then on each fact has its hash.
void add_hashes(SQLite::Database& database) {
  SQLite::Transaction whole{database};
  database.exec("ALTER TABLE facts ADD COLUMN hash TEXT NOT NULL DEFAULT ''");
  SQLite::Statement rows{database, "SELECT number, body FROM facts"};
  SQLite::Statement change{database, "UPDATE facts SET hash = ? WHERE number = ?"};
  while (rows.executeStep()) {
    change.reset();
    change.bind(1, content_hash(blob_of(rows.getColumn(1))));
    change.bind(2, rows.getColumn(0).getInt64());
    change.exec();
  }
  rows.reset();
  change.reset();
  database.exec("PRAGMA user_version = 2");
  whole.commit();
}

expected<void> prepare_schema(SQLite::Database& database, const fs::path& file, journal_file::mode how) {
  auto version = database.execAndGet("PRAGMA user_version").getInt();
  if (version == 0 && how == journal_file::mode::create) {
    SQLite::Transaction whole{database};
    database.exec(tables);
    database.exec("PRAGMA user_version = " + std::to_string(journal_file::schema_version));
    whole.commit();
    return {};
  }
  if (version == 0)
    return fail(failure_code::unreadable, "journal " + file.string() + " is empty: the run never began");
  if (version > journal_file::schema_version)
    return fail(failure_code::unreadable, "journal " + file.string() + " was written by a newer kernelmesh (version "
                                              + std::to_string(version) + ", this one reads up to "
                                              + std::to_string(journal_file::schema_version) + "): update kernelmesh");
  if (version == 1 && how != journal_file::mode::read_only) add_hashes(database);
  return {};
}

}  // namespace

journal_file::journal_file(std::unique_ptr<connection> x) : connection_(std::move(x)) {}
journal_file::journal_file(journal_file&&) noexcept = default;
journal_file& journal_file::operator=(journal_file&&) noexcept = default;
journal_file::~journal_file() = default;

expected<journal_file> journal_file::open(const fs::path& file, mode how) {
  std::error_code error;
  if (how == mode::create) fs::create_directories(file.parent_path(), error);
  if (how != mode::create && !fs::exists(file, error))
    return fail(failure_code::not_found, "there is no journal " + file.string());
  if (auto kind = check_kind(file); !kind) return tl::unexpected{kind.error()};
  try {
    int flags = how == mode::read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE;
    if (how == mode::create) flags |= SQLite::OPEN_CREATE;
    auto name = file.string();
    run_lock lock;
    if (how != mode::read_only) {
      auto taken = run_lock::take(file.parent_path() / "lock");
      if (!taken) return tl::unexpected{taken.error()};
      lock = std::move(*taken);
    } else if (fs::exists(file.string() + "-journal", error)) {
      undo_what_was_begun(file);
    } else if (never_changes(file)) {
      name = immutable_name(file);
      flags |= SQLITE_OPEN_URI;
    }
    auto x = std::make_unique<connection>(file, name, flags, std::move(lock));
    if (how != mode::read_only) x->database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    if (auto ready = prepare_schema(x->database, file, how); !ready) return tl::unexpected{ready.error()};
    x->version = x->database.execAndGet("PRAGMA user_version").getInt();
    x->last = x->committed =
        static_cast<std::uint64_t>(x->database.execAndGet("SELECT coalesce(max(number), 0) FROM facts").getInt64());
    if (how != mode::read_only) x->insert.emplace(x->database, "INSERT INTO facts VALUES(?, ?, ?, ?, ?, ?)");
    return journal_file{std::move(x)};
  } catch (const SQLite::Exception& e) {
    return tl::unexpected{describe(file, e)};
  }
}

void journal_file::connection::insert_row(const fact& x) {
  auto body = wire::pack(x);
  insert->reset();
  insert->bind(1, static_cast<std::int64_t>(x.number));
  insert->bind(2, static_cast<std::int64_t>(x.at.time_since_epoch().count()));
  insert->bind(3, x.job.value);
  insert->bind(4, kind_of(x));
  insert->bind(5, body.data(), static_cast<int>(body.size()));
  insert->bind(6, content_hash(wire::bytes_view{body}));
  insert->exec();
}

/// A full disk may have rolled everything back already; then the commit says so to all who wait for it.
void journal_file::connection::undo(std::uint64_t last_before) {
  last = last_before;
  try {
    insert->reset();
    database.exec("ROLLBACK TO these; RELEASE these");
  } catch (const SQLite::Exception&) {
  }
}

expected<std::vector<fact>> journal_file::add(std::vector<fact> facts) {
  auto& x = *connection_;
  auto last_before = x.last;
  try {
    if (!x.open) x.open.emplace(x.database, SQLite::TransactionBehavior::IMMEDIATE);
    x.database.exec("SAVEPOINT these");
    for (auto& each : facts) {
      each.number = ++x.last;
      x.insert_row(each);
    }
    x.insert->reset();
    x.database.exec("RELEASE these");
    return facts;
  } catch (const SQLite::Exception& e) {
    x.undo(last_before);
    return tl::unexpected{describe(x.path, e)};
  }
}

expected<void> journal_file::commit() {
  auto& x = *connection_;
  if (!x.open) return {};
  try {
    x.insert->reset();
    x.open->commit();
    x.open.reset();
    x.committed = x.last;
    return {};
  } catch (const SQLite::Exception& e) {
    x.open.reset();  // rolls back
    x.last = x.committed;
    return tl::unexpected{describe(x.path, e)};
  }
}

tl::unexpected<failure> journal_file::connection::damaged(std::uint64_t number, const std::string& how) const {
  return fail(failure_code::unreadable, "run " + path.parent_path().filename().string() + ": fact "
                                            + std::to_string(number) + ' ' + how + " in its journal " + path.string()
                                            + "; restore it from a copy, or start the run again");
}

expected<std::vector<fact>> journal_file::read() const {
  auto& x = *connection_;
  std::vector<fact> facts;
  try {
    std::optional<SQLite::Transaction> one_state;  // another process may add facts between two statements
    if (!x.open) one_state.emplace(x.database, SQLite::TransactionBehavior::DEFERRED);
    bool hashed = x.version > 1;
    SQLite::Statement rows{x.database, hashed ? "SELECT number, body, hash FROM facts ORDER BY number"
                                              : "SELECT number, body FROM facts ORDER BY number"};
    while (rows.executeStep()) {
      auto number = facts.size() + 1;
      if (static_cast<std::uint64_t>(rows.getColumn(0).getInt64()) != number) return x.damaged(number, "is missing");
      auto body = blob_of(rows.getColumn(1));
      if (hashed && content_hash(body) != rows.getColumn(2).getString())
        return x.damaged(number, "is damaged (it does not match its hash)");
      auto row = wire::unpack<fact>(body, row_limits);
      if (!row) return x.damaged(number, "is damaged (" + to_string(row.error()) + ')');
      if (row->number != number) return x.damaged(number, "is missing");
      facts.push_back(std::move(*row));
    }
    // The index is a second list of them: a page that lost its last entries still looks whole.
    auto listed = x.database.execAndGet("SELECT count(*) FROM facts INDEXED BY facts_by_job").getInt64();
    if (static_cast<std::uint64_t>(listed) > facts.size()) return x.damaged(facts.size() + 1, "is missing");
    return facts;
  } catch (const SQLite::Exception& e) {
    return tl::unexpected{describe(x.path, e)};
  }
}

std::uint64_t journal_file::count() const { return connection_->last; }

expected<void> journal_file::check() const {
  try {
    auto said = connection_->database.execAndGet("PRAGMA integrity_check").getString();
    if (said == "ok") return {};
    return fail(failure_code::unreadable, "journal " + connection_->path.string() + " is damaged: " + said);
  } catch (const SQLite::Exception& e) {
    return tl::unexpected{describe(connection_->path, e)};
  }
}

fs::path journal_path(const fs::path& runs, const run_id& run) { return runs / run.value / "journal.sqlite"; }

expected<std::vector<fact>> read_journal(const fs::path& runs, const run_id& run) {
  auto file = journal_file::open(journal_path(runs, run), journal_file::mode::read_only);
  if (!file) return tl::unexpected{file.error()};
  return file->read();
}

}  // namespace actors
