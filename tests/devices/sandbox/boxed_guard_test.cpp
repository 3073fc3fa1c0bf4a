// What a command sees in a sandbox, and that nothing of it is left. All tests run as the user who starts them and,
// where that is root, once more as a user without rights.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fstream>

#include <doctest/doctest.h>

#include "devices/sandbox/boxed_command.hpp"
#include "devices/sandbox/root.hpp"
#include "devices/worker/child_process.hpp"
#include "devices/worker/private_folder.hpp"
#include "devices/worker/worker_sandbox.hpp"
#include "tests/devices/worker/processes.hpp"
#include "tests/support/scratch_folder.hpp"

namespace boxed_guard_test {

using namespace devices;
using namespace devices::worker;

namespace {

bool has_sandbox() {
  static const auto level = probe_sandbox(KERNELMESH_GUARD);
  if (level.name == "none") MESSAGE("SKIPPED: ", level.why_not);
  return level.name != "none";
}

/// A folder to write, one to read, a secret beside them. As a plain user the guard runs under setpriv.
struct boxed {
  tests::scratch_folder scratch;
  std::filesystem::path own = scratch / "own", files = scratch / "files", secret = scratch / "secret";
  std::string mark = "KERNELMESH_TEST_MARK=" + random_token();

  boxed() {
    for (const auto& x : {own, files}) std::filesystem::create_directory(x);
    std::ofstream{files / "read"} << "given";
    std::ofstream{secret} << "key";
  }
  sandbox::spec shown() const {
    sandbox::spec x{.own = {files}, .writable = {own}};
    for (auto path : {"/usr", "/lib", "/lib64", "/bin", "/sbin"})
      if (std::filesystem::exists(path)) x.readable.emplace_back(path);
    return x;
  }
  process_order shell(const std::string& script, const sandbox::spec& x) const {
    return {.command = {"/bin/sh", "-c", script},
            .environment = {mark, "PATH=/usr/bin:/bin"},
            .folder = own,
            .sandbox = to_text(x)};
  }
  child_process start(const std::string& script) const {
    auto child = child_process::start(KERNELMESH_GUARD, shell(script, shown()));
    REQUIRE_MESSAGE(child.has_value(), child.error().detail);
    return *std::move(child);
  }
  process_end run(const std::string& script) const { return start(script).reap(); }

