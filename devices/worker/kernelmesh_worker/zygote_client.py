"""The judge's side of the pair: asks the zygote for candidates and learns of their ends."""

from __future__ import annotations

import os
import select
import socket
import time
from dataclasses import dataclass
from typing import Any

from kernelmesh_worker import pair

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
    id: int
    pid: int
    pidfd: int


class ZygoteClient:
    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
        self._next = 1
        self._forked: dict[int, Forked] = {}
        self._failed: dict[int, str] = {}
        self._ended: dict[int, Ended] = {}

    def fileno(self) -> int:
        return self._socket.fileno()

    def fork(self, descriptors: tuple[int, ...]) -> Forked:
        """A candidate with these: its socket, the order, the lent buffers. Its pidfd is the caller's to close."""
        wanted = self._next
        self._next += 1
        self._send({"fork": {"id": wanted}}, descriptors)
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
            self._forked[x["id"]] = Forked(x["id"], x["pid"], descriptors[0])
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
