"""One judge on the first GPU for all candidates. Without a GPU all of it is skipped, in words."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "judge"))
sys.path.insert(0, str(Path(__file__).parents[1] / "devices" / "worker"))

from shared_machine import SharedMachine


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", default="1/1", metavar="K/N", help="every Nth test, from the Kth on")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share, _, shares = config.getoption("--share").partition("/")
    if not (share.isdecimal() and shares.isdecimal() and 0 < int(share) <= int(shares)):
        raise pytest.UsageError(f"--share {config.getoption('--share')}: K/N is meant, as in 2/3")
    kept = items[int(share) - 1 :: int(shares)]
    config.hook.pytest_deselected(items=[x for x in items if x not in kept])
    items[:] = kept


def why_no_gpu() -> str:
    """Empty if there is one that can be used."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "this machine has no NVIDIA driver (libcuda.so.1)"
    count = ctypes.c_int()
    if library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return "the NVIDIA driver of this machine shows no GPU"
    return ""


@pytest.fixture(scope="session")
def gpu() -> str:
    """Its name as a device."""
    if why := why_no_gpu():
        pytest.skip(why)
    return os.environ.get("KERNELMESH_TEST_GPU", "cuda:0")


@pytest.fixture(scope="session")
def bench(gpu: str, tmp_path_factory: pytest.TempPathFactory, machine: SharedMachine) -> Iterator[object]:
    from bench import VERDICT_OF, Bench

    if not VERDICT_OF.exists():
        pytest.skip(f"{VERDICT_OF} is not built")
    numbers = itertools.count()
    made = Bench(lambda: tmp_path_factory.mktemp(f"bench-{next(numbers)}"), machine, gpu)
    yield made
    made.close()
