#pragma once
// Scripts that complete our command line in shells, made of the same commands and flags that are parsed.

#include <filesystem>
#include <string>
#include <vector>

#include "messages/records/failure.hpp"

namespace actors::cli {

struct flag_description {
  std::string name;  ///< "json", without dashes
  std::string help;
  bool takes_value = false;
};

struct command_description {
  std::string name;
  std::string help;
  std::vector<flag_description> flags;
  std::vector<command_description> commands;
};

std::vector<std::string> known_shells();

/// @param templates the folder of the scripts' templates
/// @param root the program; its own name is not part of the commands
/// Failures: bad_input (a shell that is not known), misconfigured.
messages::expected<std::string> completion_script(const std::filesystem::path& templates, const std::string& shell,
                                                  const command_description& root);

}  // namespace actors::cli
