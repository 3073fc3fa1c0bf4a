"""A node that is killed at any moment loses nothing: `resume` goes on to the same good end."""

from __future__ import annotations

import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from home import Home, wait_until
from journal import Journal, assert_whole
from task_files import task

SIMULATED = """
name: killed
system:
  devices:
    - name: simulated:0
      simulated:
        latency_ms: {trace: 3, static: 1, compile: 6, verify: 4, time: 5}
        jitter: 0.8
        failures: {infrastructure: 0.03, wrong_values: 0.1, crash: 0.05}
  compilers:
    - dsl: cpp
      simulated: {latency_ms: {compile: 6}, failures: {infrastructure: 0.03, compile_error: 0.1}}
  scheduler: {attempts: 20}
tasks: ["task*.py"]
targets: [{device: "simulated:0", dsl: cpp}]
strategy: {width: 3}
repeats: 5
"""

ON_CPU = """
name: killed
system:
  scheduler: {attempts: 10, grace: 10m}
tasks: ["task*.py"]
targets: [{device: "cpu:0", dsl: cpp}]
limits: {evaluations: 4}
strategy: {enough_roofline_share: 10}
judge: {timing_budget: 200ms}
"""


@dataclass(frozen=True)
class Moment:
    """When to kill: so many facts are there, and then a little later."""

    facts: int
    delay_s: float = 0

    def pass_by(self, node: subprocess.Popen[str], journal: Journal) -> None:
        wait_until(lambda: journal.count() >= self.facts or node.poll() is not None, f"{self.facts} facts")
        try:
            node.wait(timeout=self.delay_s)
        except subprocess.TimeoutExpired:
            pass


class KilledRun:
    """One run, killed and resumed; what was on disk before a kill must be there after it."""

    def __init__(self, home: Home, config: Path) -> None:
        self.home, self.config = home, config
        self.kills = 0
        self.seen: list[tuple[int, str, str, bytes]] = []

    def command(self) -> list[str]:
        return ["resume", self.home.runs()[0]] if self.seen else ["run", str(self.config)]

    def kill_at(self, moment: Moment) -> None:
        node = self.home.start(*self.command())
        wait_until(lambda: self.home.only_journal().count() > 0 or node.poll() is not None, "a journal")
        moment.pass_by(node, self.home.only_journal())
        node.kill()
        assert self.home.end(node).code == -9, f"it ended by itself before kill {self.kills}: {self.home.said(node)}"
        self.kills += 1
        self.home.assert_nothing_runs()
        self.look()

    def look(self) -> None:
        now = self.home.only_journal().rows()
        assert now[: len(self.seen)] == self.seen
        self.seen = now

    def finish(self) -> dict[str, Any]:
        """Resumes for the last time; the run is whole then."""
        ended = self.home.run("resume", self.home.runs()[0], "--json")
        assert ended.code == 0, ended.err
        self.look()
        assert_whole(self.home.only_journal())
        self.home.assert_nothing_runs()
        return ended.document("kernelmesh.run/1")


def assert_blobs_are_there(home: Home) -> None:
    for fact in home.only_journal().of_kind("candidate_created"):
        named = [fact.content["manifest_blob"], *(x["blob"] for x in fact.content["manifest"]["sources"])]
        assert all(home.blob(x).is_file() for x in named)


def write_simulated(home: Home, tasks: int = 3) -> Path:
    for i in range(tasks):
        home.write(f"task{i}.py", task("relu", f"torch.relu(x + {i})"))
    return home.write("run.yaml", SIMULATED)


