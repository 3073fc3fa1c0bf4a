#pragma once
// What the process gives up before a candidate's code runs in it.

#include "devices/worker/native/order.hpp"

namespace devices::worker::native {

/// Every descriptor from `first` on is closed.
void close_from(int first);

/// No core dumps; signals end the process as the system has it, whatever was set before exec.
void restore_defaults();

/// Freed memory stays mapped, so that no call pays page faults for fresh memory; as in the other candidates' processes.
void keep_freed_pages();

/// For OpenMP, which looks when its library is loaded: so many threads, which sleep while they wait.
void announce_threads(int count);

/// The calls that no candidate may make are refused from now on; threads can be started, but no process and no program.
/// Adds to what was refused before exec. Can't be undone.
expected<void> deny_processes();

}  // namespace devices::worker::native
