#pragma once
// How system calls that fail become a sentence.

#include <cerrno>
#include <cstring>

#include "devices/sandbox/spec.hpp"

namespace devices::sandbox {

/// Of the call that failed last.
inline tl::unexpected<std::string> cannot(const std::string& what) {
  return tl::unexpected{"cannot " + what + ": " + std::strerror(errno)};
}

/// `result` is what a system call returned.
inline expected<void> checked(long result, const std::string& what) {
  if (result < 0) return cannot(what);
  return {};
}

}  // namespace devices::sandbox
