#include "devices/worker/worker_python.hpp"

#include <unistd.h>
#include <array>
#include <cstdlib>

namespace devices::worker {

namespace fs = std::filesystem;
using messages::fail;
using messages::failure_code;

namespace {

using settings = std::map<std::string, std::string>;

/// What a Python with its toolchain needs of the environment we were started in.
constexpr std::array handed_on{"PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"};

/// Freed pages stay with the process, so that no side of a timing pays page faults for fresh outputs.
const settings kept_pages{{"MALLOC_MMAP_MAX_", "0"}, {"MALLOC_TRIM_THRESHOLD_", "-1"}, {"MALLOC_TOP_PAD_", "67108864"}};

settings settings_of(worker_role role, const fs::path& folder) {
  if (role == worker_role::compiler) return {};
  settings x = kept_pages;
  x["OMP_WAIT_POLICY"] = "passive";  // threads of the side that has no turn must not spin
  x["TORCHINDUCTOR_COMPILE_THREADS"] = "1";
  x["TORCHINDUCTOR_CACHE_DIR"] = (folder / "inductor").string();
  return x;
}

}  // namespace

messages::expected<void> worker_python::validate() const {
  if (interpreter.is_absolute() && ::access(interpreter.c_str(), X_OK) != 0)
    return fail(failure_code::misconfigured, "the Python interpreter " + interpreter.string() + " can't be run");
  if (!fs::is_directory(package_folder))
    return fail(failure_code::misconfigured, "the worker folder " + package_folder.string() + " is not there");
  return {};
}

std::string name_of(worker_role role) {
  switch (role) {
    case worker_role::judge: return "judge";
    case worker_role::compiler: return "compiler";
  }
  return {};
}

std::vector<std::string> worker_command(const worker_python& python, worker_role role,
                                        const std::vector<std::string>& more) {
  std::vector<std::string> command{python.interpreter.string(), "-m", python.module, name_of(role)};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

std::vector<std::string> worker_environment(const worker_python& python, worker_role role, const fs::path& folder) {
  settings x = settings_of(role, folder);
  for (auto name : handed_on)
    if (auto value = std::getenv(name)) x[name] = value;
  x["HOME"] = x["TMPDIR"] = folder.string();
  x["PYTHONPATH"] = python.package_folder.string();
  x["PYTHONDONTWRITEBYTECODE"] = "1";
  x["KERNELMESH_VERSION"] = KERNELMESH_VERSION;
  x["KERNELMESH_SANDBOX"] = python.sandbox.level;
  if (!python.sandbox.native_host.empty()) x["KERNELMESH_NATIVE_HOST"] = python.sandbox.native_host.string();
  if (!python.sandbox.cuda_host.empty()) x["KERNELMESH_CUDA_HOST"] = python.sandbox.cuda_host.string();
  if (!python.sandbox.cuda_recorder.empty()) x["KERNELMESH_CUDA_RECORDER"] = python.sandbox.cuda_recorder.string();
  if (python.sandbox.is_on()) x["KERNELMESH_SANDBOX_LIBRARY"] = python.sandbox.library.string();
  for (const auto& [name, value] : python.environment) x[name] = value;

  std::vector<std::string> lines;
  for (const auto& [name, value] : x) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace devices::worker
