#pragma once
// Whether a failure to write is for want of room. Who writes says only that it failed, in many ways; the disk knows.

#include <filesystem>

#include "messages/records/failure.hpp"

namespace actors {

/// A failure of storage while the disk of the folder is as good as full.
bool for_want_of_room(const messages::failure& reason, const std::filesystem::path& folder);

/// Enough to go on.
bool has_room(const std::filesystem::path& folder);

}  // namespace actors
