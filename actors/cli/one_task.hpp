#pragma once
// What optimize and verify have in common: a run made of flags.

#include "actors/cli/finish.hpp"

namespace actors::cli {

/// The task in the blob store of the system's state folder.
struct one_task : system_place {
  blobs::blob_store store;
  messages::task task;
  messages::blob_hash task_blob;
  configs::task_to_check text;
};

/// What a task is named by: a file, or a problem of the suite that lies at `data`.
struct task_choice {
  std::string task;
  std::string dtype;
  std::string data;
};

messages::expected<one_task> open_task(const common_options& common, const task_choice& choice);

/// Refuses devices and DSLs that the system config does not offer, then drives the run.
outcome drive_one_task(const common_options& common, const one_task& x, messages::run_spec spec);

}  // namespace actors::cli
