#pragma once
// Takes processes into a sandbox of Linux namespaces: the guard a worker, the zygote a candidate.

#include "devices/sandbox/rights.hpp"
#include "devices/sandbox/spec.hpp"

namespace devices::sandbox {

/// The caller gets namespaces of its own (user, mount, ipc, network, host name, control group) and the root that `x`
/// lists. In there it is root of its user namespace and, outside, the user it was; real root becomes `nobody`, so root
/// of the machine is never inside. What it forks next is the init of a pid namespace: that one calls `enter_init`.
/// Single-threaded callers only. After a failure the caller has to end.
expected<void> enter_namespaces(const spec& x);

/// By the first process of the pid namespace: its own /proc.
expected<void> enter_init();

/// Judge or compiler: no capabilities, the filter of workers, memory that others of the same user can't look at. Fails
/// in a process with more than one thread: the others would keep what this one gives up.
expected<void> become_worker();

/// A pid namespace is made for what the caller, the zygote, forks next. Returns the pid of its first process: the guard
/// as `sleep_as_init`, since a fork of the zygote takes long. Whoever kills it ends all of the namespace.
/// @param guard absolute path of kernelmesh-guard
expected<int> open_pid_namespace(const std::string& guard);

inline constexpr auto init_word = "--init";  ///< the guard's argument

/// The init of a candidate's pid namespace: does nothing until it is killed, which the death of its parent does too. It
/// keeps its capabilities, so that no candidate may write its memory.
[[noreturn]] void sleep_as_init();
/// What is forked from now on stays in the caller's own one.
/// @param own open descriptor of /proc/self/ns/pid
expected<void> close_pid_namespace(int own);

/// A fork of the zygote becomes a candidate: a root with `x.readable` and `x.candidate` alone, /tmp to work in, no
/// capabilities, limits, the filter of candidates.
expected<void> become_candidate(const spec& x);

}  // namespace devices::sandbox
