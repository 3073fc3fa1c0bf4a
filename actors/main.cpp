#include <exception>
#include <iostream>

#include "actors/cli/arguments.hpp"
#include "actors/cli/options.hpp"
#include "actors/cli/signals.hpp"

int main(int argc, char** argv) {
  actors::cli::ignore_broken_pipes();
  try {
    return actors::cli::run_command_line(argc, argv);
  } catch (const std::exception& e) {  // of the standard library: no memory, no such path
    std::cerr << "kernelmesh: " << e.what() << '\n';
    return static_cast<int>(actors::cli::exit_code::infrastructure);
  }
}
