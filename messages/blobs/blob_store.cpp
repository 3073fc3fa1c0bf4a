#include "messages/blobs/blob_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "messages/records/content_hash.hpp"

namespace blobs {

namespace fs = std::filesystem;
using messages::blob_hash;
using messages::fail;
using messages::failure_code;

namespace {

auto storage_failure(const std::string& what, const fs::path& where) {
  return fail(failure_code::storage, what + " " + where.string() + ": " + std::generic_category().message(errno));
}

/// 32 hex digits and nothing else: a hash from outside is never a path.
bool well_formed(const blob_hash& hash) {
  return hash.value.size() == 32 && hash.value.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Closes on every way out.
struct open_file {
  int fd;
  ~open_file() {
    if (fd >= 0) ::close(fd);
  }
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Not through a stream: those throw when asked to read a folder, and wait for the other end of a pipe.
bool read_all(const fs::path& from, std::string& bytes) {
  open_file file{::open(from.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  struct stat about {};
  if (file.fd < 0 || ::fstat(file.fd, &about) != 0) return false;
  if (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode)) {
    errno = ENOTSUP;
    return false;
  }
  if (about.st_size > 0) bytes.reserve(static_cast<std::size_t>(about.st_size));
  std::array<char, 1 << 16> block;
  for (;;) {
    auto n = ::read(file.fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    bytes.append(block.data(), static_cast<std::size_t>(n));
  }
}

bool sync_folder(const fs::path& folder) {
  open_file directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return directory.fd >= 0 && ::fsync(directory.fd) == 0;
}

constexpr std::string_view unfinished = "new.";
constexpr std::chrono::hours old_enough{24};  ///< no put takes so long

bool is_old(const fs::path& file) {
  std::error_code error;
  auto written = fs::last_write_time(file, error);
  return !error && written < fs::file_time_type::clock::now() - old_enough;
}

/// An entry that can't be read ends the listing: it is looked at again another day.
template <class F>
void for_each_entry(const fs::path& folder, F f) {
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) f(*at);
}

/// Removes what a crash left in the middle of a put.
void remove_unfinished(const fs::path& folder) {
  for_each_entry(folder, [](const fs::directory_entry& x) {
    std::error_code error;
    if (x.path().filename().native().starts_with(unfinished) && is_old(x.path())) fs::remove(x.path(), error);
  });
}

/// Once a day, so that opening is quick; the stamp says when.
void sweep(const fs::path& folder) {
  auto stamp = folder / "swept";
  std::error_code error;
  if (fs::exists(stamp, error) && !is_old(stamp)) return;
  open_file touched{::open(stamp.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  if (touched.fd < 0 || ::futimens(touched.fd, nullptr) != 0) return;  // not ours to clean
  for_each_entry(folder, [](const fs::directory_entry& x) {
    std::error_code unknown;
    if (x.path().filename().native().size() == 2 && x.symlink_status(unknown).type() == fs::file_type::directory)
      remove_unfinished(x.path());
  });
}

}  // namespace

messages::expected<blob_store> blob_store::open(fs::path folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(failure_code::storage, "cannot make the folder " + folder.string() + ": " + error.message());
  ::chmod(folder.c_str(), 0700);
  sweep(folder);
  return blob_store{std::move(folder)};
}

fs::path blob_store::place_of(const blob_hash& hash) const {
  return folder_ / hash.value.substr(0, 2) / hash.value.substr(2);
}

messages::expected<blob_hash> blob_store::put(std::string_view bytes) const {
  blob_hash hash{messages::content_hash(bytes)};
  auto place = place_of(hash);
  if (get(hash)) return hash;  // what is damaged is written anew
  std::error_code error;
  if (fs::create_directory(place.parent_path(), error)) sync_folder(folder_);
  auto name = (place.parent_path() / (std::string{unfinished} + "XXXXXX")).string();
  open_file file{::mkstemp(name.data())};
  if (file.fd < 0) return storage_failure("cannot write to", place.parent_path());
  if (!write_all(file.fd, bytes) || ::fchmod(file.fd, 0444) != 0 || ::fsync(file.fd) != 0
      || ::rename(name.c_str(), place.c_str()) != 0 || !sync_folder(place.parent_path())) {
    auto failure = storage_failure("cannot write", place);
    ::unlink(name.c_str());
    return failure;
  }
  return hash;
}

messages::expected<blob_hash> blob_store::put_file(const fs::path& file) const {
  std::string bytes;
  if (!read_all(file, bytes)) return storage_failure("cannot read", file);
  return put(bytes);
}

messages::expected<std::string> blob_store::get(const blob_hash& hash) const {
  auto place = path_of(hash);
  if (!place) return tl::unexpected{place.error()};
  std::string bytes;
  if (!read_all(*place, bytes)) return storage_failure("cannot read", *place);
  if (messages::content_hash(bytes) != hash.value)
    return fail(failure_code::unreadable, "blob " + hash.value + " is damaged: remove " + place->string());
  return bytes;
}

messages::expected<fs::path> blob_store::path_of(const blob_hash& hash) const {
  if (!well_formed(hash))
    return fail(failure_code::not_found, '"' + hash.value.substr(0, 64) + "\" is not the hash of a blob");
  auto place = place_of(hash);
  if (::access(place.c_str(), R_OK) != 0)
    return fail(failure_code::not_found, "blob " + hash.value + " is not in " + folder_.string());
  return place;
}

bool blob_store::has(const blob_hash& hash) const { return path_of(hash).has_value(); }

}  // namespace blobs
