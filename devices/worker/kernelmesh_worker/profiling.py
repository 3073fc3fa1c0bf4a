"""Why is the candidate no faster? What a profiler counts of a few calls, and how long they take without one."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernelmesh_worker import instruction_mix, profilers
from kernelmesh_worker.arena import Arena
from kernelmesh_worker.candidate_ended import CandidateEnded
from kernelmesh_worker.candidate_process import CandidateProcess
from kernelmesh_worker.checking import lend
from kernelmesh_worker.contest import ARTIFACT, Contest, finished
from kernelmesh_worker.device import here
from kernelmesh_worker.profilers import NoFigures
from kernelmesh_worker.sandbox import place_for_candidates

_WARM_UP_CALLS, _FEWEST_CALLS, _MOST_CALLS, _CALLS_S = 2, 5, 200, 0.5
_TOOL_S = 30.0  # of a profiler: its start, or one call under it
_DISASSEMBLER_S = 10.0
_MOST_BYTES = 16 << 20  # of what a profiler writes
_END_S = 10.0
_REDIRECT = 'exec "$0" -d -C --no-show-raw-insn -j .text "$1" >"$2"'
_SHELL = "/bin/sh"


class Profile:
    """What was found so far."""

    def __init__(self, contest: Contest) -> None:
        contest.use(0)
        self._contest = contest
        self._values = contest.drawn(contest.draws[0])[1].values
        self._folder = Path(tempfile.mkdtemp(prefix="profile-"))
        self.fate = finished("time")
        self.source, self.missing = "", []
        self.kernels: list[dict[str, Any]] = []
        self.call_ns, self.calls, self.profiler_s, self.working_set = 0.0, 1, 0.0, 0

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    # -- the time ---------------------------------------------------------------------------------------------------

    def measure(self, arena: Arena, process: CandidateProcess) -> None:
        """The median of a few calls, less what asking takes."""
        process.load()
        start, times, empty = time.monotonic(), [], []
        for i in range(_WARM_UP_CALLS + _MOST_CALLS):
            if i >= _WARM_UP_CALLS + _FEWEST_CALLS and time.monotonic() - start > _CALLS_S:
                break
            elapsed = self._call(arena, process)
            times.append(process.device_ns if here().has_clock else elapsed)
            empty.append(0 if here().has_clock else process.ask("empty", ns=0))
        self.calls = len(times)
        self.working_set = sum(x.size for x in arena.lent)
        self.call_ns = max(1.0, statistics.median(times[_WARM_UP_CALLS:]) - statistics.median(empty))

    def _call(self, arena: Arena, process: CandidateProcess) -> int:
        told = lend(arena, self._values)
        if arena.has_changing_buffers:
            arena.write_weights()
            process.ask("reset", weights=False)
        return process.ask("call", **told)

    def measure_alone(self) -> None:
        try:
            with self._contest.candidate() as checks:
                self.measure(checks.arena, checks.process)
        except CandidateEnded as ended:
            self.fate = ended.fate

    # -- a CPU ------------------------------------------------------------------------------------------------------

    def count_on_cpu(self) -> None:
        """The time is taken under perf, which does not disturb it; without perf alone."""
        try:
            self.kernels, self.source = self._by_perf(), "perf"
            return
        except NoFigures as why:
            self.missing.append(str(why))
        if self.call_ns == 0:
            self.measure_alone()
        try:
            self.kernels, self.source = self._by_objdump(), "objdump"
        except NoFigures as why:
            self.missing.append(str(why))

    def _by_perf(self) -> list[dict[str, Any]]:
        perf = profilers.find_perf()
        if not perf:
            raise NoFigures("perf is not there")
        if self._contest.tier != "sealed":
            raise NoFigures("what runs in a Python process is not counted, since the interpreter would be counted too")
        out = self._folder / "perf.txt"
        with self._timed(), self._profiled(profilers.perf_command(perf, out)) as (arena, process):
            self.measure(arena, process)
            process.leave(_END_S)
        counts = profilers.perf_counts(self._read(out))
        return [{"name": "all calls", "launches": self.calls, "metrics": counts}]

    def _by_objdump(self) -> list[dict[str, Any]]:
        objdump = shutil.which("objdump") or ""
        if not objdump:
            raise NoFigures("objdump is not there")
        if not self._contest.work.get("artifact") or self._contest.entry != "c_abi":
            raise NoFigures("it has no library whose instructions could be read")
        if platform.machine() != "x86_64":
            raise NoFigures("instructions are told apart on x86-64 only")
        out = self._folder / "objdump.txt"
        library = str(place_for_candidates(self._contest.folder) / ARTIFACT)
        command = (_SHELL, "-c", _REDIRECT, objdump, library, str(out))
        with self._timed(), _no_figures_of("objdump"):
            self._contest.run_tool(command, self._folder, _DISASSEMBLER_S)
        kernels = instruction_mix.kernels_of(self._read(out))
        if not kernels:
            raise NoFigures("objdump found no instructions in its library")
        return kernels

    # -- a GPU ------------------------------------------------------------------------------------------------------

    def count_on_gpu(self) -> None:
        self.measure_alone()
        try:
            self.kernels, self.source = self._by_ncu(), "Nsight Compute"
        except NoFigures as why:
            self.missing.append(str(why))

    def _by_ncu(self) -> list[dict[str, Any]]:
        """Once more where this GPU does not have all metrics."""
        ncu = profilers.find_ncu()
        if not ncu:
            raise NoFigures("Nsight Compute (ncu) is neither on PATH nor in the CUDA toolkit's folder")
        if self._contest.tier != "sealed":
            raise NoFigures("what runs in a Python process is not profiled")
        with self._timed():
            log = self._ncu_log(ncu, profilers.ncu_names())
            if unknown := profilers.unknown_metrics(log):
                log = self._ncu_log(ncu, [x for x in profilers.ncu_names() if x not in unknown])
        return profilers.ncu_kernels(log)

    def _ncu_log(self, ncu: str, metrics: list[str]) -> str:
        out = self._folder / "ncu.csv"
        out.unlink(missing_ok=True)
        try:
            with self._profiled(profilers.ncu_command(ncu, out, metrics), "--profiled") as (arena, process):
                process.load()
                self._call(arena, process)
                process.leave(_END_S)
        except NoFigures:
            if not out.exists():
                raise
        return self._read(out)

    # -- both -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _profiled(self, command: tuple[str, ...], *more: str) -> Iterator[tuple[Arena, CandidateProcess]]:
        """The candidate under a profiler."""
        with _no_figures_of(Path(command[0]).name):
            with self._contest.profiled(command, more, self._folder, _TOOL_S) as found:
                yield found

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        finally:
            self.profiler_s += time.monotonic() - start

    def _read(self, path: Path) -> str:
        """What was written where a candidate could write too."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise NoFigures(f"{path.stem} wrote nothing ({error.strerror})") from None
        with open(descriptor, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")

    def figures(self) -> dict[str, Any]:
        """The record profile_figures."""
        all_ = self._contest.figures(self.fate)
        return {name: all_[name] for name in ("fate", "sandbox", "environment")} | {
            "source": self.source,
            "missing": self.missing,
            "kernels": self.kernels,
            "call_ns": self.call_ns,
            "calls": self.calls,
            "working_set_bytes": self.working_set,
            "cache_bytes": here().largest_cache(),
            "profiler_s": self.profiler_s,
            "tier": self._contest.tier,
        }


@contextlib.contextmanager
def _no_figures_of(tool: str) -> Iterator[None]:
    """NoFigures, however it ends: without a profiler the candidate may do well."""
    try:
        yield
    except CandidateEnded as ended:
        raise NoFigures(f"{tool} did not get to its end: {ended.said}") from None


def profile(contest: Contest) -> dict[str, Any]:
    found = Profile(contest)
    try:
        found.count_on_gpu() if here().has_clock else found.count_on_cpu()
        return found.figures()
    finally:
        found.close()
