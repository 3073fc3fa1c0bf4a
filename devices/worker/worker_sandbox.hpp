#pragma once
// The sandbox of workers: which level this machine offers, and what is shown in it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "messages/records/failure.hpp"

namespace devices::worker {

/// How workers are run. `level` is in every result.
struct worker_sandbox {
  std::string level = "none";                   ///< "namespaces", "none"
  std::filesystem::path library;                ///< libkernelmesh-sandbox.so; the guard lies beside it
  std::filesystem::path native_host;            ///< runs C functions without Python; empty: a Python process does
  std::filesystem::path cuda_host;              ///< carries out launch records on a GPU; empty: a Python process does
  std::filesystem::path cuda_recorder;          ///< records what Python candidates launch; empty: they stay hosted
  std::vector<std::filesystem::path> readable;  ///< by workers and candidates

  bool is_on() const { return level != "none"; }
};

/// What is known about a machine. Numbers that it does not have are absent.
struct sandbox_facts {
  std::optional<long> max_user_namespaces;           ///< /proc/sys/user/max_user_namespaces
  std::optional<long> unprivileged_user_namespaces;  ///< /proc/sys/kernel/unprivileged_userns_clone
  std::optional<long> apparmor_restricts;            ///< /proc/sys/kernel/apparmor_restrict_unprivileged_userns
  bool is_root = false;
  int trial_code = 0;      ///< exit code of a trivial command in a sandbox
  std::string trial_said;  ///< and its last words
};

struct sandbox_level {
  std::string name = "none";
  std::string why_not;  ///< of "none": one sentence without an end
  std::string remedy;   ///< of "none"

  friend bool operator==(const sandbox_level&, const sandbox_level&) = default;
};

sandbox_level level_of(const sandbox_facts& facts);

/// Tries it. Takes some 20 ms.
sandbox_level probe_sandbox(const std::filesystem::path& guard);

/// What one worker sees beside the readable paths.
struct worker_view {
  std::vector<std::filesystem::path> folders;  ///< or files, to read
  std::filesystem::path own;                   ///< to read and write
  std::vector<std::filesystem::path> devices;  ///< to use, by its candidates too
  bool keeps_rights = false;                   ///< in its namespaces
};

/// For process_order; empty where there is no sandbox.
std::string sandbox_of(const worker_sandbox& sandbox, const worker_view& view);

struct sandbox_options {
  std::filesystem::path guard;
  std::filesystem::path interpreter;            ///< of the workers
  std::filesystem::path package_folder;         ///< devices/worker
  std::vector<std::filesystem::path> readable;  ///< on top of what the interpreter needs
  bool unsafe_none = false;                     ///< without a sandbox where none is possible
};

/// Probes, and asks the interpreter which folders it needs. Fails with `no_resource` where there is no sandbox and
/// `unsafe_none` is not set, in a sentence that has the remedy.
messages::expected<worker_sandbox> make_sandbox(const sandbox_options& options);

}  // namespace devices::worker
