"""Speaks the worker protocol without torch, and misbehaves on request: the task's or the DSL's name says how."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgpack
import zmq

Message = dict[str, Any]
SPEC = {"dtype": "float32", "shape": [2], "strides": [1]}
GRAPH = {
    "task": "relu",
    "values": [{"name": "x", "spec": SPEC}],
    "nodes": [{"name": "y", "op": "aten.relu", "output": SPEC}],
    "outputs": ["y"],
}
ORPHANS = (
    "import os, subprocess\n"
    "for session in (False, True):\n"
    "    subprocess.Popen(['sleep', '1000'], start_new_session=session)\n"
)


def mark_importing(task: str) -> None:
    """As a judge does that is at a task's third line."""
    folder = Path(os.environ["HOME"])
    (folder / "task.mark").write_bytes(f"{time.monotonic_ns() // 1_000_000} importing".encode().ljust(128, b"\0"))
    (folder / "task.lines").write_text(f'Thread 0x1:\n  File "{task}.py", line 3 in <module>\n')


class Worker:
    """The side that speaks: a judge or a compiler."""

    def __init__(self, role: str, arguments: dict[str, str]) -> None:
        self.role = role
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.setsockopt(zmq.ROUTING_ID, arguments["--id"].encode())
        self.socket.connect(arguments["--connect"])

    def send(self, command: int, content: Message) -> None:
        self.socket.send(msgpack.packb({"id": command, "content": content}))

    def say(self, command: int, text: str) -> None:
        self.send(command, {"task_refused": {"message": text, "line": 3}})

    def run(self) -> None:
        version = int(os.environ.get("FAKE_VERSION", "1"))
        environment = {"toolchain": "fake 1"}
        hello = {"version": version, "role": self.role, "pid": os.getpid(), "environment": environment}
        self.send(0, {"hello": hello})
        while True:
            command = msgpack.unpackb(self.socket.recv())
            [(name, work)] = command["work"].items()
            getattr(self, name)(command["id"], work)

    def probe(self, command: int, work: Message) -> None:
        device = {"name": work["device"], "kind": "cpu", "arch": "fake", "copy_bytes_per_second": 1e9}
        self.send(command, {"probed": {"device": device}})

    def trace(self, command: int, work: Message) -> None:
        wish = work["task"]["name"]
        if wish.endswith(" importing"):
            mark_importing(wish)
            wish = wish.removesuffix(" importing")
        if wish == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif wish == "crash":
            sys.stderr.write("Traceback\nValueError: as asked\n")
            sys.stderr.flush()
            os._exit(7)
        elif wish == "garbage":
            self.socket.send(b"\xc1 not a reply")
        elif wish == "orphans":
            subprocess.run([sys.executable, "-c", ORPHANS], check=True)
            self.say(command, "left")
        elif wish == "words":
            sys.stdout.write("x" * 1_000_000)
            sys.stdout.flush()
            self.say(command, "written")
        elif wish == "environment":
            self.say(command, "\n".join(f"{key}={value}" for key, value in sorted(os.environ.items())))
        elif wish == "pids":
            self.say(command, str(os.getpid()))
        elif wish.startswith("list "):
            place = Path(wish.removeprefix("list "))
            self.say(command, ", ".join(sorted(x.name for x in place.iterdir())) if place.exists() else "not there")
        elif wish == "unable":
            self.send(command, {"failed": {"message": "as asked"}})
        elif wish != "hang":
            self.send(command, {"progress": {"share": 0.5, "text": "half"}})
            others = [{**GRAPH, "task": "longer"}] if wish == "shapes" else []
            self.send(command, {"traced": {"graph": GRAPH, "others": others}})

    def judge(self, command: int, work: Message) -> None:
        output = {"elements": 2, "expected": SPEC, "got": SPEC, "max_abs": 1e-6}
        draw = {"seed": "aa", "kind": "own", "expected_outputs": 1, "got_outputs": 1, "outputs": [output]}
        read = [Path(x).read_text() for x in (work["artifact"], *work["files"].values())]
        environment = {"device_model": work["adapter"] + ", ".join(read)}
        if work["profile"]:
            self.send(command, {"profiled": {"figures": {"call_ns": 2e6, "missing": ["the fake has no profiler"]}}})
        elif work["time"]:
            times = {"candidate_ns": [1e6] * 9, "baseline_ns": {"eager": [2e6] * 9}, "repeat_ns": [2e6] * 9}
            self.send(command, {"timed": {"figures": {**times, "checked": [draw], "floor_bytes": 500_000}}})
        else:
            self.send(command, {"verified": {"figures": {"draws": [draw] * 5, "environment": environment}}})

    def compile(self, command: int, work: Message) -> None:
        wish = work["manifest"]["dsl"]
        folder = Path(work["folder"])
        if wish == "crash":
            os._exit(7)
        elif wish == "refuse":
            self.send(command, {"compile_refused": {"message": "a.cpp:1: error", "log": "long", "toolchain": "fake 1"}})
        elif wish == "limit":
            self.send(command, {"compile_refused": {"kind": "timeout", "message": str(work["limit_ms"])}})
        elif wish == "escape":
            (folder / "link").symlink_to("/etc/passwd")
            self.send(command, {"compiled": {"artifact": work["manifest"]["entry"]["c_abi"]["function"]}})
        elif wish != "hang":
            (folder / "kernel.so").write_text("library of " + Path(work["files"]["a.cpp"]).read_text())
            warning = {"file": "a.cpp", "line": 2, "message": "unused"}
            self.send(command, {"compiled": {"artifact": "kernel.so", "toolchain": "fake 1", "warnings": [warning]}})


def main() -> None:
    role, rest = sys.argv[1], sys.argv[2:]
    arguments = dict(zip(rest[::2], rest[1::2], strict=True))
    Worker(role, arguments).run()


if __name__ == "__main__":
    main()
