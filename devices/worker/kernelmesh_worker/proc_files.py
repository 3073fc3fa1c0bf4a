"""What the system's files in /proc say of processes. Empty answers of those that are gone."""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def state(stat: str) -> str:
    return next(iter(stat_fields(stat)), "")


def stat_fields(stat: str) -> list[str]:
    """What follows the name; empty if it is gone."""
    return content(stat).rpartition(b")")[2].decode("ascii", "replace").split()


def children(pid: int) -> list[int]:
    """Of all its threads."""
    threads = f"/proc/{pid}/task"
    return [int(child) for x in names_in(threads) for child in content(f"{threads}/{x}/children").split()]


def runs(pid: int) -> bool:
    """Not ended and not waiting to be reaped."""
    return state(f"/proc/{pid}/stat") not in ("", "Z", "X")


def names_in(folder: str) -> list[str]:
    """Empty if it is gone."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def content(file: str) -> bytes:
    """Of a small file of the system's; empty if it is gone. Asked for several times a turn."""
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def oom_kills() -> int:
    """How many processes the system has killed for want of memory since it started."""
    for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


def own_bytes(statm: Path, lent: int) -> int:
    """Resident, without what it is lent. Shared memory that it makes is its own."""
    try:
        return int(statm.read_text(encoding="ascii").split()[1]) * _PAGE - lent
    except (OSError, IndexError, ValueError):
        return 0
