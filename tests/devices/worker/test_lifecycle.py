"""Starts and ends of judge and zygote; what is left behind: nothing."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import build_folder
from family import Family, Hub, children_of, environment, python_work
from test_judging import ANSWERED, TASK, candidate


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Family]:
    """A family of the test's own."""
    family = Family(tmp_path)
    family.expect_hello()
    yield family
    family.close()


def wait_for_end(pid: int, limit_s: float = 20.0) -> bool:
    """Of a process that need not be our child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], limit_s)[0])
    finally:
        os.close(descriptor)


def test_hello_comes_first_and_says_who_it_is(family: Family) -> None:
    kind, record = family.ask("probe", {"device": "cpu:0"})
    assert kind == "probed"
    device = record["device"]
    assert (device["name"], device["kind"]) == ("cpu:0", "cpu")
    assert device["limits"]["cores"] == len(os.sched_getaffinity(0))
    assert device["limits"]["vector_bytes"] in (16, 32, 64)
    assert device["copy_bytes_per_second"] > 1e8
    assert device["memory_bytes"] > 1 << 30
    assert device["environment"]["kernelmesh"] == "test"


def test_what_was_measured_before_is_believed_of_the_same_machine_only(family: Family) -> None:
    measured = family.ask("probe", {"device": "cpu:0"})[1]["calibration"]
    known = measured | {"copy_bytes_per_second": 5e9, "fma_flops_per_second": 7e9}
    again = family.ask("probe", {"device": "cpu:0", "known": known})[1]
    assert again["calibration"] == known
    assert again["device"]["copy_bytes_per_second"] == 5e9
    assert again["device"]["limits"]["fma_flops_per_second"] == 7e9
    other = family.ask("probe", {"device": "cpu:0", "known": known | {"of": "another machine"}})[1]
    assert other["calibration"]["of"] == measured["of"]
    assert other["calibration"]["copy_bytes_per_second"] not in (0, 5e9)


def test_the_zygote_keeps_one_thread(family: Family) -> None:
    assert family.judge_python(TASK, ANSWERED)[0] == "verified"
    assert len(os.listdir(f"/proc/{family.pid_of('zygote')}/task")) == 1


def test_the_judge_says_how_far_it_is_and_what_it_does_not_do(family: Family) -> None:
    kind, record = family.ask("compile", {})
    assert kind == "failed" and "compile" in record["message"]


def test_the_judge_survives_a_command_that_breaks_it(family: Family) -> None:
    kind, record = family.ask("judge", {"device": "cpu:0"})
    assert kind == "failed" and "manifest" in record["message"]
    assert family.judge_python(TASK, ANSWERED)[0] == "verified"


def test_without_its_zygote_the_judge_ends_with_3(mortal: Family) -> None:
    os.kill(mortal.pid_of("zygote"), signal.SIGKILL)
    assert mortal.process.wait(60) == 3


def test_a_judge_that_is_busy_with_a_task_ends_without_its_zygote_too(mortal: Family) -> None:
    zygote = mortal.pid_of("zygote")
    task = {"name": "slow", "code": "import signal\nsignal.pause()\n", "dtype": "float32", "overrides": {}}
    mortal.hub.send("judge-1", "trace", {"task": task, "device": "cpu:0"})
    os.kill(zygote, signal.SIGKILL)
    assert mortal.process.wait(60) == 3


def test_a_killed_judge_takes_zygote_and_candidate_along(mortal: Family) -> None:
    mortal.hub.send("judge-1", "judge", python_work(mortal.files, TASK, candidate("time.sleep(600)")))
    zygote = mortal.pid_of("zygote")
    fork = await_fork(zygote)
    assert os.getsid(fork) == fork
    os.kill(mortal.pid_of("judge"), signal.SIGKILL)
    assert wait_for_end(fork) and wait_for_end(zygote)
    assert mortal.process.wait(20) == (128 + signal.SIGKILL if build_folder() else -signal.SIGKILL)
    assert mortal.descendants() == []


def await_fork(zygote: int) -> int:
    """A candidate of it, in a session of its own."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for child in children_of(zygote):
            with contextlib.suppress(ProcessLookupError):
                if os.getsid(child) == child:
                    return child
    raise TimeoutError("no candidate was forked")


def start(role: str, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "kernelmesh_worker", role, *more]
    return subprocess.Popen(argv, env=environment(folder), stderr=subprocess.PIPE)


def test_a_wrong_command_line_ends_with_2(tmp_path: Path) -> None:
    with start("judge", tmp_path) as process:
        assert process.wait(30) == 2


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(tmp_path)
    yield hub
    hub.close()


def test_a_worker_ends_when_its_hub_closes(tmp_path: Path) -> None:
    hub = Hub(tmp_path)
    with start("compiler", tmp_path, "--connect", hub.endpoint, "--id", "c") as process:
        assert hub.receive()[1] == "hello"
        hub.close()
        assert process.wait(30) == 0


def test_an_unreadable_command_ends_a_worker_with_4(hub: Hub, tmp_path: Path) -> None:
    with start("compiler", tmp_path, "--connect", hub.endpoint, "--id", "c") as process:
        hub.receive()
        hub.send_frame("c", b"\xc1")
        assert process.wait(30) == 4
