#pragma once
// The command line read and carried out.

namespace actors::cli {

/// @return the process's exit code
int run_command_line(int argc, char** argv);

}  // namespace actors::cli
