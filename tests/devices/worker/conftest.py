"""Fixtures: one judge with its zygote for all tests that leave it alive."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[3] / "devices" / "worker"))

from family import Family
from shared_machine import SharedMachine


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory, machine: SharedMachine) -> Iterator[Family]:
    family = Family(tmp_path_factory.mktemp("family"), machine.alone)
    family.expect_hello()
    yield family
    family.close()
