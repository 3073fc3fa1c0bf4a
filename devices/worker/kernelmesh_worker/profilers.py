"""Profilers of others: where they are, how they are asked, what their words mean."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
from pathlib import Path
from typing import Any

from kernelmesh_worker.text import clean

PERF_EVENTS = {
    "instructions": "instructions",
    "cycles": "cycles",
    "branches": "branches",
    "branch-misses": "branch_misses",
    "cache-references": "cache_references",
    "cache-misses": "cache_misses",
}
_STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
_PIPE = "sm__inst_executed_pipe_{}.avg.pct_of_peak_sustained_active"
_STALLS = ("long_scoreboard", "short_scoreboard", "barrier", "math_pipe_throttle", "lg_throttle", "mio_throttle",
           "wait", "no_instruction")  # fmt: skip
# By the names in devices/profile_rules.hpp; several of one name are added up.
NCU_METRICS: dict[str, tuple[str, ...]] = {
    "time_ns": ("gpu__time_duration.sum",),
    "memory_pct": ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",),
    "dram_pct": ("dram__throughput.avg.pct_of_peak_sustained_elapsed",),
    "dram_bytes": ("dram__bytes.sum",),
    "l2_pct": ("lts__throughput.avg.pct_of_peak_sustained_elapsed",),
    "l2_hit_pct": ("lts__t_sector_hit_rate.pct",),
    "l1_pct": ("l1tex__throughput.avg.pct_of_peak_sustained_active",),
    "l1_hit_pct": ("l1tex__t_sector_hit_rate.pct",),
    "sm_pct": ("sm__throughput.avg.pct_of_peak_sustained_elapsed",),
    "issue_pct": ("smsp__issue_active.avg.pct_of_peak_sustained_active",),
    **{f"pipe_{x}_pct": (_PIPE.format(x),) for x in ("fma", "alu", "xu", "fp64", "lsu", "tensor")},
    "occupancy_pct": ("sm__warps_active.avg.pct_of_peak_sustained_active",),
    "occupancy_limit_pct": ("sm__maximum_warps_per_active_cycle_pct",),
    "limit_registers_blocks": ("launch__occupancy_limit_registers",),
    "limit_shared_blocks": ("launch__occupancy_limit_shared_mem",),
    "limit_warps_blocks": ("launch__occupancy_limit_warps",),
    "limit_blocks_blocks": ("launch__occupancy_limit_blocks",),
    "registers": ("launch__registers_per_thread",),
    "shared_bytes": ("launch__shared_mem_per_block",),
    "threads": ("launch__block_size",),
    "blocks": ("launch__grid_size",),
    "waves": ("launch__waves_per_multiprocessor",),
    "load_sectors": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",),
    "store_sectors": ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",),
    "bank_conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",),
    "spill_sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    ),
    **{f"stall_{x}": (_STALL.format(x),) for x in _STALLS},
}
_MOST_LAUNCHES = 24
_NOT_PERMITTED = "ERR_NVGPUCTRPERM"
_UNKNOWN_METRIC = re.compile(r"(?:Failed to find metric|metric not found:?|Unknown metric)\s+'?([\w.]+)", re.IGNORECASE)
_TROUBLE = re.compile(r"^==(?:ERROR|WARNING)==\s*(.+)$", re.MULTILINE)


class NoFigures(Exception):
    """The profiler gave none; one sentence says why."""


# -- perf -------------------------------------------------------------------------------------------------------------


def find_perf() -> str:
    """Its path; empty: it is not there."""
    return shutil.which("perf") or ""


def perf_command(program: str, out: Path) -> tuple[str, ...]:
    events = ",".join(f"{x}:u" for x in PERF_EVENTS)
    return program, "stat", "-x", ",", "-o", str(out), "-e", events, "--"


def perf_counts(text: str) -> dict[str, float]:
    """By our names. NoFigures where nothing was counted: perf says so in words and ends with 0."""
    counts: dict[str, float] = {}
    for line in text.splitlines():
        value, *rest = line.split(",")
        event = rest[1].partition(":")[0] if len(rest) > 1 else ""
        if event in PERF_EVENTS and re.fullmatch(r"\d+(\.\d+)?", value.strip()):
            counts[PERF_EVENTS[event]] = float(value)
    if not counts.get("instructions") and not counts.get("cycles"):
        why = "perf says <not supported>" if "<not supported>" in text else "perf counted nothing"
        raise NoFigures(f"{why}: the machine, a virtual one often, shows its counters to nobody here")
    return counts


# -- Nsight Compute ---------------------------------------------------------------------------------------------------


def find_ncu() -> str:
    """On PATH, in the CUDA toolkit's folder, or in its own; empty: it is not there."""
    if found := shutil.which("ncu"):
        return found
    homes = [os.environ.get(x, "") for x in ("CUDA_HOME", "CUDA_PATH")]
    places = [Path(x, "bin", "ncu") for x in (*filter(None, homes), "/usr/local/cuda")]
    places += sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), reverse=True)
    return next((str(x) for x in places if os.access(x, os.X_OK)), "")


