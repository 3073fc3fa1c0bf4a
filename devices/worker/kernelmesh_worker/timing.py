"""How fast is the candidate beside its baselines? Turns in random order, one runs while the other is stopped.

Here is the place of what later makes the clock harder to fool (replay probes among timed calls, cache flushes, fresh
addresses, several shapes): each changes what one turn does.
"""

from __future__ import annotations

import contextlib
import math
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kernelmesh_worker.arena import Arena, Got, JudgeFailure
from kernelmesh_worker.candidate_process import CandidateEnded, CandidateProcess
from kernelmesh_worker.checking import collect, draw_figures, lend
from kernelmesh_worker.contest import Contest, finished
from kernelmesh_worker.draws import Draw
from kernelmesh_worker.machine import available_memory
from kernelmesh_worker.text import one_line
from kernelmesh_worker.values import tensors_in
from kernelmesh_worker.verify import check

FEWEST_PAIRS, MOST_PAIRS = 10, 400
_EMPTY_TURNS = 12  # before the first pair; later one in a few pairs
_EMPTY_EVERY = 4
_WARM_UP_CALLS, _WARM_UP_S = 3, 0.5
_MOST_CONTENTS = 4
_MOST_CHECKED = 3
_LOOK_EVERY = 5  # pairs between two looks at the interval
_HARD_BUDGETS = 10  # a slow call is repeated FEWEST_PAIRS times, but not beyond so many budgets

_ROOM = 8  # so many times what a task lends must be free for comforts
_LONGEST_SPIN_NS = 200_000  # a judge that sleeps longer wakes no slower; a longer spin meets other processes
_REFERENCE = {"python_host": {"symbol": "Model"}}

_SECRET = random.SystemRandom()


@dataclass
class Content:
    """Inputs that timed calls are given, by the judge's private copy."""

    draw: Draw
    inputs: list[Any]


@dataclass
class Samples:
    """Brackets by the judge's clock in nanoseconds, the empty bracket still in them."""

    candidate: list[int] = field(default_factory=list)
    eager: list[int] = field(default_factory=list)
    repeat: list[int] = field(default_factory=list)
    compiled: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    kept: list[tuple[Content, list[Got], bool]] = field(default_factory=list)  # outputs to be checked afterwards

    def empty_ns(self) -> float:
        return float(statistics.median(self.empty)) if self.empty else 0.0

    def less_empty(self, brackets: list[int]) -> list[float]:
        """May be below 0 where a call takes as long as the empty bracket's noise."""
        empty = self.empty_ns()
        return [x - empty for x in brackets]

    def candidate_ns(self) -> list[float]:
        return self.less_empty(self.candidate)

    def eager_ns(self) -> list[float]:
        return self.less_empty(self.eager)


class Contender:
    """A side that is timed: the candidate, or a baseline in a process of the same kind."""

    def __init__(self, arena: Arena, process: CandidateProcess) -> None:
        self.arena = arena
        self._process = process

    def turn(self, content: Content) -> int:
        """Wakes it, gives it fresh contents last, takes the time of one call, stops it."""
        self.call(content)
        self._process.stop()
        return self.elapsed

    def call(self, content: Content) -> None:
        told = self._wake(content)
        self.elapsed = self._process.ask("call", plain=told)

    def outputs(self) -> list[Got]:
        """Of the last call; it must not be stopped yet."""
        return collect(self.arena, self._process)

    def empty_turn(self, content: Content, spin_ns: int) -> int:
        """As a turn, but what it is asked for is to keep a core busy for so long; what it took beyond that."""
        self._wake(content)
        elapsed = self._process.ask("empty", ns=spin_ns)
        self._process.stop()
        return elapsed - spin_ns

    def stop(self) -> None:
        self._process.stop()

    def _wake(self, content: Content) -> list[dict[str, Any]]:
        self._process.go_on()
        self._process.ask("empty", ns=0)
        return lend(self.arena, content.inputs)


