"""Every process of a run is killed in turn; nothing is left behind, and the run comes to the same good end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

import processes
import pytest
from home import Home, wait_until
from journal import Fact, assert_whole
from processes import Process
from task_files import task

CONFIG = """
name: chaos
system:
  scheduler: {{attempts: {attempts}, grace: 10m}}
tasks: [{tasks}]
targets: [{{device: "cpu:0", dsl: cpp}}]
limits: {{evaluations: {evaluations}, time: 1h}}
strategy: {{enough_roofline_share: 10, patience: 100}}
judge: {{draws: 20, timing_budget: 200ms}}
"""


class Chaos:
    """A run, and what was killed of it."""

    def __init__(self, home: Home, tasks: Sequence[str], evaluations: int = 4, attempts: int = 10) -> None:
        self.home = home
        # Large enough that a busy machine can't make the calls look empty.
        for name in tasks:
            home.write(f"{name}.py", task(name, rows=1024, columns=1024))
        files = ", ".join(f"{x}.py" for x in tasks)
        config = home.write("run.yaml", CONFIG.format(tasks=files, evaluations=evaluations, attempts=attempts))
        self.node: subprocess.Popen[str] = home.start("run", config, "--json")
        self.rows: list[tuple[int, str, str, bytes]] = []

    def judged(self) -> int:
        return len(self.home.only_journal().stages("verify")) + len(self.home.only_journal().stages("time"))

    def find(self, role: str, serves: str = "") -> Process:
        """Waits until there is such a process, as long as the run goes on."""

        def look() -> list[Process]:
            assert self.node.poll() is None, f"the run ended before its {role} was killed: {self.home.said(self.node)}"
            return processes.with_role(self.home.state, role, serves)

        return wait_until(look, f"a {role} {serves}")[0]

    def kill_during_work(self, role: str, serves: str = "") -> None:
        """Kills it while a candidate is with the judge; returns when the run has got on since."""
        judged = self.judged()
        self.find("fork")
        victim = self.find(role, serves)
        os.kill(victim.pid, signal.SIGKILL)
        self.assert_gone(victim)
        wait_until(lambda: self.judged() > judged or self.node.poll() is not None, f"work after the {role} was killed")

    def kill_at_any_time(self, role: str, delay_s: float) -> None:
        """A node that was killed is resumed; what it had journaled is there."""
        try:
            self.node.wait(timeout=delay_s)
        except subprocess.TimeoutExpired:
            pass
        if role != "node":
            victim = self.find(role)
            os.kill(victim.pid, signal.SIGKILL)
            return self.assert_gone(victim)
        assert self.node.poll() is None, f"the run ended before its node was killed: {self.home.said(self.node)}"
        self.node.kill()
        self.home.end(self.node)
        self.home.assert_nothing_runs()
        before, self.rows = self.rows, self.home.only_journal().rows()
        assert self.rows[: len(before)] == before
        self.node = self.home.start("resume", self.home.runs()[0], "--json")
        return None

    def assert_gone(self, victim: Process) -> None:
        """With all that it had started."""

        def left() -> bool:
            here = processes.of(self.home.state)
            return victim.pid in {x.pid for x in here} or victim.pid in {x.parent for x in here}

        wait_until(lambda: not left(), f"{victim.role} {victim.pid} and its children gone")


def rejections(home: Home) -> list[Fact]:
    return [x for x in home.only_journal().of_kind("stage_finished") if x.rejection]


def assert_good_end(home: Home, document: dict[str, Any]) -> None:
    assert all(x["best"]["verify"]["verdict"] == "passed" for x in document["jobs"])
    assert_whole(home.only_journal())
    assert not home.only_journal().lost_stages()
    home.assert_nothing_runs()


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_killed_workers_and_a_killed_node_cost_attempts_and_no_candidate(home: Home) -> None:
    chaos = Chaos(home, ["gelu", "swish"])
    compiler = chaos.find("compiler")
    wait_until(lambda: home.only_journal().of_kind("candidate_created"), "something to compile")
    os.kill(compiler.pid, signal.SIGKILL)
    chaos.assert_gone(compiler)
    for role, serves in (("judge", ""), ("zygote", ""), ("guard", "judge"), ("guard", "compiler")):
        chaos.kill_during_work(role, serves)
    chaos.find("fork")
    chaos.node.kill()
    assert home.end(chaos.node).code == -9
    home.assert_nothing_runs()

    ended = home.run("resume", home.runs()[0], "--json")
    assert ended.code == 0, ended.err
    assert_good_end(home, ended.document("kernelmesh.run/1"))
    assert [x.rejection for x in rejections(home)] == []
    assert max(x.result["attempt"] for x in home.only_journal().of_kind("stage_finished")) > 1


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_the_death_of_a_candidate_is_its_own_and_the_run_goes_on(home: Home) -> None:
    chaos = Chaos(home, ["gelu"])
    wait_until(lambda: chaos.judged() > 0, "a first candidate")
    candidate = chaos.find("fork")
    os.kill(candidate.pid, signal.SIGKILL)
    chaos.assert_gone(candidate)
    ended = home.end(chaos.node)
    assert ended.code == 0, ended.err
    assert_good_end(home, ended.document("kernelmesh.run/1"))
    # At most the one that was killed; the process may also have been a baseline, or one that had answered already.
    kinds = [x.rejection["kind"] for x in rejections(home) if x.rejection]
    assert len(kinds) <= 1
    assert set(kinds) <= {"crash", "load_error", "out_of_memory"}


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_fifty_kills_of_any_process_lose_nothing_and_repeat_nothing(home: Home) -> None:
    chance = random.Random(11)
    chaos = Chaos(home, ["gelu", "swish", "softsign", "softplus"], evaluations=8, attempts=20)
    wait_until(lambda: home.runs(), "a journal")
    for _ in range(50):
        role = chance.choice(["node", "judge", "zygote", "fork", "compiler"])
        chaos.kill_at_any_time(role, chance.uniform(0, 2))
    ended = home.end(chaos.node, limit_s=1200)
    assert ended.code == 0, ended.err
    document = ended.document("kernelmesh.run/1")
    assert all(x["best"]["verify"]["verdict"] == "passed" for x in document["jobs"])
    assert_whole(home.only_journal())
    home.assert_nothing_runs()
    # Of candidates whose own process was killed.
    assert {x.rejection["kind"] for x in rejections(home) if x.rejection} <= {"crash", "load_error", "out_of_memory"}
