"""Starts and ends of judge and zygote; what is left behind: nothing."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from family import Family, Hub, environment, python_work
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


def test_the_zygote_keeps_one_thread(family: Family) -> None:
    assert family.judge_python(TASK, ANSWERED)[0] == "verified"
    assert len(os.listdir(f"/proc/{family.zygote.pid}/task")) == 1


def test_the_judge_says_how_far_it_is_and_what_it_does_not_do(family: Family) -> None:
    kind, record = family.ask("compile", {})
    assert kind == "failed" and "compile" in record["message"]


def test_the_judge_survives_a_command_that_breaks_it(family: Family) -> None:
    kind, record = family.ask("judge", {"device": "cpu:0"})
    assert kind == "failed" and "manifest" in record["message"]
    assert family.judge_python(TASK, ANSWERED)[0] == "verified"


def test_without_its_zygote_the_judge_ends_with_3(tmp_path: Path) -> None:
    family = Family(tmp_path)
    family.zygote.kill()
    assert family.judge.wait(60) == 3
    family.close()


def test_a_killed_judge_takes_zygote_and_candidate_along(mortal: Family) -> None:
    mark = mortal.folder / "running"
    code = candidate(f"open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    os.mkfifo(mark)
    mortal.hub.send("judge-1", "judge", python_work(mortal.folder, TASK, code))
    pid = int(mark.read_text(encoding="ascii"))  # waits until the candidate is in its call
    assert os.getsid(pid) == pid
    mortal.judge.send_signal(signal.SIGKILL)
    assert wait_for_end(pid)
    assert mortal.zygote.wait(20) == 0
    assert mortal.descendants() == []


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
