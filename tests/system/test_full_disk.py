"""A full disk under the journal: the run waits, says so, loses nothing and goes on when there is room."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from home import Home, wait_until
from journal import assert_whole
from simulated_run import simulated


@pytest.fixture
def small_disk(home: Home) -> Iterator[Home]:
    """The state folder is a disk of its own, of 32 MiB."""
    home.state.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m,mode=0700", "kernelmesh-test", str(home.state)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing may be mounted here")
    try:
        yield home
    finally:
        home.close()
        subprocess.run(["umount", "-l", str(home.state)], check=True)


def fill(folder: Path) -> Path:
    """Takes all the room there is."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as out:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while out.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return filler


def test_a_run_waits_for_room_and_goes_on(small_disk: Home) -> None:
    home = small_disk
    node = home.start("run", simulated(home, ms=60), "--json")
    wait_until(lambda: home.only_journal().count() > 4, "facts")
    filler = fill(home.state)
    wait_until(lambda: " is full: the run waits" in home.said(node) or node.poll() is not None, "word of the full disk")
    assert node.poll() is None, home.said(node)
    before = home.only_journal().rows()
    (run,) = home.run("status", "--json").document("kernelmesh.status/1")["runs"]
    assert (run["phase"], run["facts"]) == ("running", len(before))
    assert run["jobs"][0]["remark"] == "waits for room on the disk"
    filler.unlink()
    ended = home.end(node, limit_s=120)
    assert ended.code == 0, ended.err
    assert "there is room on the disk: the run goes on" in ended.err
    assert home.only_journal().rows()[: len(before)] == before
    assert_whole(home.only_journal())
    assert not home.only_journal().lost_stages()
    assert ended.document("kernelmesh.run/1")["jobs"][0]["best"]


def test_a_run_that_waits_for_room_can_be_stopped_and_resumed(small_disk: Home) -> None:
    home = small_disk
    node = home.start("run", simulated(home, ms=60), "--json")
    wait_until(lambda: home.only_journal().count() > 4, "facts")
    filler = fill(home.state)
    wait_until(lambda: " is full: the run waits" in home.said(node) or node.poll() is not None, "word of the full disk")
    node.send_signal(signal.SIGINT)
    stopped = home.end(node, limit_s=60)
    assert stopped.code == 4
    assert stopped.document("kernelmesh.status/1")["runs"][0]["facts"] == home.only_journal().count() > 4
    filler.unlink()
    ended = home.run("resume", home.runs()[0])
    assert ended.code == 0, ended.err
    assert_whole(home.only_journal())


def test_a_run_does_not_begin_on_a_full_disk(small_disk: Home) -> None:
    home = small_disk
    assert home.run("status").code == 0  # its folders are made
    config = simulated(home)
    fill(home.state)
    ended = home.run("run", config)
    assert ended.code == 3
    assert ended.sentence()
