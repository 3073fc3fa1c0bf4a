#include "devices/sandbox/root.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdint>

#include "devices/sandbox/failure.hpp"

namespace devices::sandbox {

namespace {

// Of linux/mount.h, which can't be included beside sys/mount.h with every C library.
constexpr unsigned clone_tree = 1, at_recursive = 0x8000, move_from_descriptor = 4;
constexpr std::uint64_t attr_read_only = 1, attr_no_suid = 2, attr_no_devices = 4;
struct mount_attributes {
  std::uint64_t set, clear, propagation, user_namespace;
};

/// A place that is surely a folder, in the old root and in one of ours. Only this process sees what is mounted there.
constexpr auto building_site = "/tmp";
constexpr auto outer_proc = "/proc";
constexpr std::array devices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
constexpr std::array of_etc{"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
                            "/etc/alternatives"};

/// A copy of what is mounted at a path and below, not attached anywhere yet.
class tree {
public:
  tree(int descriptor, std::string place) : descriptor_(descriptor), place_(std::move(place)) {}
  tree(tree&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), place_(std::move(other.place_)) {}
  tree& operator=(tree&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~tree() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }
  const std::string& place() const { return place_; }

private:
  int descriptor_;
  std::string place_;  ///< absolute
};

using trees = std::vector<tree>;

expected<void> add(trees& to, const std::string& path, const std::string& place, std::uint64_t attributes) {
  auto fd = static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, path.c_str(), clone_tree | at_recursive | O_CLOEXEC));
  if (fd < 0) return cannot("show " + path + " in a sandbox");
  to.emplace_back(fd, place);
  if (attributes == 0) return {};
  mount_attributes wanted{.set = attributes};
  return checked(::syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH | at_recursive, &wanted, sizeof wanted),
                 "protect " + path + " in a sandbox (Linux 5.12 or later is needed)");
}

bool is_inside(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

/// Without those that lie in another one.
std::vector<std::string> outermost(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  std::vector<std::string> kept;
  for (auto& path : paths)
    if (kept.empty()
        || (path != kept.back() && std::ranges::none_of(kept, [&](const auto& x) { return is_inside(path, x); })))
      kept.push_back(std::move(path));
  return kept;
}

/// Everything of the old root that is wanted in the new one, taken before something is mounted over it.
expected<trees> collect(const spec& x, proc_kind proc, bool chown) {
  constexpr auto harmless = attr_no_suid | attr_no_devices;
  trees found;
  auto readable = x.readable;
  readable.insert(readable.end(), x.own.begin(), x.own.end());
  for (auto path : of_etc)
    if (::access(path, F_OK) == 0) readable.emplace_back(path);
  for (const auto& path : outermost(readable))
    if (auto ok = add(found, path, path, harmless | attr_read_only); !ok) return tl::unexpected{ok.error()};
  if (!x.candidate.empty())
    if (auto ok = add(found, x.candidate, "/candidate", harmless | attr_read_only); !ok)
      return tl::unexpected{ok.error()};
  for (const auto& path : x.writable) {
    if (auto ok = add(found, path, path, harmless); !ok) return tl::unexpected{ok.error()};
    if (chown && ::fchownat(found.back().get(), "", nobody, nobody, AT_EMPTY_PATH) != 0)
      return cannot("give " + path + " to the user of a sandbox");
  }
  auto nodes = x.devices;
  nodes.insert(nodes.end(), devices.begin(), devices.end());
  for (const auto& path : outermost(std::move(nodes)))
    if (auto ok = add(found, path, path, attr_no_suid); !ok) return tl::unexpected{ok.error()};
  if (proc == proc_kind::outer)
    if (auto ok = add(found, outer_proc, outer_proc, 0); !ok) return tl::unexpected{ok.error()};
  std::ranges::sort(found, {}, &tree::place);  // folders before what is mounted in them
  return found;
}

std::string relative(const std::string& place) { return '.' + place; }

/// Folders of the new root are for everybody to pass through, whatever they are in the old one.
void make_folders(const std::string& path) {
  for (auto end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0755);
  ::mkdir(path.c_str(), 0755);
}

expected<void> attach(const tree& x) {
  auto place = relative(x.place());
  struct stat info {};
  if (::fstat(x.get(), &info) != 0) return cannot("look at " + x.place());
  if (S_ISDIR(info.st_mode)) {
    make_folders(place);
  } else {
    make_folders(place.substr(0, place.rfind('/')));
    if (auto fd = ::open(place.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0644); fd >= 0) ::close(fd);
  }
  return checked(::syscall(SYS_move_mount, x.get(), "", AT_FDCWD, place.c_str(), move_from_descriptor),
                 "put " + x.place() + " into a sandbox");
}

expected<void> mount_memory(const char* place, const std::string& options) {
  return checked(::mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()),
                 std::string{"mount a tmpfs at "} + place);
}

std::string room() {
  struct sysinfo info {};
  ::sysinfo(&info);
  auto quarter = static_cast<std::uint64_t>(info.totalram) * info.mem_unit / 4;
  return "mode=1777,size=" + std::to_string(std::min<std::uint64_t>(quarter, 4ull << 30));
}

void write_file(const char* path, std::string_view text) {
  auto fd = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  (void)!::write(fd, text.data(), text.size());
  ::close(fd);
}

/// What is no copy: names of users, links, room for files.
expected<void> furnish() {
  for (auto folder : {"./etc", "./dev", "./dev/shm", "./tmp", "./proc"}) ::mkdir(folder, 0755);
  write_file("./etc/passwd", "root:x:0:0:kernelmesh:/tmp:/bin/sh\nnobody:x:65534:65534:others:/:/bin/false\n");
  write_file("./etc/group", "root:x:0:\nnogroup:x:65534:\n");
  for (auto [name, target] : {std::pair{"./dev/fd", "/proc/self/fd"},
                              {"./dev/stdin", "/proc/self/fd/0"},
                              {"./dev/stdout", "/proc/self/fd/1"},
                              {"./dev/stderr", "/proc/self/fd/2"}})
    (void)!::symlink(target, name);
  if (auto ok = mount_memory("./tmp", room()); !ok) return ok;
  return mount_memory("./dev/shm", room());
}

/// The old root goes under the new one for a moment, then away with all that is mounted in it.
expected<void> change_root() {
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return cannot("change the root folder");
  if (::umount2(".", MNT_DETACH) != 0) return cannot("let go of the old root folder");
  mount_attributes wanted{.set = attr_read_only};
  if (::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &wanted, sizeof wanted) != 0)
    return cannot("protect the new root folder");
  return checked(::chdir("/tmp"), "enter /tmp");
}

}  // namespace

expected<void> replace_root(const spec& x, proc_kind proc, bool chown) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return cannot("keep mounts to a sandbox");
  auto found = collect(x, proc, chown);
  if (!found) return tl::unexpected{found.error()};
  if (auto ok = mount_memory(building_site, "mode=0755,size=16m"); !ok) return ok;
  if (::chdir(building_site) != 0) return cannot("enter the new root folder");
  if (auto ok = furnish(); !ok) return ok;
  for (const auto& one : *found)
    if (auto ok = attach(one); !ok) return ok;
  if (proc == proc_kind::fresh && ::mount("proc", "./proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return cannot("mount /proc in a sandbox");
  return change_root();
}

}  // namespace devices::sandbox
