#pragma once
// Whether a folder can be written, found out by writing.

#include <filesystem>
#include <string>

namespace configs {

/// Why no file can be made in the folder, in the system's words; empty if one can. Asking for permission is not enough:
/// root is always told yes, on a read-only disk too.
std::string why_not_writable(const std::filesystem::path& folder);

}  // namespace configs