class Baseline(Contender):
    """The reference. Empty calls are asked of it alone: a candidate has no say in what is taken off its times."""

    def __init__(self, contest: Contest, stack: contextlib.ExitStack, cache: str = "") -> None:
        arena = Arena(contest.reference, {"entry": _REFERENCE}, contest.first, contest.reference.eager(contest.first))
        stack.callback(arena.close)
        process = stack.enter_context(contest.start_baseline(arena, cache))
        super().__init__(arena, process)
        with self._trusted():
            process.load()

    def turn(self, content: Content) -> int:
        with self._trusted():
            return super().turn(content)

    def empty_turn(self, content: Content, spin_ns: int) -> int:
        with self._trusted():
            return super().empty_turn(content, spin_ns)

    @contextlib.contextmanager
    def _trusted(self) -> Iterator[None]:
        try:
            yield
        except CandidateEnded as ended:
            said = one_line(ended.fate["message"])
            raise JudgeFailure(f"the reference failed while it was timed ({ended.fate['end']}): {said}") from None


class Turns:
    """Gives each side its turns and keeps what they took."""

    def __init__(self, contest: Contest, candidate: CandidateProcess, stack: contextlib.ExitStack) -> None:
        self._contest = contest
        self._contents = _contents(contest)
        self._candidate = Contender(contest.arena, candidate)
        self._candidate.stop()
        self._eager = Baseline(contest, stack)
        # In a process of its own where that fits: two turns of one process would find each other's caches warm.
        self._repeat = Baseline(contest, stack) if _is_roomy(contest) else self._eager
        self._compiled = None
        if "compile" in contest.options.get("baselines", []):
            self._compiled = _compiled(contest, stack, self._contents[0])
        self._spin_ns = 0
        self.samples = Samples()

    def run(self) -> None:
        """Until the interval is narrow enough or the budget is spent."""
        self._warm_up()
        for _ in range(_EMPTY_TURNS):
            self._empty_turn()
        budget = self._contest.options.get("timing_budget_ms", 3000) / 1000
        wanted = self._contest.options.get("wanted_interval", 0.01)
        start = time.monotonic()
        for i in range(MOST_PAIRS):
            spent = time.monotonic() - start
            if spent > budget * (1 if i >= FEWEST_PAIRS else _HARD_BUDGETS):
                break
            if i >= FEWEST_PAIRS and i % _LOOK_EVERY == 0 and self._interval() < wanted:
                break
            if i % _LOOK_EVERY == 0:
                self._contest.progress(min(1.0, spent / budget), f"pair {i + 1}")
            self._pair(i)

    def _content(self) -> Content:
        return _SECRET.choice(self._contents)

    def _pair(self, index: int) -> None:
        content = self._content()
        x = self.samples
        turns: list[Callable[[], None]] = [
            lambda: x.candidate.append(self._candidate_turn(content)),
            lambda: x.eager.append(self._eager.turn(content)),
            lambda: x.repeat.append(self._repeat.turn(content)),
        ]
        compiled = self._compiled
        if compiled:
            turns.append(lambda: x.compiled.append(compiled.turn(content)))
        if index % _EMPTY_EVERY == 0:
            turns.append(self._empty_turn)
        _SECRET.shuffle(turns)
        for turn in turns:
            turn()

    def _candidate_turn(self, content: Content) -> int:
        kept = self._keeps()
        self._candidate.call(content)
        got = self._candidate.outputs() if kept else []
        self._candidate.stop()
        if kept:
            self._keep(content, got)
        return self._candidate.elapsed

    def _empty_turn(self) -> None:
        self.samples.empty.append(self._eager.empty_turn(self._content(), self._spin_ns))

    def _keeps(self) -> bool:
        """Is this call one of those that are checked afterwards? Every one has the same chance."""
        return _SECRET.random() < _MOST_CHECKED / (len(self.samples.candidate) + 1)

    def _keep(self, content: Content, got: list[Got]) -> None:
        arena = self._contest.arena
        changed = arena.changed(content.inputs)
        if changed:
            arena.write_weights()
        one = (content, got, changed)
        if len(self.samples.kept) < _MOST_CHECKED:
            self.samples.kept.append(one)
        else:
            self.samples.kept[_SECRET.randrange(_MOST_CHECKED)] = one

    def _warm_up(self) -> None:
        start = time.monotonic()
        sides = [x for x in (self._candidate, self._eager, self._repeat, self._compiled) if x]
        for i in range(_WARM_UP_CALLS):
            if i and time.monotonic() - start > _WARM_UP_S:
                break
            for side in sides:
                side.turn(self._content())
        self._spin_ns = min(self._eager.elapsed, _LONGEST_SPIN_NS)

    def _interval(self) -> float:
        pairs = zip(self.samples.eager_ns(), self.samples.candidate_ns(), strict=True)
        return relative_interval([max(1.0, eager) / max(1.0, x) for eager, x in pairs])


