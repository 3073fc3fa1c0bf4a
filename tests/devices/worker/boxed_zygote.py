"""Plays the judge for a zygote in a sandbox: forks whatever program a test wants to see as a candidate."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxes import boxed
from family import environment
from kernelmesh_worker import pair
from kernelmesh_worker.sandbox import Permissions
from kernelmesh_worker.zygote_client import Ended, ZygoteClient, memfd_with

LIMIT_S = 60.0
_TELL = "import os, sys, socket\ntell = lambda *x: os.write(3, repr(x if len(x) > 1 else x[0]).encode()[:60000])\n"


@dataclass
class Told:
    """What a candidate said on its socket, as Python literals, and how it ended."""

    words: list[Any]
    end: Ended | None


class BoxedZygote:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            argv = [sys.executable, "-m", "kernelmesh_worker", "zygote", "--pair", str(theirs.fileno())]
            command = boxed(argv, folder, more=("keep-caps",))
            self.process = subprocess.Popen(command, env=environment(folder), cwd=folder, pass_fds=[theirs.fileno()])
        self.client = ZygoteClient(ours)

    def start(self, script: str, **may: Any) -> tuple[int, socket.socket]:
        """The id of a fork that runs a script, which has `tell(value)`; and our end of its socket."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        order = memfd_with(b"")
        try:
            program = (sys.executable, "-I", "-c", _TELL + script)
            forked = self.client.fork((theirs.fileno(), order), Permissions(**may), program)
        finally:
            os.close(order)
            theirs.close()
        os.close(forked.pidfd)
        return forked.id, ours

    def run(self, script: str, **may: Any) -> Told:
        fork, end = self.start(script, **may)
        with end:
            words = [eval(x) for x in iter(lambda: _packet(end), b"")]  # noqa: S307 - of the test's own script
        return Told(words, self.ended(fork))

    def ended(self, fork: int) -> Ended | None:
        while self.client.ended(fork) is None and self.client.pump(LIMIT_S):
            pass
        return self.client.ended(fork)

    def close(self) -> None:
        self.client.close()
        self.process.wait(LIMIT_S)


def _packet(end: socket.socket) -> bytes:
    assert select.select([end], [], [], LIMIT_S)[0]
    try:
        return end.recv(pair.PACKET_BYTES)
    except ConnectionResetError:
        return b""
