#pragma once
// What a process in a sandbox can't do any more, for itself and all that it starts.

#include "devices/sandbox/spec.hpp"

namespace devices::sandbox {

enum class rules {
  worker,     ///< judge, compiler: start programs, local sockets, choose cores
  candidate,  ///< none of that, unless `freedom` says so
};

/// Of a candidate.
struct freedom {
  bool processes = false;  ///< start processes and programs
  bool exec = false;       ///< become another program
  bool devices = false;    ///< start the driver of a device, which opens local sockets
  bool profiler = false;   ///< count events of its processes, open any socket
};

/// No way back to them: the bounding set is emptied too.
expected<void> drop_capabilities();

/// System calls that lead out of a sandbox, into other processes or to parts of the kernel that no kernel needs, fail
/// with EPERM from now on, or with ENOSYS where a C library then takes another way.
expected<void> filter_calls(rules whose, freedom may = {});

/// Of a candidate: no core files, files of at most 1 GiB, 256 descriptors, threads by the number of cores.
expected<void> limit_resources();

}  // namespace devices::sandbox