def relative_interval(ratios: list[float]) -> float:
    """Width of the median's 95 % interval (order statistics) over the median."""
    ranked = sorted(ratios)
    half = 0.98 * math.sqrt(len(ranked))
    low = max(0, math.floor(len(ranked) / 2 - half))
    high = min(len(ranked) - 1, math.ceil(len(ranked) / 2 + half))
    return (ranked[high] - ranked[low]) / statistics.median(ranked)


def _is_roomy(contest: Contest) -> bool:
    lent = sum(x.size for x in contest.arena.lent)
    return lent * _ROOM < available_memory()


def _contents(contest: Contest) -> list[Content]:
    """As many as memory allows without crowding it."""
    contents: list[Content] = []
    for i in range(_MOST_CONTENTS):
        draw = contest.more(1000 + i)
        contents.append(Content(draw, contest.task.inputs(draw.seed, draw.kind)))
        size = sum(x.nbytes for x in tensors_in(contents[-1].inputs))
        if size * _ROOM > available_memory():
            break
    return contents


def _compiled(contest: Contest, stack: contextlib.ExitStack, content: Content) -> Baseline | None:
    """torch.compile of the reference, compiled; None if torch can't."""
    contest.progress(0.0, "torch.compile of the reference")
    cache = stack.enter_context(tempfile.TemporaryDirectory(prefix="inductor-", ignore_cleanup_errors=True))
    try:
        baseline = Baseline(contest, stack, cache)
        baseline.turn(content)
    except JudgeFailure as failure:  # a compiler may fail in many ways; the baseline is left out then
        contest.progress(0.0, f"torch.compile can't compile the reference: {failure}")
        return None
    return baseline


# -- the whole of it --------------------------------------------------------------------------------------------------


def time_candidate(contest: Contest) -> dict[str, Any]:
    """The record time_figures."""
    checked: list[dict[str, Any]] = []
    samples, fate = Samples(), finished("time")
    with contest.start() as candidate:
        try:
            candidate.load()
            checked.append(check(contest, candidate, contest.draws[0]))
            candidate.phase = "time"
            samples = _take_turns(contest, candidate)
        except CandidateEnded as ended:
            fate = ended.fate
    checked += [_check_kept(contest, *x) for x in samples.kept]
    return contest.figures(fate) | _sample_figures(samples) | {"checked": checked, "floor_bytes": _floor(contest)}


def _take_turns(contest: Contest, candidate: CandidateProcess) -> Samples:
    with contextlib.ExitStack() as stack:
        turns = Turns(contest, candidate, stack)
        turns.run()
    return turns.samples


def _sample_figures(samples: Samples) -> dict[str, Any]:
    compiled = samples.less_empty(samples.compiled)
    return {
        "candidate_ns": samples.candidate_ns(),
        "baseline_ns": {"eager": samples.eager_ns()} | ({"compile": compiled} if compiled else {}),
        "repeat_ns": samples.less_empty(samples.repeat),
        "empty_bracket_ns": samples.empty_ns(),
    }


def _check_kept(contest: Contest, content: Content, got: list[Got], changed: bool) -> dict[str, Any]:
    expected = contest.reference.expected(content.inputs)
    return draw_figures(content.draw, expected, got, changed, contest.tolerance)


def _floor(contest: Contest) -> int:
    """Inputs and weights read once, outputs written once."""
    outputs = contest.reference.eager(contest.first)
    return sum(x.nbytes for x in (*tensors_in(contest.first), *outputs, *contest.reference.state.values()))
