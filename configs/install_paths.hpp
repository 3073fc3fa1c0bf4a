#pragma once
// Where the files lie that kernelmesh brings along.

#include <filesystem>
#include <string_view>

#include "configs/surroundings.hpp"
#include "messages/records/failure.hpp"

namespace configs {

/// The same tree in a checkout and under <prefix>/share/kernelmesh.
struct install_paths {
  std::filesystem::path root;

  std::filesystem::path worker() const { return root / "devices" / "worker"; }
  std::filesystem::path dsl() const { return root / "dsl"; }
  std::filesystem::path systems() const { return root / "configs" / "system"; }
  std::filesystem::path model_facts() const { return root / "configs" / "model_facts.yaml"; }
  std::filesystem::path report_page() const { return root / "actors" / "report" / "report.html.mustache"; }
  std::filesystem::path check_python() const { return root / "configs" / "check_python.py"; }
  std::filesystem::path check_task() const { return worker() / "kernelmesh_worker" / "task_source.py"; }
  std::filesystem::path own_python() const { return root / ".venv" / "bin" / "python"; }  ///< as quickstart makes it
};

/// $KERNELMESH_ROOT, else by the executable: <root>/build/<preset>/kernelmesh, or <prefix>/bin/kernelmesh with
/// <prefix>/share/kernelmesh. Failure: misconfigured.
messages::expected<install_paths> find_install(const surroundings& around = surroundings::of_this_process());

}  // namespace configs
