"""What a worker asks of the operating system for its own process."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_MAX = -1, -2, -4


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int) -> None:
    """SIGKILL at the parent's death; ends at once if it has died already."""
    _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def hide_memory() -> None:
    """From other processes of the same user, those that this one starts too."""
    _libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def adopt_orphans() -> None:
    """Processes that descend from this one and lose their parent become its children."""
    _libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def keep_freed_pages() -> None:
    """Memory that was freed stays mapped, so that fresh tensors cost no page faults. glibc only."""
    mallopt = getattr(_libc(), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, -1)
        mallopt(_M_TOP_PAD, 64 << 20)


def give_back_pages() -> None:
    """Returns freed memory to the system; for between two jobs."""
    trim = getattr(_libc(), "malloc_trim", None)
    if trim is not None:
        trim(0)


def core_count() -> int:
    return len(os.sched_getaffinity(0))


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))
