#pragma once
// The best plans of earlier jobs on disk: a small file for each structure of op graph, device model and DSL. A file is
// replaced whole, so a crash loses at most the last plan; when there are too many files, those that were written
// longest ago go. What can't be read counts as not there.

#include <filesystem>
#include <optional>

#include "actors/logic/tuned.hpp"
#include "messages/records/failure.hpp"

namespace actors {

struct tuned_limits {
  std::size_t plans_a_file = 16;
  std::size_t files = 1024;
};

class tuned_plans {
public:
  explicit tuned_plans(std::filesystem::path folder, const tuned_limits& limits = {})
      : folder_(std::move(folder)), limits_(limits) {}

  std::optional<logic::known_plan> find(const messages::op_graph& graph, const std::string& dsl,
                                        const messages::device_info& device, const messages::run_id& own) const;

  /// What is known of the graph is filled in here. Failure: `storage`.
  messages::expected<void> keep(const messages::op_graph& graph, const std::string& dsl,
                                const messages::device_info& device, messages::tuned_plan news) const;

private:
  messages::tuned_plans_file read(const std::filesystem::path& file) const;
  void drop_oldest() const;

  std::filesystem::path folder_;
  tuned_limits limits_;
};

}  // namespace actors
