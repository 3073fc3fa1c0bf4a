#pragma once
// What this program is called in the commands that it prints.

#include <string>

namespace actors::cli {

/// @param argv0 how it was called: by a name that was found through PATH, or by a path. Before anything is printed.
void called_as(const std::string& argv0);

/// `program() + " status"` works when pasted where it was called. "kernelmesh" until called_as.
const std::string& program();

/// "`kernelmesh resume RUN`" for "resume RUN".
std::string hint(const std::string& command);

/// As it is for a shell; in quotes where it needs them.
std::string in_shell_words(const std::string& word);

}  // namespace actors::cli
