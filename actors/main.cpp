#include <fcntl.h>
#include <sys/resource.h>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "actors/cli/arguments.hpp"
#include "actors/cli/options.hpp"
#include "actors/cli/signals.hpp"

namespace {

/// Where the caller closed them, a file of ours would take their place.
void open_standard_files() {
  for (int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) std::abort();
}

/// Each connection of a worker or of a `status` takes a descriptor; where they run out, ZeroMQ ends the process.
void take_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The answer counts only once it is written.
int with_answer_written(int code) {
  if (std::cout.flush()) return code;
  std::cerr << "kernelmesh: cannot write to standard output\n";
  return static_cast<int>(actors::cli::exit_code::infrastructure);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_files();
  take_all_descriptors();
  actors::cli::ignore_broken_pipes();
  try {
    return with_answer_written(actors::cli::run_command_line(argc, argv));
  } catch (const std::exception& e) {  // of the standard library: no memory, no such path
    std::cerr << "kernelmesh: " << e.what() << '\n';
    return static_cast<int>(actors::cli::exit_code::infrastructure);
  }
}
