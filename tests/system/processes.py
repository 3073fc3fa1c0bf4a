"""Processes that belong to one state folder, found through /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """`role`: node, guard (its child and the sandbox's init too), judge, zygote, fork (of it), compiler, or a name."""

    pid: int
    parent: int
    role: str
    serves: str  # of a guard: the role of what it guards


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:  # it ended just now
        return b""


def _parent(pid: int) -> int:
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def _worker_role(command: list[str]) -> str:
    return command[command.index("kernelmesh_worker") + 1] if "kernelmesh_worker" in command else ""


def _describe(pid: int) -> Process:
    command = _read(Path(f"/proc/{pid}/cmdline")).decode(errors="replace").split("\0")
    name = os.path.basename(command[0])
    worker = _worker_role(command)
    if name == "kernelmesh-guard":
        return Process(pid, _parent(pid), "guard", worker)
    return Process(pid, _parent(pid), "node" if name == "kernelmesh" else worker or name, "")


def of(state: Path) -> list[Process]:
    """All whose environment or command line names the folder. Zombies have neither."""
    mark = str(state).encode()
    pids = [int(x) for x in os.listdir("/proc") if x.isdigit() and int(x) != os.getpid()]
    marked = [x for x in pids if mark in _read(Path(f"/proc/{x}/environ")) + _read(Path(f"/proc/{x}/cmdline"))]
    found = [_describe(x) for x in marked]
    zygotes = {x.pid for x in found if x.role == "zygote"}
    return [Process(x.pid, x.parent, "fork", "") if x.parent in zygotes else x for x in found]


def with_role(state: Path, role: str, serves: str = "") -> list[Process]:
    return [x for x in of(state) if x.role == role and x.serves == serves]
