#pragma once
// Files from outside, read whole and within bounds: never a pipe, a device or more than was asked for.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "messages/records/failure.hpp"

namespace configs {

/// What a file is to be, and for the sentences what it is called.
struct file_request {
  std::filesystem::path path;
  std::string what;                      ///< "task", "config"; "the task relu.py ..."
  std::uint64_t limit_bytes = 4u << 20;  ///< more is a failure
  bool text = true;                      ///< UTF-8 without NUL bytes; not empty
  std::filesystem::path inside;          ///< where given, the file must really lie in this folder (symlinks)
  std::string of_folders;                ///< what to do when it is a folder, "name one file"
  messages::failure_code code = messages::failure_code::bad_input;  ///< of the failure
};

/// Contents. A failure is one sentence that names the path; its code is the request's, or `storage` where the disk
/// fails. A byte order mark at the start of a text is dropped.
messages::expected<std::string> read_file(const file_request& request);

bool valid_utf8(std::string_view text);

/// Place of the first byte that begins no character of UTF-8, or of one that is cut off; none if all are whole.
std::optional<std::size_t> first_not_utf8(std::string_view text);

/// "4 MiB", "1.5 KiB"
std::string worded_size(std::uint64_t bytes);

}  // namespace configs
