"""Text that comes from tasks, candidates and compilers, made fit to be shown."""

from __future__ import annotations

import re

TEXT_BYTES = 4 << 10
LOG_BYTES = 16 << 10
_COMMAND_BYTES = 100  # of a text whose error stands further below
_ERROR = re.compile(r"\berror: |: error\b|fatal error|undefined reference|undefined symbol|ptxas fatal|\berror #?\d+:")


def clean(text: str, limit_bytes: int = TEXT_BYTES) -> str:
    """Without control characters (newline and tab stay) and at most so many bytes of UTF-8."""
    kept = "".join(c if c in "\n\t" or c.isprintable() else "?" for c in text[:limit_bytes])
    return kept.encode("utf-8", "replace")[:limit_bytes].decode("utf-8", "ignore")


def one_line(text: str, limit_bytes: int = 400) -> str:
    """The first line that is not empty, cleaned."""
    lines = (line.strip() for line in text.splitlines())
    return clean(next((line for line in lines if line), ""), limit_bytes).replace("\t", " ")


def error_line(text: str) -> str:
    """The first line that a compiler or a linker calls an error; empty if there is none."""
    return next((one_line(x) for x in text.splitlines() if _ERROR.search(x)), "")


def describe(error: BaseException) -> str:
    """ "ValueError: what it says", one line."""
    text = str(error)
    said, found = one_line(text), error_line(text)
    if found and found not in said:
        said = f"{said[:_COMMAND_BYTES]}...: {found}"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
