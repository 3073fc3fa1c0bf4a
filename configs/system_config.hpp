#pragma once
// What one node offers and how the system behaves. Every default has its home here; configs/system/local.yaml shows
// them all. Each key is explained in CONFIG.md.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "configs/known_names.hpp"
#include "configs/llm_options.hpp"
#include "configs/simulated_options.hpp"
#include "messages/records/failure.hpp"
#include "messages/records/stage.hpp"

namespace configs {

struct worker_options {
  std::string python;  ///< interpreter of judges and compilers; empty: searched for (python_search.hpp)
  void keys(auto& k);
};

enum class sandbox_need : std::uint8_t { required, unsafe_none };
constexpr auto enum_names(sandbox_need) { return std::to_array<std::string_view>({"required", "unsafe_none"}); }

struct sandbox_options {
  static constexpr std::string_view scalar_key = "level";
  sandbox_need level = sandbox_need::required;  ///< unsafe_none: where no sandbox is possible candidates run without
  std::string readable;  ///< "A:B": absolute paths that toolchains and interpreter need beside those found
  std::vector<std::string> readable_paths() const;
  void keys(auto& k);
};

struct device_options {
  static constexpr std::string_view scalar_key = "name";
  std::string name;                            ///< "cpu:0"
  std::optional<simulated_options> simulated;  ///< of devices of that kind only
  void keys(auto& k);
};

struct compiler_options {
  static constexpr std::string_view scalar_key = "dsl";
  std::string dsl;                             ///< name of a DSL's manifest
  std::uint32_t slots = 0;                     ///< builds side by side; 0: one for each core
  std::optional<simulated_options> simulated;  ///< there: no toolchain is asked, for rehearsals on simulated devices
  void keys(auto& k);
};

struct agent_options {
  std::vector<std::string> implementations{"rules"};  ///< side by side; the first is for jobs that name none
  std::uint32_t pool = 2;                             ///< questions that one implementation answers at once
  void keys(auto& k);
};

struct agents_options {
  agent_options planner, coder, debugger;
  void keys(auto& k);
};

/// How long a stage may run.
struct run_limits {
  std::chrono::milliseconds trace{120'000}, static_check{60'000}, compile{300'000}, verify{300'000}, time{300'000},
      profile{300'000};
  std::chrono::milliseconds of(messages::stage_kind kind) const;
  void keys(auto& k);
};

struct scheduler_options {
  std::uint32_t attempts = 3;                        ///< of one stage, with those that the machinery failed
  std::chrono::milliseconds queue_limit{3'600'000};  ///< a stage waits no longer
  run_limits run_limit;
  std::chrono::milliseconds grace{120'000};  ///< a stage that no resource can run waits so long for one to come
  std::uint32_t prefetch = 1;                ///< grants that lie ready at a device beyond what runs
  void keys(auto& k);
};

/// Where other nodes join. They need keys: `kernelmesh certs`.
struct listen_options {
  static constexpr std::string_view scalar_key = "address";
  std::string address;                         ///< "10.0.0.1:7400", "0.0.0.0:7400"; empty: none joins
  std::chrono::milliseconds heartbeat{2'000};  ///< between looks whether a node is there
  std::chrono::milliseconds silence{6'000};    ///< nothing heard for so long: it is lost, its stages run elsewhere
  void keys(auto& k);
};

struct journal_options {
  std::chrono::milliseconds commit_window{2};  ///< facts that come within it share one write to the disk
  void keys(auto& k);
};

struct monitor_options {
  bool publish = false;  ///< events on a socket in the state folder, for watchers in other processes
  void keys(auto& k);
};

enum class log_level : std::uint8_t { trace, debug, info, warning, error, off };
constexpr auto enum_names(log_level) {
  return std::to_array<std::string_view>({"trace", "debug", "info", "warning", "error", "off"});
}

struct log_options {
  log_level level = log_level::warning;
  void keys(auto& k);
};

struct system_config {
  std::string node = "local";  ///< this node's name
  std::string state_folder;    ///< empty: as state_folder.hpp says
  worker_options worker;
  sandbox_options sandbox;
  std::vector<device_options> devices{{.name = "cpu:0"}};
  std::vector<compiler_options> compilers{{.dsl = "cpp"}};
  agents_options agents;
  llm_options llm;
  scheduler_options scheduler;
  listen_options listen;
  journal_options journal;
  monitor_options monitor;
  log_options log;

  void keys(auto& k);
  messages::expected<void> validate(const known_names& known = {}) const;
};

/// "cpu" of "cpu:0"
std::string kind_of(std::string_view device);

/// Where a system config lies: a path where the name has a '/' or ends in ".yaml", else NAME.yaml in `systems`.
/// @param base relative paths are relative to it
messages::expected<std::filesystem::path> system_file(const std::string& name, const std::filesystem::path& base,
                                                      const std::filesystem::path& systems);

/// Makes the paths in it relative to the config's folder: the state folder, a Python with a '/', files of `llm`.
void anchor_paths(system_config& config, const std::filesystem::path& base);

/// Every problem in one go; its paths are anchored. Failures: misconfigured, storage.
messages::expected<system_config> load_system_config(const std::filesystem::path& file, const known_names& known = {});

}  // namespace configs
