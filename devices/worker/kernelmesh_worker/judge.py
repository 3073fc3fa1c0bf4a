"""The judge role: takes commands one by one; holds seeds, references, comparator and clock."""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch brings its threads' library
# Tensors of many sizes come and go: of blocks that can't grow, a tenth of a GPU lies in pieces that fit none of them.
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import torch

from kernelmesh_worker import WORKER_VERSION, machine, task_mark
from kernelmesh_worker.arena import JudgeFailure
from kernelmesh_worker.contest import Progress, opened
from kernelmesh_worker.device import here, use
from kernelmesh_worker.device_names import DeviceAbsent, DeviceLost
from kernelmesh_worker.hub import Hub, HubClosed
from kernelmesh_worker.process import core_count, keep_freed_pages
from kernelmesh_worker.task import TaskRefused
from kernelmesh_worker.text import clean, describe
from kernelmesh_worker.timing import time_candidate
from kernelmesh_worker.verify import verify
from kernelmesh_worker.zygote_client import ZygoteClient, ZygoteLost

_FEWEST_REPEATS, _MOST_REPEATS = 7, 24
_BETWEEN_REPEATS_S = 0.05
_CALM = 0.03  # by which the fastest three may differ
_PROGRESS_S = 0.2
Reply = tuple[str, dict[str, Any]]


class Judge:
    def __init__(self, hub: Hub, zygote: ZygoteClient, absent: str = "") -> None:
        """`absent`: why its device can't be worked on."""
        self._hub = hub
        self._zygote = zygote
        self._absent = absent

    def run(self) -> None:
        """Until the hub closes. ZygoteLost."""
        about = {"version": WORKER_VERSION, "role": "judge", "pid": os.getpid()}
        self._hub.send(0, "hello", about | {"environment": machine.environment()})
        self._hub.watch(self._zygote.fileno())
        while True:
            commands = self._hub.wait()
            while not commands and self._zygote.pump(0):
                pass
            for command in commands:
                self._hub.send(command["id"], *self._answer(command))
                if not self._absent and not here().is_usable():
                    raise DeviceLost(f"{here().name} can't be used any more by this process")

    def _answer(self, command: dict[str, Any]) -> Reply:
        kind, work = next(iter(command["work"].items()))
        try:
            return self._do(kind, work, self._progress_of(command["id"]))
        except TaskRefused as refused:
            return "task_refused", {"message": refused.message, "line": refused.line}
        except JudgeFailure as failure:
            return "failed", {"message": str(failure)}
        except ZygoteLost:
            raise
        except Exception as error:  # noqa: BLE001 - our own bug: said, and the next command gets its chance
            traceback.print_exc(file=sys.stderr)
            return "failed", {"message": f"the judge could not do it: {describe(error)}"}
        finally:
            gc.collect()
            here().give_back()

    def _do(self, kind: str, work: dict[str, Any], progress: Progress) -> Reply:
        if kind not in ("probe", "trace", "judge"):
            raise JudgeFailure(f"a judge does no {clean(str(kind), 40)}")
        if work.get("device") != here().name:
            raise JudgeFailure(f"this judge has no device {clean(str(work.get('device')), 40)}, only {here().name}")
        if self._absent:
            raise JudgeFailure(self._absent)
        if kind == "probe":
            return "probed", probed(work.get("known") or {})
        if kind == "trace":
            from kernelmesh_worker.tracing import trace  # its imports take a second that only traces need

            return "traced", trace(work["task"])
        with opened(work, self._zygote, progress) as contest:
            kind, judged = ("timed", time_candidate) if work.get("time") else ("verified", verify)
            first, *others = judged(contest)
            return kind, {"figures": first, "others": others, "shapes": len(contest.firsts)}

    def _progress_of(self, command: int) -> Progress:
        last = 0.0

        def progress(share: float, text: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_S:
                last = now
                self._hub.send(command, "progress", {"share": share, "text": text})

        return progress


def probed(known: dict[str, Any]) -> dict[str, Any]:
    """The record probe_done, without its name."""
    device = here().description()
    found = calibrated(known, device["model"])
    device["copy_bytes_per_second"] = found["copy_bytes_per_second"]
    device["limits"]["fma_flops_per_second"] = found["fma_flops_per_second"]
    return {"device": device, "calibration": found}


def calibrated(known: dict[str, Any], model: str) -> dict[str, Any]:
    """The record calibration: what is known of this machine and this torch, else what it does now."""
    of = f"{model}; torch {torch.__version__}"
    if known.get("of") == of and known.get("copy_bytes_per_second") and known.get("fma_flops_per_second"):
        return known
    (copy, copy_scatter), (multiply, multiply_scatter) = copy_bandwidth(), multiply_rate()
    return {
        "schema": "kernelmesh.calibration/1",
        "of": of,
        "at_ms": time.time_ns() // 1_000_000,
        "copy_bytes_per_second": copy,
        "fma_flops_per_second": multiply,
        "scatter": max(copy_scatter, multiply_scatter),
        "load": machine.load_by_core(),
    }


def copy_bandwidth() -> tuple[float, float]:
    """Bytes read plus written a second, of buffers larger than the caches, and the scatter."""
    size = min(here().copied, here().available_memory() // 8)
    source = torch.ones(size, dtype=torch.uint8, device=here().place)
    target = torch.empty_like(source)
    seconds, scatter = fastest(lambda: target.copy_(source))
    return 2 * size / seconds, scatter


def multiply_rate() -> tuple[float, float]:
    """Operations a second of fused multiplications and additions in fp32, two each, as a matrix product does them; and
    the scatter."""
    size = here().matrix
    a, b = (torch.rand(size, size, device=here().place) for _ in range(2))
    seconds, scatter = fastest(lambda: torch.mm(a, b))
    return 2 * size**3 / seconds, scatter


def fastest(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the fastest repeat, and by which share the third fastest takes longer. The figure is kept for long and
    must not be what a busy moment gave: there is time between repeats, and there are more of them until the fastest
    agree."""
    call()
    seconds: list[float] = []
    while len(seconds) < _FEWEST_REPEATS or (len(seconds) < _MOST_REPEATS and scatter_of(seconds) > _CALM):
        time.sleep(_BETWEEN_REPEATS_S)
        seconds.append(here().nanoseconds(call) / 1e9)
    return min(seconds), scatter_of(seconds)


def scatter_of(seconds: list[float]) -> float:
    first, *_, third = sorted(seconds)[:3]
    return third / first - 1


def run_judge(endpoint: str, worker_id: str, zygote: ZygoteClient, device: str) -> None:
    """Returns when the hub has closed. DeviceLost."""
    keep_freed_pages()
    absent = _started(device)
    task_mark.keep_in(Path(os.environ["HOME"]))
    torch.set_num_threads(core_count())
    gc.freeze()  # what imports made stays: looking through it after each command takes a tenth of a second
    try:
        Judge(Hub(endpoint, worker_id), zygote, absent).run()
    except HubClosed:
        return


def _started(device: str) -> str:
    """Why it can't be worked on; empty if it can."""
    try:
        use(device).start()
    except DeviceAbsent as error:
        return str(error)
    return ""
