#pragma once
// How problems are worded, so that every sentence about a wrong input reads alike.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace configs {

/// In double quotes; control characters and what is not ASCII-safe escaped, cut after 60 bytes.
std::string in_quotes(std::string_view text);

/// `"a", "b" or "c"`; at most 12, then "and 5 more".
std::string listed(std::span<const std::string> names);

/// The known name that was probably meant; empty where none is near.
std::string nearest(std::string_view name, std::span<const std::string> known);

/// `; did you mean "x"?`, or the known names where none is near, or nothing where none is known.
std::string suggestion(std::string_view name, std::span<const std::string> known, std::string_view what);

/// What is wrong with a task: `FILE:LINE: message`, as editors take it, or without a line `the task FILE: message`.
std::string about_task(std::string_view file, std::string_view line, std::string_view message);

/// Relative to the working folder where it lies in it, else absolute.
std::string path_for_people(const std::filesystem::path& path);

/// Letters, digits, '_', '-' and '.' stay, the rest becomes '_'; not empty, no leading dot, at most 64 bytes. For file
/// names and ids.
std::string safe_name(std::string_view text);

}  // namespace configs
