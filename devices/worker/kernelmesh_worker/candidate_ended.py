"""How a candidate's process ends before it is let go, and what keeps a turn of it from counting."""

from __future__ import annotations

from collections.abc import Sequence

from kernelmesh_worker.last_words import joined
from kernelmesh_worker.text import clean, one_line


class OutOfTurn(Exception):
    """It was given a core while it was stopped: it may know the contents, which others must take the place of."""


class CandidateEnded(Exception):
    """It does not go on; `fate` is the record candidate_fate, `library` what it tried of closed libraries."""

    def __init__(self, end: str, phase: str, code: int = 0, message: str = "", library: Sequence[str] = ()) -> None:
        super().__init__(end)
        self.fate = {"end": end, "phase": phase, "code": code, "message": clean(message)}
        self.library = list(library)
        self.said = one_line(clean(message)) or end  # its last words; without any, how it ended

    def add(self, said: str) -> None:
        """What its process said besides."""
        if said:
            self.fate["message"] = clean(joined(self.fate["message"], said))
            self.said = one_line(self.fate["message"])
