"""The sandbox of a worker, as the node makes it: for tests that start workers themselves."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[3]
WORKER = SOURCES / "devices" / "worker"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/sys/devices/system", "/sys/fs/cgroup")


def build_folder() -> Path | None:
    """Of the guard and its library; without KERNELMESH_BUILD workers run without a sandbox."""
    named = os.environ.get("KERNELMESH_BUILD", "")
    return Path(named).absolute() if named else None


@functools.cache
def readable_paths() -> tuple[str, ...]:
    argv = [sys.executable, "-m", "kernelmesh_worker", "folders"]
    environment = {"PYTHONPATH": str(WORKER), "PATH": os.environ["PATH"]}
    done = subprocess.run(argv, env=environment, cwd=WORKER, capture_output=True, text=True, check=True)
    return (*(x for x in SYSTEM if Path(x).exists()), *done.stdout.split("\n")[:-1], str(WORKER), str(SOURCES / "dsl"))


def boxed(argv: list[str], writable: Path, own: tuple[Path, ...] = (), more: tuple[str, ...] = ()) -> list[str]:
    """The command under the guard, in a sandbox where there is one. Its parent has to be this process."""
    build = build_folder()
    if build is None:
        return argv
    names = ("libkernelmesh-sandbox.so", "kernelmesh-guard", "kernelmesh-native-host", "kernelmesh-cuda-host")
    names += ("libkernelmesh-recorder.so",)
    ours = [build / x for x in names if (build / x).exists()]
    lines = [f"ro {x}" for x in (*readable_paths(), *ours)]
    lines += [f"rw {writable}", *(f"own {x}" for x in own), *more]
    return [str(build / "kernelmesh-guard"), str(os.getpid()), "--sandbox", "\n".join(lines), *argv]


def device_nodes(device: str) -> tuple[str, ...]:
    """Items of a sandbox through which a device is used."""
    if not device.startswith("cuda:"):
        return ()
    profiler = Path("/opt/nvidia/nsight-compute")
    nodes = (f"dev {x}" for x in sorted(Path("/dev").glob("nvidia*")))
    return (*nodes, *([f"own {profiler}"] if profiler.is_dir() else ()))


def variables() -> dict[str, str]:
    build = build_folder()
    if build is None:
        return {}
    recorder = build / "libkernelmesh-recorder.so"
    return ({"KERNELMESH_CUDA_RECORDER": str(recorder)} if recorder.exists() else {}) | {
        "KERNELMESH_SANDBOX": "namespaces",
        "KERNELMESH_NATIVE_HOST": str(build / "kernelmesh-native-host"),
        "KERNELMESH_CUDA_HOST": str(build / "kernelmesh-cuda-host"),
        "KERNELMESH_SANDBOX_LIBRARY": str(build / "libkernelmesh-sandbox.so"),
    }
