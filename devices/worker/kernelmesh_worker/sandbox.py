"""The sandbox that the owner put this process in, and the one that a candidate gets: calls of the C++ library for it.

Without one (level "none") nothing here is called but `is_on`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LEVEL = "KERNELMESH_SANDBOX"
_LIBRARY = "KERNELMESH_SANDBOX_LIBRARY"
_LIST = "KERNELMESH_SANDBOX_LIST"  # set by the guard: what may be read in every candidate's sandbox
_ERROR_BYTES = 512
_OF_SYSTEM = ("/usr", "/lib", "/bin", "/sbin", "/sys", "dev ")  # what a program without Python needs
_HOSTS = ("/kernelmesh-native-host", "/kernelmesh-cuda-host")
CANDIDATE_FOLDER = "/candidate"


class SandboxError(Exception):
    """It could not be set up; the message says why in one sentence."""


@dataclass(frozen=True)
class Permissions:
    """Of one candidate. `folder` is shown to it as CANDIDATE_FOLDER, `cache` under its own name and for writing.
    With `system_only` it sees no interpreter and no packages, where libraries lie that could do its work."""

    folder: str = ""
    cache: str = ""
    processes: bool = False
    exec: bool = False
    system_only: bool = False

    def text(self) -> str:
        """As devices/sandbox/spec.hpp has it."""
        shown = os.environ.get(_LIST, "").splitlines()
        lines = [
            x
            for x in shown
            if not self.system_only or x.removeprefix("ro ").startswith(_OF_SYSTEM) or x.endswith(_HOSTS)
        ]
        lines += [f"candidate {self.folder}"] * bool(self.folder) + [f"rw {self.cache}"] * bool(self.cache)
        lines += ["processes"] * self.processes + ["exec"] * self.exec
        return "\n".join(lines)


def level() -> str:
    return os.environ.get(_LEVEL, "none")


def is_on() -> bool:
    return level() != "none"


def place_for_candidates(folder: Path) -> Path:
    """Where a candidate finds the folder that its permissions name."""
    return Path(CANDIDATE_FOLDER) if is_on() else folder


@functools.cache
def load() -> ctypes.CDLL:
    """Before there are forks that would each do it."""
    return ctypes.CDLL(os.environ[_LIBRARY])


def _call(name: str, *arguments: int | bytes) -> int:
    error = ctypes.create_string_buffer(_ERROR_BYTES)
    result = getattr(load(), f"kernelmesh_sandbox_{name}")(*arguments, error, ctypes.c_size_t(_ERROR_BYTES))
    if result < 0:
        raise SandboxError(error.value.decode("utf-8", "replace"))
    return result


def become_worker() -> None:
    """Gives up what only the start needed. Memory of this process can't be looked at by others any more."""
    _call("become_worker")


def become_candidate(may: Permissions) -> None:
    """The calling process sees only what a candidate may; there is no way back."""
    _call("become_candidate", may.text().encode())
    for name in (_LEVEL, _LIBRARY, _LIST):
        os.environ.pop(name, None)
    os.environ |= {"HOME": "/tmp", "TMPDIR": "/tmp", "TRITON_HOME": "/tmp"}


def end_processes() -> None:
    """By a candidate that has loaded its program, which may have built something: it starts no process any more."""
    _call("end_processes")


class PidNamespaces:
    """Of the zygote, for its forks."""

    def __init__(self) -> None:
        load()
        self._guard = os.fsencode(Path(os.environ[_LIBRARY]).with_name("kernelmesh-guard"))
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    @contextlib.contextmanager
    def fresh(self) -> Iterator[int]:
        """What is forked inside runs in a new namespace; gives the pid of its init, whose end ends all of it."""
        init = _call("open_pid_namespace", self._guard)
        try:
            yield init
        except BaseException:
            os.kill(init, signal.SIGKILL)
            os.waitpid(init, 0)
            raise
        finally:
            _call("close_pid_namespace", self._own)
