"""Everything that judging one candidate needs, from the command to the forked process and its end."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kernelmesh_worker.arena import Arena, JudgeFailure, Program
from kernelmesh_worker.candidate_process import CandidateProcess, Limits
from kernelmesh_worker.checking import tolerance_of
from kernelmesh_worker.draws import Draw, plan_draws, seed_of
from kernelmesh_worker.machine import environment, total_memory
from kernelmesh_worker.reference import Expected, Reference
from kernelmesh_worker.task import Task, TaskRefused
from kernelmesh_worker.zygote_client import ForkFailed, ZygoteClient

Progress = Callable[[float, str], None]
_MEMORY_SHARE = 0.6
_BASELINE_CALL_S = 300.0  # torch.compile is in it; how long a command may take is the owner's to say
_ENTRIES = ("c_abi", "python_host")


@dataclass
class Contest:
    """One task, its reference, and one candidate that is not started yet."""

    task: Task
    reference: Reference
    draws: list[Draw]
    first: list[Any]  # inputs of the first draw
    arena: Arena
    options: dict[str, Any]
    tolerance: float
    secret: str
    start: Callable[[], CandidateProcess]
    start_baseline: Callable[[Arena, str], CandidateProcess]
    progress: Progress

    def expected(self, draw: Draw) -> tuple[Draw, list[Any], Expected]:
        """Inputs and results of that draw; a task that can't live with the redraw gets its own kind instead."""
        try:
            return self._expected(draw)
        except TaskRefused:
            if draw.kind == "own":
                raise
        return self._expected(Draw(draw.seed, "own"))

    def _expected(self, draw: Draw) -> tuple[Draw, list[Any], Expected]:
        inputs = self.task.inputs(draw.seed, draw.kind)
        return draw, inputs, self.reference.expected(inputs)

    def more(self, index: int) -> Draw:
        """An own draw beyond the planned ones."""
        return Draw(seed_of(self.secret, f"more {index}"), "own")

    def figures(self, fate: dict[str, Any]) -> dict[str, Any]:
        """What verify and time figures have in common."""
        return {
            "fate": fate,
            "sandbox": os.environ.get("KERNELMESH_SANDBOX", "none"),
            "environment": environment(),
        }


def finished(phase: str) -> dict[str, Any]:
    return {"end": "finished", "phase": phase, "code": 0, "message": ""}


@contextlib.contextmanager
def opened(work: dict[str, Any], zygote: ZygoteClient, progress: Progress) -> Iterator[Contest]:
    """TaskRefused, JudgeFailure. At the end nothing of it is left."""
    manifest, options = work["manifest"], work.get("options", {})
    kind = next(iter(manifest["entry"]), "")
    if kind not in _ENTRIES:
        raise JudgeFailure(f"this device has no way to run a candidate with entry {kind}")
    with contextlib.ExitStack() as stack:
        task = Task(work["task"])
        stack.callback(task.close)
        secret = secrets.token_hex(16)
        reference = Reference(task, secret)
        draws = plan_draws(secret, max(1, options.get("draws", 5)))
        first = task.inputs(draws[0].seed)
        arena = Arena(reference, manifest, first, reference.eager(first))
        stack.callback(arena.close)
        folder = stack.enter_context(_sources(work))
        yield Contest(
            task=task,
            reference=reference,
            draws=draws,
            first=first,
            arena=arena,
            options=options,
            tolerance=tolerance_of(task.dtype_name),
            secret=secret,
            start=lambda: _start(zygote, arena, _program(work, folder), _call_s(options)),
            start_baseline=lambda own, cache: _start_baseline(zygote, own, work["task"], cache),
            progress=progress,
        )


def _call_s(options: dict[str, Any]) -> float:
    return options.get("call_limit_ms", 30_000) / 1000


def _program(work: dict[str, Any], folder: Path) -> Program:
    file = work["manifest"]["entry"].get("python_host", {}).get("file", "")
    return Program(artifact=work.get("artifact", ""), file=str(folder / file) if file else "")


def _start_baseline(zygote: ZygoteClient, arena: Arena, task: dict[str, Any], cache: str) -> CandidateProcess:
    """The reference in a process like a candidate's, so that both are timed alike; compiled if there is a cache."""
    program = Program(code=task["code"], overrides=task.get("overrides") or {}, compile=cache)
    return _start(zygote, arena, program, _BASELINE_CALL_S)


def _start(zygote: ZygoteClient, arena: Arena, program: Program, call_s: float) -> CandidateProcess:
    limits = Limits(call_s=call_s, memory_bytes=int(total_memory() * _MEMORY_SHARE))
    order = arena.order(program)
    try:
        return CandidateProcess(zygote, order, tuple(x.handle() for x in arena.lent), limits)
    except ForkFailed as error:
        raise JudgeFailure(f"no candidate could be started: {error}") from None
    finally:
        os.close(order)


@contextlib.contextmanager
def _sources(work: dict[str, Any]) -> Iterator[Path]:
    """The candidate's files under their own names, as copies: it may write to them."""
    folder = Path(tempfile.mkdtemp(prefix="candidate-"))
    try:
        for name, source in work.get("files", {}).items():
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts:
                raise JudgeFailure("the manifest names a file outside of its folder")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / path)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
