"""What a DSL's adapter.py is written against. Imports nothing beyond the standard library."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypedDict

TOOL_OUTPUT_BYTES = 64 << 10
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Finding(TypedDict):
    """A static lead or a compiler's remark. Line 0: the whole file."""

    file: str
    line: int
    message: str


@dataclass(frozen=True)
class CompileRequest:
    """One candidate to build; `folder` is empty, absolute and its own."""

    manifest: dict
    files: dict[str, str]
    arch: str
    folder: str
    limit_s: float
    cores: int

    def read(self, path: str) -> str:
        """Text of the source that the manifest calls `path`."""
        return Path(self.files[path]).read_text(encoding="utf-8")

    def lay_out(self) -> None:
        """Copies the sources into the folder under their own names, since they include each other. ValueError for one
        that would lie outside of it."""
        for path in self.files:
            place = PurePosixPath(path)
            if place.is_absolute() or ".." in place.parts:
                raise ValueError(f"source {path!r} leaves the folder")
            file = Path(self.folder, place)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.read(path), encoding="utf-8")


@dataclass
class CompileResult:
    """`kind`, `message` and `log` are of a refusal; `artifact` is a file name in the request's folder or empty."""

    ok: bool
    artifact: str = ""
    kind: str = "compile_error"
    message: str = ""
    log: str = ""
    warnings: list[Finding] = field(default_factory=list)
    toolchain: str = ""


class ToolResult(NamedTuple):
    """`code` is negative for the signal that ended the program."""

    code: int
    output: str
    timed_out: bool


class ToolEnded(Exception):
    """Somebody ended a tool by a signal: a person, or the system for want of memory."""


def run_tool(argv: list[str], limit_s: float, cwd: str) -> ToolResult:
    """Runs a program in its own process group, which is killed as a whole at the limit and at the end.

    Both streams are returned as one text, at most 64 KiB of it: the beginning. A program that is not there raises
    OSError, one that somebody ended ToolEnded: neither says anything of what it was run on.
    """
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,
    )
    output = bytearray()
    reader = threading.Thread(target=_drain, args=(process, output), daemon=True)
    reader.start()
    with open(os.pidfd_open(process.pid), "rb", closefd=True) as ended:
        timed_out = not _readable(ended.fileno(), limit_s)
    _kill_group(process)  # before it is reaped: until then no other process can have its number
    code = process.wait()
    reader.join(5)  # bounded: somebody who left the group may hold the pipe
    if not timed_out and -code in _FROM_OUTSIDE:
        raise ToolEnded(f"{argv[0]} was ended by signal {-code}")
    return ToolResult(code, output[:TOOL_OUTPUT_BYTES].decode("utf-8", "replace"), timed_out)


def _readable(descriptor: int, limit_s: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0.0, limit_s) * 1000))


def _drain(process: subprocess.Popen[bytes], output: bytearray) -> None:
    assert process.stdout is not None
    with process.stdout as pipe:
        while chunk := pipe.read1(16384):
            output.extend(chunk[: max(0, TOOL_OUTPUT_BYTES - len(output))])


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
