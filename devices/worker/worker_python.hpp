#pragma once
// How Python workers are called: commands and environments of PROTOCOL.md.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "devices/worker/worker_sandbox.hpp"
#include "messages/records/failure.hpp"

namespace devices::worker {

struct worker_python {
  std::filesystem::path interpreter =
      "python3";                         ///< with torch, numpy, pyzmq, msgpack; a bare name is looked up in PATH
  std::filesystem::path package_folder;  ///< devices/worker, which holds kernelmesh_worker
  std::string module = "kernelmesh_worker";
  worker_sandbox sandbox;
  std::map<std::string, std::string> environment;  ///< on top of the list, for toolchains that need more

  messages::expected<void> validate() const;
};

enum class worker_role { judge, compiler };

/// PYTHON -m MODULE ROLE, and `more`.
std::vector<std::string> worker_command(const worker_python& python, worker_role role,
                                        const std::vector<std::string>& more = {});

/// The whole environment: a list, and from our own only what the list names. A judge hands it on to its zygote.
/// @param folder the worker's own: its home and place for temporary files
std::vector<std::string> worker_environment(const worker_python& python, worker_role role,
                                            const std::filesystem::path& folder);

std::string name_of(worker_role role);

}  // namespace devices::worker
