#pragma once
// A root folder made from a list, in place of the machine's.

#include "devices/sandbox/spec.hpp"

namespace devices::sandbox {

/// Whose files the folders of `rw` become: a user without rights on this machine, where the caller is real root.
inline constexpr unsigned nobody = 65534;

/// What lies at /proc in the new root.
enum class proc_kind {
  outer,  ///< the caller's; a process of the new pid namespace mounts its own over it
  fresh,  ///< that of the caller's pid namespace
};

/// Replaces the root of the calling process, which has a mount namespace of its own and may mount.
/// In it lie: the listed paths under their own names; /tmp and /dev/shm, empty, of a quarter of the memory but 4 GiB at
/// most; harmless devices; the little of /etc that programs need to start; nothing else. The root itself is read-only,
/// and nothing in it is a way to more rights.
/// @param chown the paths of `rw` are given to `nobody`
expected<void> replace_root(const spec& x, proc_kind proc, bool chown);

}  // namespace devices::sandbox
