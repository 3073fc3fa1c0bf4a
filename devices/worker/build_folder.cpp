#include "devices/worker/build_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "devices/sandbox/root.hpp"

namespace devices::worker {

namespace {

constexpr off_t most_bytes = 1 << 30;

}  // namespace

messages::expected<build_folder> build_folder::make(const std::filesystem::path& parent, bool given_away) {
  auto folder = private_folder::make(parent, "build." + random_token());
  if (!folder) return tl::unexpected{folder.error()};
  build_folder x;
  x.folder_ = *std::move(folder);
  x.opened_ = descriptor{::open(x.path().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  auto ready = x.opened_.is_open();
  if (ready && given_away && ::geteuid() == 0) ready = ::fchown(x.opened_.get(), sandbox::nobody, sandbox::nobody) == 0;
  if (!ready)
    return messages::fail(messages::failure_code::storage,
                          "cannot prepare the folder " + x.path().string() + ": " + std::strerror(errno));
  return x;
}

messages::expected<kept_file> build_folder::keep(const std::string& name, const blobs::blob_store& store) const {
  auto plain = !name.empty() && name.find('/') == name.npos;
  descriptor file{plain ? ::openat(opened_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1};
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return messages::fail(messages::failure_code::wrong_answer, "the compiler names no file of its folder: " + name);
  if (info.st_size > most_bytes)
    return messages::fail(messages::failure_code::wrong_answer, "the compiler's file is over a gibibyte: " + name);
  auto blob = store.put_file("/proc/self/fd/" + std::to_string(file.get()));
  if (!blob) return tl::unexpected{blob.error()};
  return kept_file{*blob, static_cast<std::uintmax_t>(info.st_size)};
}

}  // namespace devices::worker
