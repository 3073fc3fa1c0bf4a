"""State folders and journals that can't be written or read: refused with a sentence, read where that is possible."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from home import BINARY, Home, wait_until
from simulated_run import simulated


def test_a_state_folder_that_can_not_be_made_is_refused(home: Home) -> None:
    config = simulated(home)
    for folder in ("/proc/kernelmesh", f"{home.work}/relu.py", f"{home.work}/relu.py/deeper"):
        ended = home.run("run", config, KERNELMESH_HOME=folder)
        assert ended.code == 3
        assert folder in ended.sentence() and "KERNELMESH_HOME" in ended.sentence()


def test_a_pipe_in_place_of_the_log_holds_nobody_up(home: Home) -> None:
    config = simulated(home)
    home.state.mkdir(mode=0o700)
    (home.state / "logs").mkdir()
    os.mkfifo(home.state / "logs" / "kernelmesh.log")
    ended = home.run("run", config)  # goes on without a log, and says so
    assert ended.code == 0
    assert "kernelmesh.log is no file; move it away" in ended.err


def test_an_export_whose_sources_are_gone_is_no_wrong_name(home: Home) -> None:
    assert home.run("run", simulated(home)).code == 0
    (run,) = home.runs()
    shutil.rmtree(home.state / "blobs")
    ended = home.run("export", run, "relu")
    assert ended.code == 3
    assert "is not in" in ended.sentence()


def beside_read_only(home: Home, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command while that folder is a disk that can't be written."""
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; shift; exec "$@"'
    argv = ["unshare", "-m", "sh", "-c", script, "sh", str(folder), str(BINARY), *arguments]
    ended = subprocess.run(
        argv, capture_output=True, text=True, env=home.environment(), check=False, timeout=60, cwd=home.work
    )
    if ended.returncode in (1, 77, 127):
        pytest.skip("nothing may be mounted here")
    return ended


def run_beside_read_only(home: Home, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """A simulated run beside such a folder."""
    folder.mkdir(mode=0o700)
    return beside_read_only(home, folder, "run", str(simulated(home)), *more)


def test_what_lies_on_a_read_only_disk_can_be_read(home: Home, finished: str) -> None:
    before = home.run("status", "--json").out
    assert beside_read_only(home, home.state, "status", "--json").stdout == before
    assert beside_read_only(home, home.state, "status", finished).returncode == 0
    for arguments in (["report", finished], ["export", finished, "relu"], ["trace", finished, "--out", "trace.json"]):
        ended = beside_read_only(home, home.state, *arguments)
        assert (ended.returncode, ended.stderr) == (0, ""), arguments
    assert "<html" in (home.work / "report.html").read_text()
    assert "class ModelNew" in (home.work / "relu_kernel.py").read_text()
    checked = beside_read_only(home, home.state, "doctor", finished, "--json")
    assert checked.returncode == 0 and json.loads(checked.stdout)["fit"] is True


def test_a_killed_run_on_a_read_only_disk_can_be_read(home: Home) -> None:
    node = home.start("run", simulated(home, ms=60))
    wait_until(lambda: home.only_journal().count() > 4, "facts")
    node.kill()
    home.end(node)
    (run,) = home.runs()
    log = home.state / "runs" / run / "journal.sqlite-wal"
    assert log.stat().st_size > 0  # what was written last is in there
    shown = beside_read_only(home, home.state, "status", run, "--json")
    assert shown.returncode == 0, shown.stderr
    (status,) = json.loads(shown.stdout)["runs"]
    assert (status["phase"], status["facts"]) == ("interrupted", home.journal(run).count())
    assert status["facts"] > 4


def test_a_state_folder_on_a_read_only_disk_is_refused(home: Home) -> None:
    ended = run_beside_read_only(home, home.state)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "can't be written" in ended.stderr and len(ended.stderr.splitlines()) == 1


def test_results_on_a_read_only_disk_are_refused_before_the_run_begins(home: Home) -> None:
    ended = run_beside_read_only(home, home.work / "locked", "--out", f"{home.work}/locked/deeper")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--out" in ended.stderr and len(ended.stderr.splitlines()) == 1
    assert home.runs() == []


def everything(folder: Path) -> dict[str, bytes]:
    """But for what SQLite puts beside a journal while it is read."""
    return {
        str(x): x.read_bytes() for x in sorted(folder.rglob("*")) if x.is_file() and x.suffix in (".sqlite", ".json")
    }


def do_damage(file: Path, damage: str, whole: bytes) -> str:
    """Makes the journal; what is to be said of it."""
    if damage == "newer":
        file.write_bytes(whole)
        with sqlite3.connect(file) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
    elif damage == "folder":
        file.mkdir()
    elif damage == "pipe":
        os.mkfifo(file)
    elif damage == "flipped":
        at = whole.index(b"job_finished") + 40  # in the fact's body: its name comes before, in the row and in the fact
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    else:
        file.write_bytes({"garbage": random.Random(1).randbytes(8192), "empty": b"", "text": b"a note\n"}[damage])
    return {
        "newer": "newer kernelmesh",
        "garbage": "not a database",
        "text": "not a database",
        "empty": "never began",
        "folder": "is no file but a folder",
        "pipe": "is no file but a pipe",
        "flipped": "run bad: fact ",
    }[damage]


@pytest.mark.parametrize("damage", ["newer", "garbage", "empty", "flipped", "folder", "pipe", "text"])
def test_a_journal_that_can_not_be_read_is_left_as_it_is(home: Home, finished: str, damage: str) -> None:
    bad = home.state / "runs" / "bad"
    bad.mkdir()
    file = bad / "journal.sqlite"
    whole = (home.state / "runs" / finished / "journal.sqlite").read_bytes()
    words = do_damage(file, damage, whole)
    before = everything(home.state / "runs")
    for arguments in (["resume", "bad"], ["status", "bad"], ["report", "bad"], ["export", "bad", "relu"]):
        ended = home.run(*arguments)
        assert ended.code == 3, arguments
        assert words in ended.sentence()
    assert home.run("doctor", "bad").code == 3
    listed = home.run("status", "--json")
    assert [x["run"] for x in listed.document("kernelmesh.status/1")["runs"]] == [finished]
    assert words in listed.err
    assert everything(home.state / "runs") == before
