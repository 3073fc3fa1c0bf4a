#pragma once
// Where results go: told before the work, not after it, whether they can be written there.

#include <filesystem>
#include <vector>

#include "messages/records/failure.hpp"

namespace actors::cli {

/// A folder for results. It goes with this object, and so do the folders above it, if they were made for it and
/// nothing was written into them.
class results_folder {
public:
  /// Made where it is missing, and proved writable. Failures: bad_input (the user named no such place), storage (the
  /// disk is to blame).
  static messages::expected<results_folder> prepare(const std::filesystem::path& folder);

  results_folder(results_folder&& other) noexcept;
  results_folder& operator=(results_folder&&) = delete;
  ~results_folder();

private:
  explicit results_folder(std::vector<std::filesystem::path> made) : made_(std::move(made)) {}

  std::vector<std::filesystem::path> made_;  ///< the deepest first
};

/// Whether a file can be written that the user named. Failures as above.
messages::expected<void> check_place(const std::filesystem::path& file);

}  // namespace actors::cli
