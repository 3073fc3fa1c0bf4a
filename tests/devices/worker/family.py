"""Plays the owner of a judge and its zygote, over real sockets, as ../../../devices/worker/PROTOCOL.md has it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgpack
import zmq

WORKER = Path(__file__).parents[3] / "devices" / "worker"
REPLY_S = 60.0


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "TMPDIR": str(folder),
        "HOME": str(folder),
        "PYTHONPATH": str(WORKER),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_WAIT_POLICY": "passive",
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": "-1",
        "MALLOC_TOP_PAD_": "67108864",
        "KERNELMESH_VERSION": "test",
    }


class Hub:
    """A ROUTER that talks to one worker."""

    def __init__(self, folder: Path) -> None:
        self.endpoint = f"ipc://{folder}/hub.sock"
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(self.endpoint)
        self._next = 1
        self.processes: list[subprocess.Popen[bytes]] = []  # without them there is nothing to wait for

    def send(self, worker: str, kind: str, work: dict[str, Any]) -> int:
        self._next += 1
        self.send_frame(worker, msgpack.packb({"id": self._next, "work": {kind: work}}))
        return self._next

    def send_frame(self, worker: str, frame: bytes) -> None:
        self._socket.send_multipart([worker.encode(), frame])

    def receive(self, limit_s: float = REPLY_S) -> tuple[int, str, dict[str, Any]]:
        """Id, kind and record of the next message."""
        deadline = time.monotonic() + limit_s
        while not self._socket.poll(200):
            codes = [x.poll() for x in self.processes]
            if any(code is not None for code in codes) or time.monotonic() > deadline:
                raise TimeoutError(f"no message within {limit_s} s; exit codes {codes}")
        _, frame = self._socket.recv_multipart()
        message = msgpack.unpackb(frame)
        ((kind, record),) = message["content"].items()
        return message["id"], kind, record

    def reply(self, command: int) -> tuple[str, dict[str, Any]]:
        while True:
            answered, kind, record = self.receive()
            assert answered == command
            if kind != "progress":
                return kind, record

    def close(self) -> None:
        self._socket.close()
        self._context.term()


class Family:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hub = Hub(folder)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            self.judge = self._start("judge", ours, "--connect", self.hub.endpoint, "--id", "judge-1")
            self.zygote = self._start("zygote", theirs)
        self.hub.processes = [self.judge, self.zygote]

    def _start(self, role: str, end: socket.socket, *more: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "kernelmesh_worker", role, "--pair", str(end.fileno()), *more]
        return subprocess.Popen(argv, env=environment(self.folder), pass_fds=[end.fileno()], start_new_session=True)

    def expect_hello(self) -> dict[str, Any]:
        command, kind, record = self.hub.receive()
        assert (command, kind) == (0, "hello")
        return record

    def ask(self, kind: str, work: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return self.hub.reply(self.hub.send("judge-1", kind, work))

    def judge_python(self, task: str, candidate: str, **more: Any) -> tuple[str, dict[str, Any]]:
        """Judges a python_host candidate given as text."""
        return self.ask("judge", python_work(self.folder, task, candidate, **more))

    def descendants(self) -> list[int]:
        """Processes below judge and zygote, dead or alive."""
        found, waiting = [], [self.judge.pid, self.zygote.pid]
        while waiting:
            children = _children(waiting.pop())
            found += children
            waiting += children
        return found

    def close(self) -> None:
        for process in (self.judge, self.zygote):
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
        self.hub.close()


def python_work(folder: Path, task: str, candidate: str, **more: Any) -> dict[str, Any]:
    source = folder / "source-of-candidate"
    source.write_text(candidate, encoding="utf-8")
    entry = {"python_host": {"file": "model.py", "symbol": "ModelNew"}}
    return work(task, entry, {"model.py": str(source)}, **more)


def work(task: str, entry: dict[str, Any], files: dict[str, str], **more: Any) -> dict[str, Any]:
    """A judge_work; `options`, `manifest` and `task_fields` are merged into its parts."""
    manifest = {"version": 1, "dsl": "", "entry": entry, "arguments": [], "outputs": []} | more.pop("manifest", {})
    options = {"draws": 5, "call_limit_ms": 10_000, "timing_budget_ms": 700} | more.pop("options", {})
    fields = {"name": "task", "code": task, "dtype": "float32", "overrides": {}} | more.pop("task_fields", {})
    filled = {"task": fields, "manifest": manifest, "files": files, "artifact": "", "adapter": "", "device": "cpu:0"}
    return filled | {"options": options, "time": False} | more


def spec(*shape: int, dtype: str = "float32") -> dict[str, Any]:
    """Of a contiguous tensor."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return {"dtype": dtype, "shape": list(shape), "strides": strides[::-1]}


def build(folder: Path, source: str) -> str:
    """A candidate's library, from C++ text."""
    file, library = folder / "kernel.cpp", folder / "kernel.so"
    library.unlink(missing_ok=True)
    file.write_text(source, encoding="utf-8")
    argv = ["g++", "-O2", "-shared", "-fPIC", f"-I{WORKER}", str(file), "-o", str(library)]
    subprocess.run(argv, check=True)
    return str(library)


def is_bad(draw: dict[str, Any]) -> bool:
    """Is something wrong with this draw's values? A plain reading of the figures."""
    return draw["inputs_changed"] or any(x["over_tolerance"] + x["non_finite_mismatch"] for x in draw["outputs"])


def _children(pid: int) -> list[int]:
    try:
        return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
