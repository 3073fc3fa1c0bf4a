"""A coordinator and nodes that join it, each in a home of its own, on loopback."""

from __future__ import annotations

import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

from conftest import new_home
from home import Ended, Home, wait_until
from task_files import task

RUN = """
name: cluster
system:
  listen: {{address: "127.0.0.1:{port}", heartbeat: {beat_ms}ms, silence: {silence_ms}ms}}
  devices: []
  compilers: []
tasks: [{task}.py]
targets: [{{device: "{device}", dsl: cpp}}]
{more}
"""

SIMULATED_NODE = """
devices:
  - name: simulated:0
    simulated: {{latency_ms: {{trace: {ms}, compile: {ms}, verify: {verify_ms}, time: {ms}}}}}
compilers:
  - dsl: cpp
    simulated: {{latency_ms: {{compile: {ms}}}}}
"""

CPU_NODE = """
devices: [cpu:0]
compilers: [cpp]
"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Cluster:
    """The coordinator's home is `home`; one key, "pool", for all nodes."""

    def __init__(self, home: Home, stack: ExitStack) -> None:
        self.home, self.stack = home, stack
        self.port = free_port()
        made = home.run("certs", "new", "pool")
        assert made.code == 0, made.err
        self.token = self.token_for("pool")
        self.homes: dict[str, Home] = {}

    def token_for(self, name: str) -> str:
        printed = self.home.run("certs", "token", name, "--address", f"127.0.0.1:{self.port}")
        assert printed.code == 0, printed.err
        return printed.out.strip()

    def run_config(
        self,
        device: str = "simulated:0",
        name: str = "relu",
        more: str = "limits: {evaluations: 4}",
        silence_ms: int = 6000,
    ) -> Path:
        self.home.write(f"{name}.py", task(name))
        beat = {"beat_ms": silence_ms // 3, "silence_ms": silence_ms}
        return self.home.write("run.yaml", RUN.format(port=self.port, device=device, task=name, more=more, **beat))

    def start_run(self, config: Path, *flags: str) -> subprocess.Popen[str]:
        return self.home.start("run", config, "--json", "--verbose", *flags)

    def home_of(self, name: str) -> Home:
        if name not in self.homes:
            self.homes[name] = self.stack.enter_context(new_home())
        return self.homes[name]

    def start_node(self, name: str, config: str, token: str = "") -> subprocess.Popen[str]:
        """Returns at once; see `joined`."""
        home = self.home_of(name)
        file = home.write("node.yaml", config)
        return home.start("node", "--join", token or self.token, "--name", f"pool.{name}", "--system", file)

    def joined(self, name: str, node: subprocess.Popen[str]) -> None:
        home = self.homes[name]
        wait_until(lambda: "joined tcp://" in home.said(node) or node.poll() is not None, f"{name} joined")
        assert node.poll() is None, home.said(node)

    def said(self, run: subprocess.Popen[str], what: str) -> None:
        """Waits until the coordinator says it."""
        wait_until(lambda: what in self.home.said(run) or run.poll() is not None, what)
        assert what in self.home.said(run), self.home.said(run)

    def runners(self) -> set[str]:
        """Who carried out the stages of the one run."""
        facts = self.home.only_journal().of_kind("stage_finished")
        return {x.result["resource"] for x in facts}


def simulated_node(ms: int = 2, verify_ms: int = 2) -> str:
    return SIMULATED_NODE.format(ms=ms, verify_ms=verify_ms)


def end_node(home: Home, node: subprocess.Popen[str]) -> Ended:
    """Ctrl-C, as a user would."""
    node.terminate()
    return home.end(node, limit_s=60)
