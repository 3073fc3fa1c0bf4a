"""Ctrl-C: once gives back what runs, twice stops at once; both can be resumed."""

from __future__ import annotations

import re
import signal

import pytest
from home import Home, wait_until
from journal import assert_whole
from simulated_run import simulated
from task_files import task


def resume_as_printed(home: Home, said: str) -> None:
    command = re.search(r"`kernelmesh (resume [\w-]+)`", said)
    assert command, said
    ended = home.run(*command.group(1).split())
    assert ended.code == 0, ended.err
    assert_whole(home.only_journal())


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_drains_and_says_how_to_go_on(home: Home, sent: signal.Signals) -> None:
    node = home.start("run", simulated(home, ms=100), "--json")
    wait_until(lambda: home.only_journal().count() > 4, "facts")
    node.send_signal(sent)
    ended = home.end(node, limit_s=60)
    assert ended.code == 4
    (run,) = ended.document("kernelmesh.status/1")["runs"]
    assert run["phase"] == "interrupted"
    resume_as_printed(home, ended.err)


def test_two_signals_stop_at_once(home: Home) -> None:
    node = home.start("run", simulated(home, ms=100))
    wait_until(lambda: home.only_journal().count() > 4, "facts")
    node.send_signal(signal.SIGINT)
    wait_until(lambda: "once more" in home.said(node) or node.poll() is not None, "an answer to the first signal")
    node.send_signal(signal.SIGINT)
    ended = home.end(node, limit_s=60)
    assert ended.code == 4
    resume_as_printed(home, ended.err)


@pytest.mark.usefixtures("measured")
def test_an_interrupted_run_leaves_no_worker_behind(home: Home) -> None:
    node = home.start("optimize", home.write("relu.py", task("relu")))
    wait_until(lambda: home.only_journal().of_kind("candidate_created"), "a candidate")
    node.send_signal(signal.SIGINT)
    assert home.end(node, limit_s=60).code == 4
    home.assert_nothing_runs()
