"""What this machine is: processor, memory, versions. Imports no torch by itself."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

from kernelmesh_worker.process import core_count

# The levels of the x86-64 psABI, as /proc/cpuinfo names their parts ("abm" stands for lzcnt, "pni" for sse3).
_LEVELS = (
    ("x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}),
    ("x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}),
)


def _cpuinfo() -> dict[str, str]:
    """The first processor's lines."""
    first = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _flags() -> set[str]:
    return set(_cpuinfo().get("flags", "").split())


def arch_of(flags: set[str], machine: str) -> str:
    """What compilers are asked for: the highest level of which every part is there, or the machine's own name."""
    if machine != "x86_64":
        return machine
    best = "x86-64"
    for name, needed in reversed(_LEVELS):
        if not needed <= flags:
            break
        best = name
    return best


def vector_bytes_of(flags: set[str]) -> int:
    if "avx512f" in flags:
        return 64
    return 32 if "avx2" in flags else 16


def device_model() -> str:
    info = _cpuinfo()
    name = info.get("model name") or info.get("Model") or info.get("CPU part") or platform.machine()
    return f"{name}, {core_count()} cores"


def _meminfo(key: str) -> int:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def total_memory() -> int:
    """Of the machine, or of the control group where that is less."""
    total = _meminfo("MemTotal")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isdigit() else total


def available_memory() -> int:
    return _meminfo("MemAvailable")


def load_by_core() -> float:
    """Of the last minute; 0 where the system does not say."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return 0.0


def environment(toolchain: str = "") -> dict[str, str]:
    """The record `environment`; torch is named only where it is loaded."""
    torch = sys.modules.get("torch")
    return {
        "device_model": device_model(),
        "driver": "",
        "python": platform.python_version(),
        "torch": str(torch.__version__) if torch else "",
        "toolchain": toolchain,
        "kernelmesh": os.environ.get("KERNELMESH_VERSION", ""),
    }


def largest_cache() -> int:
    """Bytes of the largest cache that one core sees; 32 MiB where the system does not say."""
    sizes = [_size_of(x) for x in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return max(sizes, default=32 << 20)


def _size_of(file: Path) -> int:
    text = file.read_text(encoding="ascii").strip()
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1:] in units else int(text or 0)


def description(name: str) -> dict[str, Any]:
    """The record `device_info` of a CPU, without what is measured."""
    flags = _flags()
    return {
        "name": name,
        "kind": "cpu",
        "model": device_model(),
        "arch": arch_of(flags, platform.machine()),
        "memory_bytes": total_memory(),
        "limits": {
            "cores": float(core_count()),
            "vector_bytes": float(vector_bytes_of(flags)),
        },
        "environment": environment(),
    }
