"""One state folder of kernelmesh with a working folder beside it, and the commands run on them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import processes
from journal import Journal

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KERNELMESH_BUILD", ROOT / "build" / "dev"))
PYTHON = os.environ.get("KERNELMESH_PYTHON", sys.executable)
BINARY = BUILD / "kernelmesh"
WITH_WORKERS = {"optimize", "verify", "bench", "run", "resume", "doctor", "node"}
HANDED_ON = ("PATH", "LANG", "HOME", "LD_LIBRARY_PATH", "KERNELMESH_ROOT")
T = TypeVar("T")


def wait_until(condition: Callable[[], T], what: str, limit_s: float = 120) -> T:
    """The first true answer; asks again every few milliseconds."""
    end = time.monotonic() + limit_s
    while not (answer := condition()):
        assert time.monotonic() < end, f"after {limit_s} s still not: {what}"
        time.sleep(0.002)
    return answer


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    def document(self, schema: str) -> dict[str, Any]:
        """What --json printed: one document of this schema and nothing else."""
        found = json.loads(self.out)
        assert found["schema"] == schema
        return found

    def sentence(self) -> str:
        """The error of a command that refuses: one line, no trace; with --json also a document, else no answer."""
        if self.out:
            error = self.document("kernelmesh.error/1")["error"]
            assert error["exit_code"] == self.code and self.err.endswith(f"kernelmesh: {error['message']}\n")
        assert "Traceback" not in self.err and "terminate called" not in self.err, self.err
        lines = self.err.strip().splitlines()
        assert lines, "nothing was said"
        return lines[-1]


class Home:
    """`state` is KERNELMESH_HOME, `work` the folder that commands run in."""

    def __init__(self, folder: Path) -> None:
        self.state, self.work = folder / "home", folder / "work"
        self.work.mkdir()
        self.started: list[subprocess.Popen[str]] = []

    def environment(self, **more: str) -> dict[str, str]:
        kept = {x: os.environ[x] for x in HANDED_ON if x in os.environ}
        return {**kept, "KERNELMESH_HOME": str(self.state), **more}

    def start(self, *arguments: str | Path, python: str = PYTHON, **environment: str) -> subprocess.Popen[str]:
        """A command in the background; its output is read by `end`."""
        argv = ["kernelmesh", *map(str, arguments)]  # as if it was found through PATH
        if arguments and arguments[0] in WITH_WORKERS and "--help" not in arguments:
            argv += ["--python", python]
        number = len(self.started)
        with (self.work / f".out{number}").open("w") as out, (self.work / f".err{number}").open("w") as err:
            self.started.append(
                subprocess.Popen(
                    argv,
                    executable=BINARY,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    text=True,
                    cwd=self.work,
                    env=self.environment(**environment),
                )
            )
        return self.started[-1]

    def said(self, process: subprocess.Popen[str]) -> str:
        """What it wrote to stderr so far."""
        return (self.work / f".err{self.started.index(process)}").read_text()

    def end(self, process: subprocess.Popen[str], limit_s: float = 300) -> Ended:
        """Waits for it."""
        process.wait(timeout=limit_s)
        out = (self.work / f".out{self.started.index(process)}").read_text()
        return Ended(process.returncode, out, self.said(process))

    def run(self, *arguments: str | Path, limit_s: float = 300, python: str = PYTHON, **environment: str) -> Ended:
        """A command from its start to its end."""
        return self.end(self.start(*arguments, python=python, **environment), limit_s)

    def write(self, name: str, text: str) -> Path:
        """A file in the working folder."""
        file = self.work / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def runs(self) -> list[str]:
        """Ids of the runs that have a folder, oldest first."""
        folder = self.state / "runs"
        return sorted(x.name for x in folder.iterdir()) if folder.is_dir() else []

    def journal(self, run: str) -> Journal:
        return Journal(self.state / "runs" / run / "journal.sqlite")

    def only_journal(self) -> Journal:
        """Of the one run that there is; it need not have begun."""
        runs = self.runs()
        assert len(runs) <= 1
        return self.journal(runs[0] if runs else "none")

    def blob(self, content: str) -> Path:
        return self.state / "blobs" / content[:2] / content[2:]

    def assert_nothing_runs(self, limit_s: float = 60) -> None:
        """Every process of this home ends, however deep in the tree."""
        wait_until(lambda: not processes.of(self.state), f"no process of {self.state} left", limit_s)

    def close(self) -> None:
        """Whatever a failed test left; by number, and only what is ours."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
        for left in processes.of(self.state):
            os.kill(left.pid, signal.SIGKILL)
