"""The lock that tests side by side share."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from shared_machine import SharedMachine

LIMIT_S = 60


class Here:
    """Who has which share of the machine right now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.shared = self.alone = 0

    def enter(self, shared: int, alone: int) -> None:
        with self._lock:
            self.shared += shared
            self.alone += alone
            assert self.alone <= 1
            assert not (self.alone and self.shared)

    def leave(self, shared: int, alone: int) -> None:
        with self._lock:
            self.shared -= shared
            self.alone -= alone


def use(folder: Path, here: Here, times: int) -> None:
    """As tests do: each shares the machine and has it alone for a part of the time."""
    machine = SharedMachine(folder)
    for _ in range(times):
        with machine.shared():
            here.enter(1, 0)
            here.leave(1, 0)
            with machine.alone():
                here.enter(0, 1)
                with machine.shared():
                    assert (here.shared, here.alone) == (0, 1)
                here.leave(0, 1)
            here.enter(1, 0)
            here.leave(1, 0)


def test_who_is_alone_is_beside_nobody_and_all_get_their_turn(tmp_path: Path) -> None:
    here = Here()
    with ThreadPoolExecutor(3) as threads:
        for ended in [threads.submit(use, tmp_path, here, 200) for _ in range(3)]:
            ended.result(timeout=LIMIT_S)


def test_several_share_it_at_the_same_time(tmp_path: Path) -> None:
    met = threading.Barrier(3)

    def share() -> None:
        with SharedMachine(tmp_path).shared():
            met.wait(timeout=LIMIT_S)  # all are in here, or none comes past this

    with ThreadPoolExecutor(3) as threads:
        for ended in [threads.submit(share) for _ in range(3)]:
            ended.result(timeout=LIMIT_S)


def test_the_lock_goes_with_its_process(tmp_path: Path) -> None:
    dead = SharedMachine(tmp_path)
    dead.alone().__enter__()
    del dead  # its files are closed, as when a process ends
    with SharedMachine(tmp_path).alone():
        pass
