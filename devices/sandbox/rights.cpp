#include "devices/sandbox/rights.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <initializer_list>
#include <memory>

#include "devices/sandbox/failure.hpp"

namespace devices::sandbox {

namespace {

constexpr auto refuse = SCMP_ACT_ERRNO(EPERM), unknown = SCMP_ACT_ERRNO(ENOSYS);
constexpr rlim_t file_bytes = 1u << 30, open_files = 256, threads_beside_cores = 512, threads_a_core = 8;

/// Into other processes, other namespaces, the kernel itself or the clock of the machine.
constexpr auto never = {SCMP_SYS(ptrace),
                        SCMP_SYS(process_vm_readv),
                        SCMP_SYS(process_vm_writev),
                        SCMP_SYS(process_madvise),
                        SCMP_SYS(kcmp),
                        SCMP_SYS(pidfd_getfd),
                        SCMP_SYS(bpf),
                        SCMP_SYS(io_uring_setup),
                        SCMP_SYS(io_uring_enter),
                        SCMP_SYS(io_uring_register),
                        SCMP_SYS(userfaultfd),
                        SCMP_SYS(setns),
                        SCMP_SYS(unshare),
                        SCMP_SYS(mount),
                        SCMP_SYS(umount),
                        SCMP_SYS(umount2),
                        SCMP_SYS(pivot_root),
                        SCMP_SYS(chroot),
                        SCMP_SYS(move_mount),
                        SCMP_SYS(open_tree),
                        SCMP_SYS(fsopen),
                        SCMP_SYS(fsmount),
                        SCMP_SYS(fsconfig),
                        SCMP_SYS(fspick),
                        SCMP_SYS(mount_setattr),
                        SCMP_SYS(keyctl),
                        SCMP_SYS(add_key),
                        SCMP_SYS(request_key),
                        SCMP_SYS(kexec_load),
                        SCMP_SYS(kexec_file_load),
                        SCMP_SYS(init_module),
                        SCMP_SYS(finit_module),
                        SCMP_SYS(delete_module),
                        SCMP_SYS(open_by_handle_at),
                        SCMP_SYS(name_to_handle_at),
                        SCMP_SYS(quotactl),
                        SCMP_SYS(quotactl_fd),
                        SCMP_SYS(swapon),
                        SCMP_SYS(swapoff),
                        SCMP_SYS(reboot),
                        SCMP_SYS(settimeofday),
                        SCMP_SYS(clock_settime),
                        SCMP_SYS(clock_adjtime),
                        SCMP_SYS(adjtimex),
                        SCMP_SYS(stime),
                        SCMP_SYS(acct),
                        SCMP_SYS(syslog),
                        SCMP_SYS(iopl),
                        SCMP_SYS(ioperm),
                        SCMP_SYS(personality),
                        SCMP_SYS(fanotify_init),
                        SCMP_SYS(lookup_dcookie),
                        SCMP_SYS(nfsservctl),
                        SCMP_SYS(vhangup),
                        SCMP_SYS(modify_ldt)};

/// A candidate takes no cores from others and reaches nobody but by what it was given.
constexpr auto not_for_candidates = {
    SCMP_SYS(pidfd_open),    SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam),
    SCMP_SYS(sched_setattr), SCMP_SYS(setpriority),       SCMP_SYS(ioprio_set)};

constexpr auto namespaces = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                             CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

/// Rules under construction. A call that this machine's kernel does not have needs no rule.
class filter {
public:
  filter() : context_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {}

  void add(std::uint32_t action, int call) { note(seccomp_rule_add(context_.get(), action, call, 0)); }
  void add(std::uint32_t action, int call, const scmp_arg_cmp& when) {
    note(seccomp_rule_add(context_.get(), action, call, 1, when));
  }
  void add(std::uint32_t action, std::initializer_list<int> calls) {
    for (auto call : calls) add(action, call);
  }
  expected<void> load() {
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a binary tree: torch makes many calls
    if (error_ == 0) note(seccomp_load(context_.get()));
    errno = -error_;
    return checked(error_, "filter system calls");
  }

private:
  void note(int result) {
    if (result < 0 && result != -EDOM && error_ == 0) error_ = result;
  }
  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
  int error_ = 0;
};

/// Other sockets lead to networks and to the kernel.
void allow_local_sockets_alone(filter& to) { to.add(refuse, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_NE, AF_UNIX)); }

void forbid_processes(filter& to, freedom may) {
  if (!may.processes) {
    to.add(refuse, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    to.add(refuse, {SCMP_SYS(fork), SCMP_SYS(vfork)});
  }
  if (!may.processes && !may.exec) to.add(refuse, {SCMP_SYS(execve), SCMP_SYS(execveat)});
}

}  // namespace

expected<void> drop_capabilities() {
  for (int capability = 0; capability < 64; ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) return cannot("drop capabilities");
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[2]{};
  return checked(::syscall(SYS_capset, &header, none), "drop capabilities");
}

expected<void> filter_calls(rules whose, freedom may) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot("forbid new rights");
  filter x;
  x.add(refuse, never);
  if (!may.profiler) x.add(refuse, SCMP_SYS(perf_event_open));
  x.add(unknown, SCMP_SYS(clone3));  // its flags can't be looked at; C libraries take clone then
  for (auto flag : namespaces)
    x.add(refuse, SCMP_SYS(clone),
          SCMP_A0(SCMP_CMP_MASKED_EQ, static_cast<scmp_datum_t>(flag), static_cast<scmp_datum_t>(flag)));
  if (whose == rules::worker) {
    allow_local_sockets_alone(x);
    return x.load();
  }
  if (may.devices && !may.profiler)
    allow_local_sockets_alone(x);
  else if (!may.profiler)
    x.add(refuse, SCMP_SYS(socket));
  x.add(refuse, not_for_candidates);
  x.add(refuse, SCMP_SYS(prlimit64), SCMP_A0(SCMP_CMP_NE, 0));
  x.add(unknown, SCMP_SYS(memfd_create));
  forbid_processes(x, may);
  return x.load();
}

expected<void> limit_resources() {
  auto cores = static_cast<rlim_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  auto threads = threads_beside_cores + threads_a_core * cores;  // of all candidates and the judge together
  for (auto [what, most] : {std::pair<int, rlim_t>{RLIMIT_CORE, 0},
                            {RLIMIT_FSIZE, file_bytes},
                            {RLIMIT_NOFILE, open_files},
                            {RLIMIT_NPROC, threads}}) {
    rlimit now{};
    ::getrlimit(static_cast<__rlimit_resource>(what), &now);
    auto limit = std::min(most, now.rlim_max);
    rlimit wanted{.rlim_cur = limit, .rlim_max = limit};
    if (::setrlimit(static_cast<__rlimit_resource>(what), &wanted) != 0) return cannot("set limits");
  }
  return {};
}

}  // namespace devices::sandbox
