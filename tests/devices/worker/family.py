"""Plays the owner of a judge and its zygote, over real sockets, as ../../../devices/worker/PROTOCOL.md has it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgpack
import zmq
from boxes import WORKER, boxed, device_nodes, variables

REPLY_S = 180.0


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
    } | variables()


class Hub:
    """A ROUTER that talks to one worker."""

    def __init__(self, folder: Path) -> None:
        self.endpoint = f"ipc://{folder}/hub.sock"
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(self.endpoint)
        self.socket_file = folder / "hub.sock"
        self.socket_file.chmod(0o666)  # workers are other users in their sandbox
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
    """A judge, which starts its zygote itself. `files` is a folder that the judge reads, `folder` its own. It times
    within `alone`: where tests run side by side, that keeps the others away."""

    def __init__(
        self, folder: Path, alone: Callable[[], AbstractContextManager[None]] = nullcontext, device: str = "cpu:0"
    ) -> None:
        self._alone = alone
        self.hub = Hub(folder)
        self.folder, self.files = folder / "judge", folder / "files"
        for made in (self.folder, self.files):
            made.mkdir()
        argv = [sys.executable, "-m", "kernelmesh_worker", "judge", "--connect", self.hub.endpoint, "--id", "judge-1"]
        argv += ["--device", device]
        command = boxed(
            argv, self.folder, own=(self.files, self.hub.socket_file), more=("keep-caps", *device_nodes(device))
        )
        self.process = subprocess.Popen(
            command, env=environment(self.folder), cwd=self.folder, stdin=subprocess.DEVNULL, start_new_session=True
        )
        self.hub.processes = [self.process]

    def pid_of(self, role: str) -> int:
        """Of the judge or the zygote, once it has said hello."""
        (found,) = (x for x in (self.process.pid, *self.descendants()) if _role_of(x) == role)
        return found

    def expect_hello(self) -> dict[str, Any]:
        command, kind, record = self.hub.receive()
        assert (command, kind) == (0, "hello")
        return record

    def ask(self, kind: str, work: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        with self._alone() if work.get("time") else nullcontext():
            return self.hub.reply(self.hub.send("judge-1", kind, work))

    def judge_python(self, task: str, candidate: str, **more: Any) -> tuple[str, dict[str, Any]]:
        """Judges a python_host candidate given as text."""
        return self.ask("judge", python_work(self.files, task, candidate, **more))

    def descendants(self) -> list[int]:
        """Processes below the one that was started, dead or alive."""
        found, waiting = [], [self.process.pid]
        while waiting:
            children = children_of(waiting.pop())
            found += children
            waiting += children
        return found

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.hub.close()


def python_work(folder: Path, task: str, candidate: str, **more: Any) -> dict[str, Any]:
    source = folder / "source-of-candidate"
    source.write_text(candidate, encoding="utf-8")
    entry = {"python_host": {"file": "model.py", "symbol": "ModelNew"}}
    return work(task, entry, {"model.py": str(source)}, **more)


def work(task: str, entry: dict[str, Any], files: dict[str, str], **more: Any) -> dict[str, Any]:
    """A judge_work; `options`, `manifest` and `task_fields` are merged into its parts."""
    manifest = {"version": 1, "dsl": "", "entry": entry, "arguments": [], "outputs": []} | more.pop("manifest", {})
    usual = {"draws": 5, "call_limit_ms": 10_000, "timing_budget_ms": 700, "allow_library_calls": True}
    options = usual | more.pop("options", {})
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


def _role_of(pid: int) -> str:
    """Of a worker's process itself, as its command line says: a guard has more before it."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return words[3].decode() if words[1:3] == [b"-m", b"kernelmesh_worker"] else ""


def children_of(pid: int) -> list[int]:
    try:
        return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
