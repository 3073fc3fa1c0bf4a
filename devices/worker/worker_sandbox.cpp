#include "devices/worker/worker_sandbox.hpp"

#include <unistd.h>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "devices/sandbox/boxed_command.hpp"
#include "devices/sandbox/spec.hpp"
#include "devices/worker/child_process.hpp"

namespace devices::worker {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

constexpr std::array of_system{
    "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/sys/devices/system", "/sys/fs/cgroup"};
constexpr auto programs = "PATH=/usr/local/bin:/usr/bin:/bin";

std::optional<long> number_in(const char* path) {
  std::ifstream file{path};
  long x = 0;
  return file >> x ? std::optional{x} : std::nullopt;
}

/// Folders that hold programs and libraries, of those that this machine has.
std::vector<fs::path> system_paths() {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto path : of_system)
    if (fs::exists(path, error)) found.emplace_back(path);
  auto libraries = std::getenv("LD_LIBRARY_PATH");
  std::istringstream list{libraries ? libraries : ""};
  for (std::string path; std::getline(list, path, ':');)
    if (path.starts_with('/') && fs::exists(path, error)) found.emplace_back(path);
  return found;
}

std::string remedy_of(const sandbox_facts& x) {
  if (x.max_user_namespaces == 0) return "as root: sysctl -w user.max_user_namespaces=10000";
  if (x.unprivileged_user_namespaces == 0 && !x.is_root) return "as root: sysctl -w kernel.unprivileged_userns_clone=1";
  if (x.apparmor_restricts.value_or(0) != 0 && !x.is_root)
    return "as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for "
           "kernelmesh-guard that allows userns";
  if (x.trial_said.find("/proc") != x.trial_said.npos)
    return "in a container: start it with --security-opt systempaths=unconfined";
  return "in a container: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, as a "
         "user without rights or with --cap-add SYS_ADMIN";
}

std::string reason_of(const sandbox_facts& x) {
  if (x.max_user_namespaces == 0) return "user namespaces are switched off (user.max_user_namespaces is 0)";
  if (x.unprivileged_user_namespaces == 0 && !x.is_root)
    return "user namespaces are for root only here (kernel.unprivileged_userns_clone is 0)";
  if (x.apparmor_restricts.value_or(0) != 0 && !x.is_root)
    return "AppArmor keeps user namespaces from users (kernel.apparmor_restrict_unprivileged_userns is 1)";
  auto said = x.trial_said.substr(0, x.trial_said.find('\n'));
  constexpr std::string_view prefix = "no sandbox: ";
  if (said.starts_with(prefix)) said.erase(0, prefix.size());
  return said.empty() ? "a trial ended with exit code " + std::to_string(x.trial_code) : said;
}

/// What one command under the guard writes.
messages::expected<process_end> run(const fs::path& guard, const process_order& order) {
  auto child = child_process::start(guard, order);
  if (!child) return tl::unexpected{child.error()};
  while (!child->has_ended(10)) child->read_output();
  return child->reap();
}

messages::expected<std::vector<fs::path>> folders_of(const sandbox_options& options) {
  process_order order{.command = {options.interpreter.string(), "-m", "kernelmesh_worker", "folders"},
                      .environment = {"PYTHONPATH=" + options.package_folder.string(), "PYTHONDONTWRITEBYTECODE=1"},
                      .folder = options.package_folder};
  for (auto name : {"PATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH"})
    if (auto value = std::getenv(name)) order.environment.push_back(std::string{name} + '=' + value);
  auto end = run(options.guard, order);
  if (!end) return tl::unexpected{end.error()};
  if (end->code != 0 || end->tail.size() >= tail_bytes)
    return fail(failure_code::misconfigured,
                "the Python " + options.interpreter.string() + " can't say which folders it needs: " + end->tail);
  std::vector<fs::path> found;
  std::istringstream lines{end->tail};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('/')) found.emplace_back(line);
  return found;
}

}  // namespace

sandbox_level level_of(const sandbox_facts& facts) {
  if (facts.trial_code == 0) return {.name = "namespaces"};
  return {.name = "none", .why_not = reason_of(facts), .remedy = remedy_of(facts)};
}

sandbox_level probe_sandbox(const fs::path& guard) {
  sandbox_facts facts{.max_user_namespaces = number_in("/proc/sys/user/max_user_namespaces"),
                      .unprivileged_user_namespaces = number_in("/proc/sys/kernel/unprivileged_userns_clone"),
                      .apparmor_restricts = number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
                      .is_root = ::geteuid() == 0};
  sandbox::spec shown;
  for (const auto& path : system_paths()) shown.readable.push_back(path.string());
  auto end = run(guard, {.command = {"true"}, .environment = {programs}, .folder = "/", .sandbox = to_text(shown)});
  facts.trial_code = end ? end->code : sandbox::no_sandbox;
  facts.trial_said = end ? end->tail : end.error().detail;
  return level_of(facts);
}

std::string sandbox_of(const worker_sandbox& sandbox, const worker_view& view) {
  if (!sandbox.is_on()) return {};
  sandbox::spec x{.writable = {view.own.string()}, .keep_capabilities = view.keeps_rights};
  for (const auto& path : sandbox.readable) x.readable.push_back(path.string());
  for (const auto& path : view.folders) x.own.push_back(path.string());
  for (const auto& path : view.devices) x.devices.push_back(path.string());
  return to_text(x);
}

messages::expected<worker_sandbox> make_sandbox(const sandbox_options& options) {
  auto level = probe_sandbox(options.guard);
  auto beside = fs::absolute(options.guard).lexically_normal().parent_path();
  worker_sandbox x{.level = level.name, .library = beside / "libkernelmesh-sandbox.so"};
  std::error_code error;
  if (auto host = beside / "kernelmesh-native-host"; fs::exists(host, error)) x.native_host = host;
  if (auto host = beside / "kernelmesh-cuda-host"; fs::exists(host, error)) x.cuda_host = host;
  if (auto recorder = beside / "libkernelmesh-recorder.so"; fs::exists(recorder, error)) x.cuda_recorder = recorder;
  if (!x.is_on() && options.unsafe_none) return x;
  if (!x.is_on())
    return fail(failure_code::no_resource, "candidates can't be kept in a sandbox here: " + level.why_not + "; "
                                               + level.remedy + "; or run with --unsafe-no-sandbox, which lets them do "
                                                                "whatever you may do");
  auto folders = folders_of(options);
  if (!folders) return tl::unexpected{folders.error()};
  x.readable = system_paths();
  std::vector<fs::path> more{options.package_folder, options.guard, x.library};
  for (const auto& file : {x.native_host, x.cuda_host, x.cuda_recorder})
    if (!file.empty()) more.push_back(file);
  more.insert(more.end(), folders->begin(), folders->end());
  more.insert(more.end(), options.readable.begin(), options.readable.end());
  for (const auto& path : more)
    if (auto absolute = fs::absolute(path, error).lexically_normal(); fs::exists(absolute, error))
      x.readable.push_back(absolute);
  return x;
}

}  // namespace devices::worker
