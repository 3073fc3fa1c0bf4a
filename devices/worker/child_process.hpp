#pragma once
// One process under the guard, as its owner sees it.

#include <sys/types.h>
#include <filesystem>
#include <string>
#include <vector>

#include "messages/records/failure.hpp"

namespace devices::worker {

/// An open file, socket or pipe; closed with its owner.
class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset();

private:
  int fd_ = -1;
};

struct process_order {
  std::vector<std::string> command;      ///< found by the PATH of `environment`, or absolute
  std::vector<std::string> environment;  ///< "NAME=value"; nothing else reaches the process
  std::filesystem::path folder;          ///< to run in
  std::string sandbox;                   ///< what is shown to it, as devices/sandbox/spec.hpp has it; empty: all
};

/// How it ended.
struct process_end {
  int code = 0;      ///< exit code, or 128 + signal
  std::string tail;  ///< last words on standard output and error, at most `tail_bytes`, cleaned of control characters
};
inline constexpr std::size_t tail_bytes = 4096;

/// Not thread-safe. Belongs to one thread for life: the guard ends when that thread ends.
class child_process {
public:
  /// Standard input is /dev/null, no other descriptor goes on to it. Fails with `worker_lost`; a command that can't be
  /// run ends with code 127 instead, one whose sandbox can't be set up with 125.
  static messages::expected<child_process> start(const std::filesystem::path& guard, const process_order& order);

  pid_t guard_pid() const { return pid_; }

  /// Readable when the process has ended.
  int exit_descriptor() const { return exit_.get(); }
  /// Readable when it wrote something; -1 after it closed its end.
  int output_descriptor() const { return output_.get(); }

  void read_output();
  void terminate();  ///< the guard kills all
  void kill();       ///< for a guard that does not
  bool has_ended(int wait_ms) const;
  process_end reap();  ///< sleeps until it has ended; once

private:
  pid_t pid_ = 0;
  descriptor exit_, output_;
  std::string tail_;
};

}  // namespace devices::worker
