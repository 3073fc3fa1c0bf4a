"""Plays the judge to kernelmesh-cuda-host. Its device is a fake driver here, which maps files as lent memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "native"))

import native_host
from native_host import FLOAT32, NativeHost, tensor

HERE = Path(__file__).parent
NAME = "kernelmesh-cuda-host"


def program() -> Path | None:
    return native_host.program(NAME)


def build_driver(folder: Path) -> Path:
    """The folder of a libcuda.so.1."""
    library = folder / "libcuda.so.1"
    source = HERE / "fake_driver.cpp"
    subprocess.run(["g++", "-std=c++20", "-O1", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    return folder


class CudaHost(NativeHost):
    """One process of it, with three files as lent memory."""

    name = NAME

    def more(self) -> dict[str, Any]:
        return {"handles": [f"/proc/{os.getpid()}/fd/{x}".encode().ljust(64, b"\0") for x in self.lent]}


def order_for(artifact: Path | str, count: int, **more: Any) -> dict[str, Any]:
    """Two vectors, one of them a weight, and one as output; more than the host needs is said, as a judge does."""
    return {
        "entry": {"launch_record": {"record": "launches.json"}},
        "artifact": str(artifact),
        "cores": 1,
        "training": False,
        "arguments": [{**tensor(FLOAT32, [count], [1]), "lent": x} for x in (0, 1)],
        "outputs": [tensor(FLOAT32, [count], [1])],
        **more,
    }
