"""The judge's side of the pair: asks the zygote for candidates and learns of their ends."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernelmesh_worker import pair
from kernelmesh_worker.sandbox import Permissions

_START_S = 90.0  # the zygote may still be importing torch


class ZygoteLost(Exception):
    """The pair is closed: the judge can do nothing more."""


class ForkFailed(Exception):
    """The zygote could not start a candidate."""


@dataclass(frozen=True)
class Ended:
    """`signal` is 0 if it exited by itself."""

    code: int
    signal: int


@dataclass(frozen=True)
class Forked:
    """`init` is that of its pid namespace; 0 without a sandbox."""

    id: int
    pid: int
    init: int
    pidfd: int


def start_zygote(device: str) -> ZygoteClient:
    """As a child of this process. Before torch is imported here: both do it side by side."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    argv = [sys.executable, "-m", "kernelmesh_worker", "zygote", "--pair", str(theirs.fileno())]
    argv += ["--device", device]
    kept = {name: x for name, x in os.environ.items() if not name.startswith("TORCHINDUCTOR_")}
    with theirs:
        process = subprocess.Popen(argv, env=kept | {"OPENBLAS_NUM_THREADS": "1"}, pass_fds=[theirs.fileno()])
    return ZygoteClient(ours, process)


class ZygoteClient:
    def __init__(self, end: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        self._socket = end
        self._process = process
        self._next = 1
        self._forked: dict[int, Forked] = {}
        self._failed: dict[int, str] = {}
        self._ended: dict[int, Ended] = {}

    def fileno(self) -> int:
        return self._socket.fileno()

    def watch(self, lost: Callable[[], None]) -> None:
        """Calls it on a thread when the zygote has ended: this process may be busy with a task that does not look."""
        process = self._process
        assert process is not None
        threading.Thread(target=lambda: (process.wait(), lost()), daemon=True).start()

    def close(self) -> None:
        """Then it ends."""
        self._socket.close()

    def fork(self, descriptors: tuple[int, ...], may: Permissions, program: tuple[str, ...] = ()) -> Forked:
        """A candidate with these: its socket, the order, the lent buffers. Its pidfd is the caller's to close.

        `program` is executed in its place, if there is one; without one the last descriptor is its standard error.
        """
        wanted = self._next
        self._next += 1
        fork = {"id": wanted, "folder": may.folder, "cache": may.cache, "processes": may.processes}
        fork |= {"system_only": may.system_only, "profiler": may.profiler}
        self._send({"fork": fork | {"exec": list(program)}}, descriptors)
        deadline = time.monotonic() + _START_S
        while wanted not in self._forked and wanted not in self._failed:
            if not self.pump(deadline - time.monotonic()):
                raise ZygoteLost
        if wanted in self._failed:
            raise ForkFailed(self._failed.pop(wanted))
        return self._forked.pop(wanted)

    def end(self, candidate: int) -> None:
        """Kills its process group; `ended` tells when nothing of it is left."""
        self._send({"end": {"id": candidate}})

    def ended(self, candidate: int) -> Ended | None:
        return self._ended.get(candidate)

    def forget(self, candidate: int) -> None:
        self._ended.pop(candidate, None)

    def pump(self, limit_s: float) -> bool:
        """Takes one message if one comes in time."""
        if limit_s < 0 or not select.select([self._socket], [], [], limit_s)[0]:
            return False
        try:
            received = pair.receive_with_descriptors(self._socket)
        except (ConnectionResetError, pair.Unreadable) as error:
            raise ZygoteLost from error
        if received is None:
            raise ZygoteLost
        self._take(*received)
        return True

    def _take(self, message: dict[str, Any], descriptors: list[int]) -> None:
        kind, x = next(iter(message.items()))
        if kind == "forked" and len(descriptors) == 1:
            self._forked[x["id"]] = Forked(x["id"], x["pid"], x["init"], descriptors[0])
            return
        pair.close_all(descriptors)
        if kind == "failed":
            self._failed[x["id"]] = x["message"]
        elif kind == "ended":
            self._ended[x["id"]] = Ended(x["code"], x["signal"])

    def _send(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        try:
            pair.send(self._socket, message, descriptors)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ZygoteLost from error


def memfd_with(content: bytes) -> int:
    descriptor = os.memfd_create("kernelmesh-order", os.MFD_CLOEXEC)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    return descriptor
