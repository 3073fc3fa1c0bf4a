"""Each test gets a state folder of its own; its path is short, since sockets lie in it."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from home import BINARY, Home
from shared_machine import SharedMachine
from simulated_run import simulated

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job hands on that it is ignored


@contextmanager
def new_home() -> Iterator[Home]:
    """Removed at the end with all that runs in it."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    folder = Path(tempfile.mkdtemp(prefix="km-"))
    made = Home(folder)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def home() -> Iterator[Home]:
    with new_home() as made:
        yield made


@pytest.fixture
def measured(home: Home, machine: SharedMachine) -> Iterator[None]:
    """For tests that run on cpu:0 and are not about measuring it: in their home is what an earlier one measured."""
    kept, file = machine.folder / "cpu_0.json", home.state / "calibrations" / "cpu_0.json"
    home.state.mkdir(mode=0o700)
    if kept.exists():
        file.parent.mkdir()
        shutil.copyfile(kept, file)
    yield
    if not kept.exists() and file.exists():
        shutil.copyfile(file, home.work / "kept")
        (home.work / "kept").rename(kept)


@pytest.fixture(scope="module")
def shared_home() -> Iterator[Home]:
    """For tests that only read what one run left."""
    with new_home() as made:
        yield made


@pytest.fixture
def finished(home: Home) -> str:
    """Id of a run that has ended well."""
    ended = home.run("run", simulated(home), "--json")
    assert ended.code == 0, ended.err
    return ended.document("kernelmesh.run/1")["run"]
