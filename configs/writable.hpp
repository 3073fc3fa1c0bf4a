#pragma once
// Whether a folder can be written, found out by writing.

#include <filesystem>
#include <system_error>

namespace configs {

/// Why no file can be made in the folder; no error if one can. Asking for permission is not enough: root is always told
/// yes, on a read-only disk too.
std::error_code why_not_writable(const std::filesystem::path& folder);

}  // namespace configs
