#include "actors/cli/arguments.hpp"
#include "actors/cli/signals.hpp"

int main(int argc, char** argv) {
  actors::cli::block_signals();
  return actors::cli::run_command_line(argc, argv);
}