def test_jobs_that_could_not_be_judged_are_tried_again(home: Home) -> None:
    config = write_simulated(home)
    node = home.start("run", str(config))
    wait_until(lambda: home.only_journal().count() > 3, "facts")
    node.kill()
    home.end(node)
    lost = home.state / "lost"
    (home.state / "blobs").rename(lost)
    ended = home.run("resume", home.runs()[0], "--json")
    assert ended.code == 3
    assert f"kernelmesh resume {home.runs()[0]}" in ended.err
    shutil.copytree(lost, home.state / "blobs", dirs_exist_ok=True)
    ended = home.run("resume", home.runs()[0], "--json")
    assert ended.code == 0, ended.err
    assert all(x["stopped_by"] != "infrastructure" for x in ended.document("kernelmesh.run/1")["jobs"])


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_on_a_simulated_device_survives_ten_kills_in_a_row(home: Home, seed: int) -> None:
    chance = random.Random(seed)
    run = KilledRun(home, write_simulated(home))
    for _ in range(7):  # after the N-th fact
        run.kill_at(Moment(len(run.seen) + chance.randint(1, 90)))
    for _ in range(3):  # at any time, that of reading the journal included
        run.kill_at(Moment(0, chance.uniform(0, 0.15)))
    document = run.finish()
    assert run.kills == 10
    assert len(document["jobs"]) == 15
    assert all(x["best"]["verify"]["verdict"] == "passed" for x in document["jobs"])
    assert all(Path(x["best"]["file"]).is_file() for x in document["jobs"])
    assert not home.only_journal().lost_stages()
    assert_blobs_are_there(home)


def test_a_run_that_is_killed_while_it_starts_never_began_or_goes_on(home: Home) -> None:
    chance = random.Random(3)
    config = write_simulated(home, tasks=1)
    for _ in range(10):
        node = home.start("run", config)
        Moment(0, chance.uniform(0, 0.06)).pass_by(node, Journal(Path("none")))
        node.kill()
        node.wait()
    assert home.run("status").code == 0
    for run in home.runs():
        ended = home.run("resume", run)
        if home.journal(run).count():
            assert ended.code == 0, ended.err
            assert_whole(home.journal(run))
        else:
            assert ended.code in (2, 3)
            assert "never began" in ended.sentence() or "no run" in ended.sentence()


def test_a_run_that_is_killed_after_its_last_fact_still_gives_its_results(home: Home) -> None:
    node = home.start("run", write_simulated(home, tasks=1))
    wait_until(lambda: home.only_journal().of_kind("run_finished"), "the last fact")
    node.kill()
    node.wait()
    before = home.only_journal().rows()
    for _ in range(2):
        ended = home.run("resume", home.runs()[0], "--json")
        assert ended.code == 0, ended.err
        document = ended.document("kernelmesh.run/1")
        assert Path(document["report"]).is_file()
        assert all(Path(x["best"]["file"]).is_file() for x in document["jobs"])
    assert home.only_journal().rows() == before


def test_only_one_process_drives_a_run(home: Home) -> None:
    node = home.start("run", write_simulated(home))
    wait_until(lambda: home.only_journal().count() > 3, "facts")
    second = home.run("resume", home.runs()[0])
    assert second.code == 3
    assert "another process drives this run" in second.sentence()
    assert home.end(node).code == 0
    assert_whole(home.only_journal())


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_a_run_on_the_cpu_survives_five_kills(home: Home) -> None:
    chance = random.Random(4)
    # Large enough that a busy machine can't make the calls look empty.
    home.write("task0.py", task("gelu", rows=1024, columns=1024))
    home.write("task1.py", task("swish", "(x + self.bias) * torch.sigmoid(x)", 1024, 1024, bias=True))
    run = KilledRun(home, home.write("run.yaml", ON_CPU))
    for i in range(5):  # one in each part of the run
        facts = chance.randrange(1 + 5 * i, 6 + 5 * i)
        run.kill_at(Moment(max(facts, len(run.seen)), chance.uniform(0, 0.4)))
    document = run.finish()
    assert run.kills == 5
    assert [x["best"]["verify"]["verdict"] for x in document["jobs"]] == ["passed", "passed"]
    assert [x.rejection for x in home.only_journal().of_kind("stage_finished") if x.rejection] == []
    assert not home.only_journal().lost_stages()
    assert_blobs_are_there(home)
