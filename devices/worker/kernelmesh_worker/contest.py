"""Everything that judging one candidate needs, from the command to the forked process and its end."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from kernelmesh_worker import homes
from kernelmesh_worker.arena import Arena, JudgeFailure, Program
from kernelmesh_worker.candidate_ended import CandidateEnded
from kernelmesh_worker.candidate_process import CandidateProcess, Limits
from kernelmesh_worker.checking import Checks, coarsest_tolerance, lend
from kernelmesh_worker.device import here
from kernelmesh_worker.draws import Draw, Drawn, plan_draws, seed_of
from kernelmesh_worker.machine import total_memory
from kernelmesh_worker.reference import Reference
from kernelmesh_worker.sandbox import Permissions, level, place_for_candidates
from kernelmesh_worker.shapes import shape_text
from kernelmesh_worker.task import Task, TaskRefused
from kernelmesh_worker.task_dtype import Passed, names_of
from kernelmesh_worker.values import tensors_in
from kernelmesh_worker.zygote_client import ForkFailed, ZygoteClient

Progress = Callable[[float, str], None]
Result = TypeVar("Result")
_MEMORY_SHARE = 0.6
_MEMORY_BYTES, _MEMORY_TIMES = 4 << 30, 32
_BASELINE_CALL_S = 300.0  # torch.compile is in it; how long a command may take is the owner's to say
# Programs that run entries without Python, by the variables with their paths; without one a Python process does.
HOSTS = {"c_abi": "KERNELMESH_NATIVE_HOST", "launch_record": "KERNELMESH_CUDA_HOST"}
_BUILD_S = 240.0  # torch's headers alone take a minute
_BUILDING_CALLS = 3  # times the limit of a call: for one in which compilers run
_HOME = ".home"  # in the candidate's folder: what it built
ARTIFACT = ".artifact"
_REFERENCE = {"python_host": {"symbol": "Model"}}


@dataclass
class Contest:
    """One task, its reference, and one candidate that is not started yet."""

    task: Task
    reference: Reference
    draws: list[Draw]
    firsts: list[Drawn]  # the task's own draw, of every shape
    dtypes: list[str]  # that the task is judged in
    work: dict[str, Any]
    folder: Path  # the candidate's sources and library
    tolerance: float
    secret: str
    zygote: ZygoteClient
    progress: Progress
    forward_ns: int = 0  # spent in calls of processes that have ended
    shape: int = 0  # of those that the task has: the one at work
    proven: set[tuple[int, str]] = dataclasses.field(default_factory=set)  # draws that the reference has taken

    def use(self, shape: int) -> None:
        """What follows is about that shape."""
        self.shape = self.task.shape = shape

    @property
    def first(self) -> Drawn:
        return self.firsts[self.shape]

    @property
    def shape_name(self) -> str:
        """Empty of a task with one."""
        return shape_text(self.first.values) if len(self.firsts) > 1 else ""

    def input_bytes(self) -> list[int]:
        """Of each tensor among the inputs, to be read at least; empty: not known."""
        count = len(tensors_in(self.first.values))
        told = self.work.get("input_bytes", [])
        return told[self.shape * count :][:count] if len(told) == count * len(self.firsts) else []

    @property
    def options(self) -> dict[str, Any]:
        return self.work.get("options", {})

    @property
    def tier(self) -> str:
        """ "sealed": there is nothing in the process that is timed but a C function and the program that calls it."""
        return "sealed" if self._host() else "hosted"

    @property
    def host_program(self) -> str:
        return next(iter(self._host()), "")

    @property
    def calls_libraries(self) -> bool:
        """Could it? A function that runs alone brings what it uses, and a launch record has no code of its own."""
        return self.entry == "python_host" or (self.entry == "c_abi" and self.tier == "hosted")

    def _host(self) -> tuple[str, ...]:
        """The program that runs such a candidate without Python, if there is one."""
        path = os.environ.get(HOSTS.get(self.entry, ""), "")
        return (path,) if path else ()

    @property
    def entry(self) -> str:
        """Which kind of candidate it is."""
        return next(iter(self.work["manifest"]["entry"]))

    @contextlib.contextmanager
    def recorded(self, recorder: str, into: int) -> Iterator[tuple[Arena, CandidateProcess]]:
        """A fork of the candidate whose calls are recorded by that library; its record is written to `into`."""
        self._build()
        with self.arena(self.work["manifest"], self.reference) as arena:
            program = dataclasses.replace(self._program(closed=False), recorder=recorder)
            may = Permissions(str(self.folder), processes=True)
            with self._start(arena, program, self.call_s, may, written=(into,)) as process:
                yield arena, process
                self.forward_ns += process.forward_ns

    @contextlib.contextmanager
    def loaded(self, closed: bool, started: Checks | None = None) -> Iterator[Checks]:
        """A fork that has loaded the candidate, that one if it is started already; with `closed`, libraries' operators
        raise in its calls. While it loads it can't capture what libraries do then: who has to capture may, but has none
        of the device's libraries."""
        with contextlib.ExitStack() as stack:
            try:
                checks = self._loaded(stack, started, closed)
            except CandidateEnded as ended:
                if not (closed and here().has_captures and ended.fate["end"] == "raised"):
                    raise
                stack.close()
                checks = self._loaded(stack, None, closed, early=True)
            yield checks

    def _loaded(self, stack: contextlib.ExitStack, started: Checks | None, closed: bool, early: bool = False) -> Checks:
        checks = started or stack.enter_context(self.candidate(closed=closed, early=early))
        checks.load()
        return checks

    @contextlib.contextmanager
    def candidate(
        self, reference: Reference | None = None, closed: bool = False, early: bool = False
    ) -> Iterator[Checks]:
        """A fork of the candidate with memory lent to it, not loaded yet; with `closed`, libraries' operators raise,
        with `early` those of the device while it loads too."""
        reference = reference or self.reference
        self._build()
        with self.arena(self.work["manifest"], reference) as arena:
            may = Permissions(str(self.folder), processes=not self._host(), system_only=bool(self._host()))
            with self._start(arena, self._program(closed, early), self.call_s, may, self._host()) as process:
                yield Checks(arena, process, reference, self.tolerance)
                self.forward_ns += process.forward_ns
            if reference is not self.reference:
                self.forward_ns += reference.forward_ns

    def _build(self) -> None:
        """Loads the candidate once where it may keep what it builds while it is loaded; later forks find that in their
        home folder. Not again for the same files."""
        files = self.own_files()
        if self._home.exists() or not homes.may_build(files, here().build_signs):
            return
        built = Path(tempfile.gettempdir(), "homes", homes.content_key(self.folder, files))
        if not built.exists():
            self.progress(0.0, "letting the candidate build")
            folder = tempfile.mkdtemp(prefix="building-")
            try:
                self._build_into(folder)
                homes.keep(folder, built)
            except homes.TooMuch as error:
                raise CandidateEnded("raised", "load", 0, str(error)) from None
            finally:
                homes.remove(folder)
        shutil.copytree(built, self._home, symlinks=True)

    def _build_into(self, folder: str) -> None:
        """CandidateEnded if it can't be loaded. TooMuch, while it still builds."""
        may = Permissions(folder=str(self.folder), cache=folder, processes=True)
        program = dataclasses.replace(self._program(closed=False), home=folder, building=True)
        with self.arena(self.work["manifest"], self.reference) as arena:
            with self._start(arena, program, max(self.call_s, _BUILD_S), may) as process:
                process.load(lambda: homes.check(folder))
                process.allow(_BUILDING_CALLS * self.call_s)
                for shape in range(len(self.firsts)) if here().builds_in_calls else ():
                    arena.use(shape)
                    process.ask("call", **lend(arena, self.firsts[shape].values))
                    homes.check(folder)

    def own_files(self) -> list[Path]:
        """In its folder, without what it built."""
        return [x for x in self.folder.rglob("*") if x.is_file() and not x.is_relative_to(self._home)]

    @property
    def _home(self) -> Path:
        return self.folder / _HOME

    @contextlib.contextmanager
    def bare_host(self, arena: Arena) -> Iterator[CandidateProcess]:
        """The program that runs C functions, without one: asking it costs what asking such a candidate costs."""
        with self._start(arena, Program(), self.call_s, Permissions(system_only=True), self._host()) as process:
            process.load()
            yield process

    @contextlib.contextmanager
    def profiled(
        self, command: tuple[str, ...], more: tuple[str, ...], folder: Path, limit_s: float
    ) -> Iterator[tuple[Arena, CandidateProcess]]:
        """A candidate with a host, not loaded yet, that a profiler starts with `more` arguments; the profiler may write
        in `folder`. CandidateEnded where it could not too."""
        with self.arena(self.work["manifest"], self.reference) as arena:
            place = str(Path(command[0]).resolve().parent)
            may = Permissions(str(self.folder), str(folder), processes=True, system_only=True, profiler=place)
            program = (*command, *self._host(), *more)
            with self._start(arena, self._program(closed=False), limit_s, may, program) as process:
                yield arena, process

    def run_tool(self, command: tuple[str, ...], folder: Path, limit_s: float) -> None:
        """A system's program in a candidate's sandbox; it may write in `folder`. CandidateEnded where it fails."""
        with self.arena(self.work["manifest"], self.reference) as arena:
            may = Permissions(str(self.folder), str(folder), system_only=True)
            with self._start(arena, Program(), limit_s, may, command) as process:
                process.await_exit(limit_s)

    @contextlib.contextmanager
    def baseline(self, cache: str) -> Iterator[tuple[Arena, CandidateProcess]]:
        """The reference in a process like a candidate's, so that both are timed alike; compiled if there is a cache."""
        task = self.work["task"]
        program = Program(code=task["code"], overrides=task.get("overrides") or {}, compile=cache)
        with self.arena({"entry": _REFERENCE}, self.reference) as arena:
            may = Permissions(cache=cache, processes=bool(cache))
            with self._start(arena, program, _BASELINE_CALL_S, may) as process:
                yield arena, process
                self.forward_ns += process.forward_ns

    @contextlib.contextmanager
    def arena(self, manifest: dict[str, Any], reference: Reference) -> Iterator[Arena]:
        samples = [(x.values, reference.output_shapes(x.values)) for x in self.firsts]
        arena = Arena(reference, manifest, samples)
        arena.use(self.shape)
        try:
            yield arena
        finally:
            arena.close()

    @property
    def call_s(self) -> float:
        return self.options.get("call_limit_ms", 30_000) / 1000

    def _program(self, closed: bool, early: bool = False) -> Program:
        file = self.work["manifest"]["entry"].get("python_host", {}).get("file", "")
        shown = place_for_candidates(self.folder)
        artifact = str(shown / ARTIFACT) if self.work.get("artifact") else ""
        home = str(shown / _HOME) if self._home.exists() else ""
        return Program(artifact, closed, early, home, file=str(shown / file) if file else "")

    def _start(
        self,
        arena: Arena,
        program: Program,
        call_s: float,
        may: Permissions,
        host: tuple[str, ...] = (),
        written: tuple[int, ...] = (),
    ) -> CandidateProcess:
        """`written`: what it may write besides, a descriptor or none."""
        lent = sum(x.size for x in arena.lent)
        limits = Limits(call_s, memory_limit(lent), here().memory_limit(lent))
        order = arena.order(program)
        try:
            shared = tuple(y for x in arena.lent for y in x.descriptors()) + written
            return CandidateProcess(self.zygote, order, shared, limits, may, host)
        except ForkFailed as error:
            raise JudgeFailure(f"no candidate could be started: {error}") from None
        finally:
            os.close(order)

    def drawn(self, draw: Draw) -> tuple[Draw, Drawn]:
        """Inputs of that draw; a task that can't live with the redraw gets its own kind instead."""
        try:
            return draw, self.task.drawn(draw.seed, draw.kind)
        except TaskRefused:
            if draw.kind == "own":
                raise
        return Draw(draw.seed, "own"), self.task.drawn(draw.seed)

    def usable(self, wanted: Draw, use: Callable[[list[Any]], Result]) -> tuple[Draw, Drawn, Result]:
        """The same, and what the reference makes of it; one that it can't take is replaced too."""
        draw, drawn = self.drawn(wanted)
        try:
            if draw.kind == "own" or not leaves_range(drawn.values, self.first.values):
                return draw, drawn, use(drawn.values)
        except TaskRefused:
            if draw.kind == "own":
                raise
        drawn = self.task.drawn(draw.seed)
        return Draw(draw.seed, "own"), drawn, use(drawn.values)

    def fit(self, wanted: Draw) -> tuple[Draw, Drawn]:
        """The same without its results: the reference is asked once for each kind."""
        if (self.shape, wanted.kind) in self.proven:
            draw, drawn = self.drawn(wanted)
            if not leaves_range(drawn.values, self.first.values):
                return draw, drawn
        draw, drawn, _ = self.usable(wanted, self.reference.eager)
        self.proven.add((self.shape, draw.kind))
        return draw, drawn

    def more(self, index: int | str, kind: str = "own") -> Draw:
        """A draw beyond the planned ones."""
        return Draw(seed_of(self.secret, f"more {index}"), kind)

    def figures(self, fate: dict[str, Any]) -> dict[str, Any]:
        """What verify and time figures have in common."""
        return {
            "shape": self.shape_name,
            "dtype": " and ".join(self.dtypes),
            "fate": fate,
            "forward_ns": self.forward_ns + self.reference.forward_ns,
            "sandbox": level(),
            "environment": here().environment(),
        }


