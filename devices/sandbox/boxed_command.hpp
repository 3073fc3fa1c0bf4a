#pragma once
// A command in a sandbox with an init of its own, for the guard.

#include <sys/types.h>
#include <functional>

#include "devices/sandbox/spec.hpp"

namespace devices::sandbox {

inline constexpr int no_sandbox = 125;  ///< exit code; the reason is on standard error

/// Enters the sandbox, starts its init, and in there `command`, which executes a program. All of it ends when the
/// command, the init, the caller or its parent `guard` ends.
/// @returns the exit code of the command, 128 + signal if one ended it, or `no_sandbox`
int run_boxed(const spec& x, pid_t guard, const std::function<void()>& command);

/// Of a status that wait gave.
int exit_code_of(int status);

}  // namespace devices::sandbox
