#include "configs/state_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "configs/writable.hpp"

namespace configs {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

const std::string way_out = "; name another one with KERNELMESH_HOME";

messages::expected<void> make(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0 || (errno == EEXIST && fs::is_directory(folder, error))) return {};
  if (errno == EEXIST)
    return fail(failure_code::storage, "the state folder " + folder.string() + " is a file" + way_out);
  return fail(failure_code::storage,
              "the state folder " + folder.string() + " can't be made: " + std::strerror(errno) + way_out);
}

messages::expected<void> close_to_others(const fs::path& folder) {
  struct stat about {};
  if (::stat(folder.c_str(), &about) == 0 && (about.st_mode & 077) == 0) return {};
  // Only what is certainly ours to close: never somebody's home or /tmp.
  std::error_code error;
  if (fs::is_empty(folder, error) && ::chmod(folder.c_str(), 0700) == 0) return {};
  return fail(failure_code::storage, "the state folder " + folder.string()
                                         + " is open to other users; run `chmod 700` on it if it is kernelmesh's own"
                                         + ", else" + way_out.substr(1));
}

messages::expected<void> prove_writable(const fs::path& folder) {
  auto why = why_not_writable(folder);
  if (!why) return {};
  return fail(failure_code::storage,
              "the state folder " + folder.string() + " can't be written: " + why.message() + way_out);
}

}  // namespace

messages::expected<fs::path> state_folder_of(const std::string& configured, const surroundings& around) {
  if (!configured.empty()) return fs::absolute(configured).lexically_normal();
  if (auto home = around.variable("KERNELMESH_HOME"); !home.empty()) return fs::absolute(home).lexically_normal();
  if (auto state = around.variable("XDG_STATE_HOME"); !state.empty()) return fs::path{state} / "kernelmesh";
  if (auto home = around.variable("HOME"); !home.empty()) return fs::path{home} / ".local" / "state" / "kernelmesh";
  return fail(failure_code::misconfigured,
              "no place for the state folder: neither KERNELMESH_HOME, XDG_STATE_HOME nor HOME is set; set "
              "KERNELMESH_HOME to a folder");
}

messages::expected<fs::path> open_state_folder(const fs::path& folder) {
  for (auto step : {make, close_to_others, prove_writable})
    if (auto done = step(folder); !done) return tl::unexpected{done.error()};
  return folder;
}

messages::expected<fs::path> state_folder_to_read(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return folder;
  if (!fs::is_directory(folder, error) || !why_not_writable(folder)) return open_state_folder(folder);
  if (::access(folder.c_str(), R_OK | X_OK) == 0) return folder;
  return fail(failure_code::storage,
              "the state folder " + folder.string() + " can't be read: " + std::strerror(errno) + way_out);
}

}  // namespace configs