def ncu_command(program: str, out: Path, metrics: list[str]) -> tuple[str, ...]:
    """One kernel at a time is repeated for its counters: that takes least, whatever the program's start does."""
    options = ("--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--replay-mode", "kernel")
    limits = ("--target-processes", "application-only", "--launch-count", str(_MOST_LAUNCHES))
    return program, *options, *limits, "--log-file", str(out), "--metrics", ",".join(metrics)


def ncu_names() -> list[str]:
    return [name for names in NCU_METRICS.values() for name in names]


def unknown_metrics(log: str) -> set[str]:
    """That this version or this GPU does not have."""
    return {x for x in _UNKNOWN_METRIC.findall(log) if x in ncu_names()}


def ncu_kernels(log: str) -> list[dict[str, Any]]:
    """Records kernel_figures of a log with the page "raw" as CSV, one a name. NoFigures."""
    found: dict[str, list[dict[str, float]]] = {}
    for row in _launches(log):
        found.setdefault(clean(row.get("Kernel Name", "?"), 200), []).append(_metrics_of(row))
    if not any("sm_pct" in x for all_ in found.values() for x in all_):
        raise NoFigures(_why_nothing(log))
    return [{"name": name, "launches": len(all_), "metrics": _means(all_)} for name, all_ in found.items()]


def _launches(log: str) -> list[dict[str, str]]:
    """Rows by column. The first one has units and no ID, and words of ncu and of the program stand between them."""
    rows = list(csv.reader(io.StringIO("\n".join(x for x in log.splitlines() if x.startswith('"')))))
    start = next((i for i, row in enumerate(rows) if row[:1] == ["ID"]), len(rows))
    return [dict(zip(rows[start], row, strict=False)) for row in rows[start + 1 :] if row[0].isdigit()]


def _metrics_of(row: dict[str, str]) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for ours, theirs in NCU_METRICS.items():
        values = [x for x in (_number(row.get(name, "")) for name in theirs) if x is not None]
        if values:
            metrics[ours] = sum(values)
    return metrics


def _number(text: str) -> float | None:
    """ "1,234.5" too; nothing of "n/a"."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if value - value == 0 else None


def _means(all_: list[dict[str, float]]) -> dict[str, float]:
    names = {name for x in all_ for name in x}
    told = {name: [x[name] for x in all_ if name in x] for name in sorted(names)}
    return {name: sum(values) / len(values) for name, values in told.items()}


def _why_nothing(log: str) -> str:
    if _NOT_PERMITTED in log:
        return (
            "the GPU's counters are not permitted to this user: the option NVreg_RestrictProfilingToAdminUsers=0 of the"
            " kernel module nvidia permits them"
        )
    said = [clean(x, 200) for x in _TROUBLE.findall(log)]
    return "Nsight Compute gave no figures" + (f": {said[0]}" if said else "")
