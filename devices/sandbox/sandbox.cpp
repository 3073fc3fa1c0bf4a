#include "devices/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <ranges>

#include "devices/sandbox/failure.hpp"
#include "devices/sandbox/root.hpp"

namespace devices::sandbox {

namespace {

constexpr int all_namespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWCGROUP;
constexpr std::string_view host_name = "kernelmesh";

expected<void> write_to(const char* path, const std::string& text) {
  auto fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot(std::string{"open "} + path);
  auto written = ::write(fd, text.data(), text.size());
  auto result = checked(written, std::string{"write "} + path);
  ::close(fd);
  return result;
}

std::ptrdiff_t thread_count() {
  std::error_code error;
  return std::ranges::distance(std::filesystem::directory_iterator{"/proc/self/task", error});
}

/// Root inside, the caller outside.
expected<void> make_namespaces() {
  auto user = std::to_string(::geteuid()), group = std::to_string(::getegid());
  if (::unshare(all_namespaces) != 0) return cannot("make namespaces");
  if (auto ok = write_to("/proc/self/setgroups", "deny"); !ok) return ok;
  if (auto ok = write_to("/proc/self/uid_map", "0 " + user + " 1"); !ok) return ok;
  if (auto ok = write_to("/proc/self/gid_map", "0 " + group + " 1"); !ok) return ok;
  return checked(::sethostname(host_name.data(), host_name.size()), "set a host name");
}

/// Keeps the one capability that some machines ask for where users make user namespaces; it goes away with that.
expected<void> become_nobody() {
  ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  if (::setgroups(0, nullptr) != 0) return cannot("leave the groups of root");
  if (::setresgid(nobody, nobody, nobody) != 0 || ::setresuid(nobody, nobody, nobody) != 0)
    return cannot("become a user without rights");
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  constexpr auto admin = 1u << CAP_SYS_ADMIN;
  __user_cap_data_struct kept[2]{{.effective = admin, .permitted = admin, .inheritable = 0}, {}};
  if (::syscall(SYS_capset, &header, kept) != 0) return cannot("become a user without rights");
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // else its files in /proc are root's, and it can't write its maps
  return {};
}

/// The new root is made before, since root may bind folders that `nobody` can't reach by their path.
expected<void> enter_as_root(const spec& x) {
  if (::unshare(CLONE_NEWNS) != 0) return cannot("make namespaces");
  if (auto ok = replace_root(x, proc_kind::outer, true); !ok) return ok;
  if (auto ok = become_nobody(); !ok) return ok;
  return make_namespaces();
}

expected<void> enter_as_user(const spec& x) {
  if (auto ok = make_namespaces(); !ok) return ok;
  return replace_root(x, proc_kind::outer, false);
}

}  // namespace

expected<void> enter_namespaces(const spec& x) {
  rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  auto entered = ::geteuid() == 0 ? enter_as_root(x) : enter_as_user(x);
  if (!entered) return entered;
  return checked(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new rights");
}

expected<void> enter_init() {
  return checked(::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr),
                 "mount /proc in a sandbox");
}

expected<void> become_worker() {
  if (thread_count() != 1)
    return tl::unexpected<std::string>{"a process with several threads can't give up its rights"};
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (auto ok = drop_capabilities(); !ok) return ok;
  return filter_calls(rules::worker);
}

expected<int> open_pid_namespace(const std::string& guard) {
  if (::unshare(CLONE_NEWPID) != 0) return cannot("make a pid namespace");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addclosefrom_np(&files, 0);
  std::string path = guard, word = init_word;
  char* arguments[] = {path.data(), word.data(), nullptr};
  char* environment[] = {nullptr};
  pid_t init = 0;
  errno = ::posix_spawn(&init, guard.c_str(), &files, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&files);
  if (errno != 0) return cannot("start the init of a pid namespace");
  return init;
}

void sleep_as_init() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::signal(SIGCHLD, SIG_IGN);  // orphans leave no zombies
  for (;;) ::pause();
}

expected<void> close_pid_namespace(int own) {
  return checked(::setns(own, CLONE_NEWPID), "leave a candidate's pid namespace");
}

namespace {

/// Of this process's network, which has nothing else.
expected<void> start_loopback() {
  auto fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return cannot("open a socket");
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  auto result = checked(::ioctl(fd, SIOCSIFFLAGS, &request), "start a network of its own");
  ::close(fd);
  return result;
}

}  // namespace

expected<void> become_candidate(const spec& x) {
  bool uses_devices = !x.devices.empty();
  bool opens_sockets = uses_devices || x.profiler;  // they reach nobody in a network of its own
  if (::unshare(CLONE_NEWNS | CLONE_NEWIPC | (opens_sockets ? CLONE_NEWNET : 0)) != 0)
    return cannot("make a candidate's namespaces");
  if (x.profiler)
    if (auto ok = start_loopback(); !ok) return ok;
  if (auto ok = replace_root(x, proc_kind::fresh, false); !ok) return ok;
  if (auto ok = drop_capabilities(); !ok) return ok;
  if (auto ok = limit_resources(); !ok) return ok;
  return filter_calls(rules::candidate,
                      {.processes = x.processes, .exec = x.exec, .devices = uses_devices, .profiler = x.profiler});
}

}  // namespace devices::sandbox
