"""Tests may run side by side, as many as there are cores (pytest-xdist); those marked `alone` have the machine to
themselves while they run. A test without the mark runs all the same, beside others."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from shared_machine import SharedMachine

_FOLDER = "KERNELMESH_TEST_MACHINE"  # how the processes of one run of pytest find each other
_FOLDER_KEY = pytest.StashKey[tempfile.TemporaryDirectory[str]]()
_MACHINE_KEY = pytest.StashKey[SharedMachine]()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that starts the others, or the only one
        folder = config.stash[_FOLDER_KEY] = tempfile.TemporaryDirectory(prefix="kernelmesh-tests-")
        os.environ[_FOLDER] = folder.name
    config.stash[_MACHINE_KEY] = SharedMachine(Path(os.environ[_FOLDER]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those that run alone come first, so that nobody waits for them again and again."""
    items.sort(key=lambda x: x.get_closest_marker("alone") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    machine = item.config.stash[_MACHINE_KEY]
    with machine.alone() if item.get_closest_marker("alone") else machine.shared():
        return (yield)


@pytest.fixture(scope="session")
def machine(pytestconfig: pytest.Config) -> SharedMachine:
    """For tests of which only a part must run alone."""
    return pytestconfig.stash[_MACHINE_KEY]


# -- what pytest-xdist does not say -----------------------------------------------------------------------------------


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Each process leaves out the same; the first keeps how many for the last lines."""
    if items and os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        with (Path(os.environ[_FOLDER]) / "deselected").open("a") as out:
            out.write(f"{len(items)}\n")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    file = Path(os.environ[_FOLDER]) / "deselected"
    if file.exists():
        terminalreporter.write_line(f"{sum(map(int, file.read_text().split()))} deselected")
