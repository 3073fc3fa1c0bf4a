"""What a process says on its standard error while it is loaded: a compiler's errors, say. Untrusted text."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from kernelmesh_worker.text import clean, error_line

_KEPT_BYTES = 8 << 10
_SHOWN_BYTES = 2 << 10
_READ_BYTES = 64 << 10


class LastWords:
    """A pipe whose other end is the process's standard error. Only the end of what is said is kept."""

    def __init__(self, heard: bool) -> None:
        """Without `heard` there is none, and nothing is said."""
        self._ours, self._theirs = os.pipe2(os.O_CLOEXEC) if heard else (-1, -1)
        self._said = b""
        if heard:
            os.set_blocking(self._ours, False)

    @contextlib.contextmanager
    def lent(self) -> Iterator[tuple[int, ...]]:
        """The process's end, while it is passed on."""
        try:
            yield (self._theirs,) if self._theirs >= 0 else ()
        finally:
            self._theirs = _closed(self._theirs)

    def hear(self) -> None:
        """Takes what there is, at most what the pipe holds."""
        if self._ours < 0:
            return
        with contextlib.suppress(BlockingIOError):
            self._said = (self._said + os.read(self._ours, _READ_BYTES))[-_KEPT_BYTES:]

    def end(self) -> str:
        """The whole lines at its end."""
        self.hear()
        text = self._said.decode("utf-8", "replace").strip()
        if len(text) > _SHOWN_BYTES:
            text = text[-_SHOWN_BYTES:].partition("\n")[2] or text[-_SHOWN_BYTES:]
        return clean(text)

    def close(self) -> None:
        self._ours = _closed(self._ours)


def _closed(descriptor: int) -> int:
    if descriptor >= 0:
        os.close(descriptor)
    return -1


def joined(message: str, said: str) -> str:
    """What it raised with what it said: the line that names an error stands in the first one."""
    head, _, rest = message.partition("\n")
    found = error_line(said)
    head = f"{head} ({found})" if found and found not in head else head
    return "\n".join(x for x in (head, said, rest) if x)
