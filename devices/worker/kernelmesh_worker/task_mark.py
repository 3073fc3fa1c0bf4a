"""What of a task's code runs at the moment, noted where the judge's owner can read it when the judge is gone: code that
never ends, or ends the process, can't be answered for by the process that it runs in.

Two files in the worker's folder, as ../PROTOCOL.md has them. Without torch; nothing is noted before `keep_in`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

MARK_FILE = "task.mark"
LINES_FILE = "task.lines"
_BYTES = 128
_LOOK_AFTER_S = 2.0  # what is at work for longer is asked for its line, once


class _Notes:
    def __init__(self, folder: Path) -> None:
        with (folder / MARK_FILE).open("w+b") as file:
            file.truncate(_BYTES)
            self._page = mmap.mmap(file.fileno(), _BYTES)
        self._lines: IO[bytes] = (folder / LINES_FILE).open("wb")
        self._text = b""

    def write(self, text: bytes) -> bytes:
        """Returns what was noted before. In the file at once, whatever becomes of this process."""
        before, self._text = self._text, text
        self._page[:] = text[: _BYTES - 1].ljust(_BYTES, b"\0")
        return before

    def watch_lines(self) -> None:
        self._lines.seek(0)
        self._lines.truncate()
        faulthandler.dump_traceback_later(_LOOK_AFTER_S, file=self._lines)


_notes: _Notes | None = None


def keep_in(folder: Path) -> None:
    """From now on in this process."""
    global _notes
    _notes = _Notes(folder)


def forget() -> None:
    """What ends this process now is not the task."""
    if _notes is not None:
        _notes.write(b"")


@contextlib.contextmanager
def doing(what: str, watch: bool = False) -> Iterator[None]:
    """Notes that the task's code is at `what` ("importing"), and with `watch` on which line it is if it takes long."""
    notes = _notes
    if notes is None:
        yield
        return
    before = notes.write(f"{time.monotonic_ns() // 1_000_000} {what}".encode())
    if watch:
        notes.watch_lines()
    try:
        yield
    finally:
        if watch:
            faulthandler.cancel_dump_traceback_later()
        notes.write(before)
