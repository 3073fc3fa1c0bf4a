#pragma once
// A folder of mode 0700 that goes away with its owner.

#include <filesystem>
#include <string>

#include "messages/records/failure.hpp"

namespace devices::worker {

/// 16 hex digits that nobody can guess.
std::string random_token();

/// Moved, not copied. The destructor removes the folder with all that is in it and follows no links.
class private_folder {
public:
  /// Makes PARENT/NAME; it must not be there. Parents are made where they are missing. Fails with `storage`.
  static messages::expected<private_folder> make(const std::filesystem::path& parent, const std::string& name);

  private_folder() = default;
  private_folder(private_folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  private_folder& operator=(private_folder&& other) noexcept;
  ~private_folder() { remove(); }

  const std::filesystem::path& path() const { return path_; }
  void remove();

private:
  explicit private_folder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace devices::worker
