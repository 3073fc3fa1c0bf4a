#pragma once
// One node: the tree of actors that a config describes, from start to an orderly end.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "configs/install_paths.hpp"
#include "configs/system_config.hpp"
#include "dsl/recipe.hpp"
#include "messages/blobs/blob_store.hpp"
#include "messages/records/event.hpp"
#include "messages/records/run.hpp"

namespace actors {

struct node_options {
  configs::system_config config;
  configs::install_paths install;
  std::filesystem::path state_folder;                    ///< opened: it exists and can be written
  std::filesystem::path python;                          ///< checked; empty if no worker is needed
  std::filesystem::path guard;                           ///< the program kernelmesh-guard
  std::string build;                                     ///< of this program, told to other nodes
  std::function<void(const messages::event&)> on_event;  ///< on an actor's thread: quick
};

/// Folders of a state folder.
std::filesystem::path runs_folder(const std::filesystem::path& state);
std::filesystem::path blobs_folder(const std::filesystem::path& state);
std::filesystem::path control_folder(const std::filesystem::path& state);
std::filesystem::path tuned_folder(const std::filesystem::path& state);
std::filesystem::path logs_folder(const std::filesystem::path& state);
std::filesystem::path calibrations_folder(const std::filesystem::path& state);
std::filesystem::path certs_folder(const std::filesystem::path& state);

/// All DSLs of the install, and those with recipes.
messages::expected<std::shared_ptr<const dsl::registry>> load_registry(const configs::install_paths& install);
messages::expected<std::shared_ptr<const dsl::language_set>> load_languages(const dsl::registry& registry);

/// Members may be called from any thread; each waits for the answer. Failures are those of the coordinator's protocol,
/// and actor_lost.
class node {
public:
  /// Failures: misconfigured, storage.
  static messages::expected<std::unique_ptr<node>> start(const node_options& options);

  /// Ends all actors and worker processes, within seconds.
  ~node();

  messages::expected<messages::run_accepted> start_run(const messages::run_spec& spec);
  messages::expected<messages::run_accepted> resume_run(const messages::run_id& run);

  /// Waits for the end of the run, however long.
  messages::expected<messages::run_status> await_run(const messages::run_id& run);
  messages::expected<messages::status_reply> status(const messages::run_id& run);
  messages::expected<messages::drain_reply> drain(const messages::run_id& run);

  /// One stage without a job, for benchmarks.
  messages::expected<messages::stage_result> run_stage(const messages::stage_request& request);

  /// Where other nodes join; empty: they don't.
  std::string listens_at() const;

  const blobs::blob_store& store() const;
  const dsl::language_set& languages() const;

private:
  struct tree;
  explicit node(std::unique_ptr<tree> x);
  std::unique_ptr<tree> tree_;
};

}  // namespace actors
