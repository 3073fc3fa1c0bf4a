"""One judge for all candidates."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "devices" / "worker"))

from shared_machine import SharedMachine

from bench import VERDICT_OF, Bench


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, machine: SharedMachine) -> Iterator[Bench]:
    if not VERDICT_OF.exists():
        pytest.skip(f"{VERDICT_OF} is not built")
    numbers = itertools.count()
    made = Bench(lambda: tmp_path_factory.mktemp(f"bench-{next(numbers)}"), machine)
    yield made
    made.close()