  /// A child of this process that gives root up first and reports the guard's end by its exit code.
  int run_as_nobody(const std::string& script) const {
    for (const auto& x : {scratch.path(), own, files})
      if (::chown(x.c_str(), sandbox::nobody, sandbox::nobody) != 0) return -1;
    auto child = ::fork();
    if (child == 0) {
      if (::setgid(sandbox::nobody) != 0 || ::setuid(sandbox::nobody) != 0) ::_exit(99);
      ::prctl(PR_SET_DUMPABLE, 1);
      auto guarded = child_process::start(guard_for_all(), shell(script, shown()));
      ::_exit(guarded ? guarded->reap().code : 98);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return sandbox::exit_code_of(status);
  }
  /// A copy: the build folder may be root's alone.
  std::filesystem::path guard_for_all() const { return scratch / "guard"; }
};

}  // namespace

TEST_CASE_FIXTURE(boxed, "only what is listed is there") {
  if (!has_sandbox()) return;
  CHECK(run("ls " + secret.string() + " /root /home /work /var /etc/shadow 2>/dev/null").tail.empty());
  CHECK(run("cat " + (files / "read").string()).tail == "given");
  CHECK(run("ls -A /tmp /dev/shm; ls /").tail.find("home") == std::string::npos);
}

TEST_CASE_FIXTURE(boxed, "it may write to its own folder, /tmp and /dev/shm, and nowhere else") {
  if (!has_sandbox()) return;
  auto elsewhere = "/tmp/" + random_token();
  CHECK(run("echo x >here && echo x >" + elsewhere + " && echo x >/dev/shm/x").code == 0);
  CHECK(std::filesystem::exists(own / "here"));
  CHECK_FALSE(std::filesystem::exists(elsewhere));
  for (auto place : {"/x", "/usr/x", "/etc/x", "/dev/x", "/proc/sys/kernel/hostname"})
    CHECK_MESSAGE(run(std::string{"echo x >"} + place).code != 0, place);
  CHECK(run("echo x >" + (files / "x").string()).code != 0);
}

TEST_CASE_FIXTURE(boxed, "it sees its own processes alone, and no network") {
  if (!has_sandbox()) return;
  CHECK(run("cd /proc && echo [0-9]*").tail == "1 2\n");  // init and the shell
  CHECK(run("cat /proc/net/dev | tail -n +3 | grep -vc lo:").tail == "0\n");
  CHECK(run("hostname").tail == "kernelmesh\n");
  CHECK(run("kill -9 " + std::to_string(::getpid())).code != 0);
}

TEST_CASE_FIXTURE(boxed, "it is never root of the machine, has no capabilities and gets none") {
  if (!has_sandbox()) return;
  auto status = run("grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status").tail;
  for (auto line : {"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000",
                    "NoNewPrivs:\t1", "Seccomp:\t2"})
    CHECK_MESSAGE(status.find(line) != std::string::npos, line);
  auto outside = ::geteuid() == 0 ? sandbox::nobody : ::geteuid();
  CHECK(run("cat /proc/self/uid_map | tr -s ' '").tail == " 0 " + std::to_string(outside) + " 1\n");
  CHECK(run("unshare -U true").code != 0);
  CHECK(run("mount -t tmpfs none /tmp").code != 0);
}

TEST_CASE_FIXTURE(boxed, "rights in its own namespaces stay where they are asked for") {
  if (!has_sandbox()) return;
  auto x = shown();
  x.keep_capabilities = true;
  auto end = child_process::start(KERNELMESH_GUARD, shell("mount -t tmpfs none /tmp && ls -A /tmp", x))->reap();
  CHECK(end.code == 0);
}

TEST_CASE_FIXTURE(boxed, "a command's exit code, signal and folder come through") {
  if (!has_sandbox()) return;
  CHECK(run("exit 5").code == 5);
  CHECK(run("kill -SEGV $$").code == 128 + SIGSEGV);
  CHECK(run("pwd").tail == own.string() + "\n");
  auto order = shell("", shown());
  order.command = {"/no/such/program"};
  CHECK(child_process::start(KERNELMESH_GUARD, order)->reap().code == 127);
}

TEST_CASE_FIXTURE(boxed, "a sandbox that can't be set up is 125 and a sentence, one that can't be read is 2") {
  if (!has_sandbox()) return;
  auto x = shown();
  x.readable.emplace_back("/no/such/folder");
  auto end = child_process::start(KERNELMESH_GUARD, shell("true", x))->reap();
  CHECK(end.code == sandbox::no_sandbox);
  CHECK(end.tail == "no sandbox: cannot show /no/such/folder in a sandbox: No such file or directory\n");
  auto order = shell("true", x);
  order.sandbox = "show /usr";
  CHECK(child_process::start(KERNELMESH_GUARD, order)->reap().code == 2);
}

TEST_CASE_FIXTURE(boxed, "nothing is left when the command or the guard ends") {
  if (!has_sandbox()) return;
  CHECK(run("sleep 1000 & setsid sleep 1000 & exit 3").code == 3);
  CHECK(tests::processes_with(mark).empty());
  REQUIRE(::mkfifo((own / "fifo").c_str(), 0666) == 0);
  REQUIRE(::chmod((own / "fifo").c_str(), 0666) == 0);
  for (auto signal : {SIGTERM, SIGKILL}) {
    auto child = start("sleep 1000 & setsid sleep 1000 & echo up >fifo; wait");
    std::string word;
    std::ifstream{own / "fifo"} >> word;
    auto tree = tests::processes_with(mark);
    CHECK(tree.size() >= 4);  // guard, its child, init, shell; sleepers as soon as they are programs
    ::kill(child.guard_pid(), signal);
    child.reap();
    CHECK(tests::all_end(tree));
    CHECK(tests::processes_with(mark).empty());
  }
}

TEST_CASE_FIXTURE(boxed, "a plain user's sandbox shows and hides the same") {
  if (!has_sandbox()) return;
  if (::geteuid() != 0) {
    MESSAGE("SKIPPED: the tests above ran as a plain user");
    return;
  }
  std::filesystem::copy_file(KERNELMESH_GUARD, guard_for_all());
  std::filesystem::permissions(guard_for_all(), std::filesystem::perms{0755});
  std::filesystem::permissions(scratch.path(), std::filesystem::perms{0755});
  CHECK(run_as_nobody("exit 7") == 7);
  CHECK(run_as_nobody("test ! -e " + secret.string() + " -a ! -e /root -a ! -e /var") == 0);
  CHECK(run_as_nobody("test $(cat " + (files / "read").string() + ") = given && echo x >here && ! echo x >/x") == 0);
  CHECK(run_as_nobody("cd /proc && test \"$(echo [0-9]*)\" = '1 2 3'") == 0);
  CHECK(run_as_nobody("grep -q 'CapEff:.0000000000000000' /proc/self/status && ! unshare -U true") == 0);
}

}  // namespace boxed_guard_test