def leaves_range(values: list[Any], own: list[Any]) -> bool:
    """Are integers, which may be places in something, beyond those that the task draws itself?"""
    for x, known in zip(tensors_in(values), tensors_in(own), strict=True):
        if not x.is_floating_point() and x.numel() and known.numel():
            low, high, bound = int(x.min()), int(x.max()), int(known.max())
            if low < min(0, int(known.min())) or high > bound + max(1, abs(bound) // 4):
                return True
    return False


def memory_limit(lent_bytes: int) -> int:
    """Of a candidate's own memory: room for what a kernel may need beside what it is lent, and never all there is."""
    return min(int(total_memory() * _MEMORY_SHARE), _MEMORY_BYTES + _MEMORY_TIMES * lent_bytes)


def finished(phase: str) -> dict[str, Any]:
    return {"end": "finished", "phase": phase, "code": 0, "message": ""}


@contextlib.contextmanager
def opened(work: dict[str, Any], zygote: ZygoteClient, progress: Progress) -> Iterator[Contest]:
    """TaskRefused, JudgeFailure. At the end nothing of it is left."""
    manifest, options = work["manifest"], work.get("options", {})
    kind = next(iter(manifest["entry"]), "")
    if kind not in here().entries:
        raise JudgeFailure(f"this device has no way to run a candidate with entry {kind}")
    with contextlib.ExitStack() as stack:
        here().follow(options.get("policy", "as_shipped"))
        task = Task(work["task"], here())
        stack.callback(task.close)
        secret = secrets.token_hex(16)
        draws = plan_draws(secret, max(1, options.get("draws", 5)))
        reference = Reference(task, secret)
        firsts = task.drawn_shapes(draws[0].seed)
        inputs, weights = tensors_in([x.values for x in firsts]), list(reference.state.values())
        yield Contest(
            task=task,
            reference=reference,
            draws=draws,
            firsts=firsts,
            dtypes=names_of(inputs) or names_of(weights),
            work=work,
            folder=stack.enter_context(_sources(work)),
            tolerance=_tolerance(reference, firsts[0].values, names_of([*inputs, *weights])),
            secret=secret,
            zygote=zygote,
            progress=progress,
        )


def _tolerance(reference: Reference, inputs: list[Any], dtypes: list[str]) -> float:
    """Of what the task is given, and where that is finer than float32, of what it goes through on its way."""
    if coarsest_tolerance(dtypes) >= coarsest_tolerance(["float32"]):
        return coarsest_tolerance(dtypes)
    with Passed() as passed:
        reference.eager(inputs)
    return coarsest_tolerance([*dtypes, *passed.names()])


@contextlib.contextmanager
def _sources(work: dict[str, Any]) -> Iterator[Path]:
    """The candidate's files under their own names and its library: what is shown to its process."""
    folder = Path(tempfile.mkdtemp(prefix="candidate-"))
    try:
        for name, source in work.get("files", {}).items():
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts:
                raise JudgeFailure("the manifest names a file outside of its folder")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / path)
        if artifact := work.get("artifact"):
            shutil.copyfile(artifact, folder / ARTIFACT)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
