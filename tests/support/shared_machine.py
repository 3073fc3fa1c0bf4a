"""One machine for tests that run side by side: what takes times has it to itself, all else shares it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class SharedMachine:
    """One object a process, over the same folder, in which tests may also leave things for each other. The lock goes
    with its process, however that ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._room = (folder / "room").open("w")
        self._gate = (folder / "gate").open("w")  # held while waiting: who comes later does not overtake
        self._how = fcntl.LOCK_UN

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Beside others that share it; within `alone` nothing changes."""
        with self._held(fcntl.LOCK_SH):
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Beside nobody. Within `shared` that share is given back first, else two would wait for each other."""
        with self._held(fcntl.LOCK_EX):
            yield

    @contextmanager
    def _held(self, how: int) -> Iterator[None]:
        before = self._how
        if before in (how, fcntl.LOCK_EX):
            yield
            return
        self._take(how)
        try:
            yield
        finally:
            self._take(before)

    def _take(self, how: int) -> None:
        fcntl.flock(self._room, fcntl.LOCK_UN)
        if how != fcntl.LOCK_UN:
            fcntl.flock(self._gate, fcntl.LOCK_EX)
            fcntl.flock(self._room, how)
            fcntl.flock(self._gate, fcntl.LOCK_UN)
        self._how = how
