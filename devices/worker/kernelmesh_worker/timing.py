"""How fast is the candidate beside its baselines? Turns in random order, one runs while the others are stopped."""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from kernelmesh_worker import compile_caches
from kernelmesh_worker.arena import JudgeFailure
from kernelmesh_worker.candidate_ended import CandidateEnded, OutOfTurn
from kernelmesh_worker.candidate_process import CandidateProcess
from kernelmesh_worker.checking import Checks, Figures, badness
from kernelmesh_worker.contender import Contender, at_last, empty_turn
from kernelmesh_worker.contents import Content, Contents, is_roomy
from kernelmesh_worker.contest import Contest, finished
from kernelmesh_worker.device import here
from kernelmesh_worker.floor import Floor, measure_floor
from kernelmesh_worker.samples import MOST_PAIRS, Samples, relative_interval, sample_figures
from kernelmesh_worker.sealing import seal
from kernelmesh_worker.text import one_line
from kernelmesh_worker.verify import checked_record

FEWEST_PAIRS = 10
_ALONE_ROUNDS, _ALONE_S = 9, 1.0  # of the baselines, before the candidate is started
_EMPTY_TURNS = 12  # before the first pair; later one in a few pairs
_EMPTY_EVERY = 4
_WARM_UP_CALLS, _MOST_WARM_UP_CALLS, _WARM_UP_S = 3, 24, 1.5
_FEW_FAULTS = 64  # pages: a call that touches no more than so many fresh ones has settled
_MOST_KEPT = 3
_CHECKED_SHARE = 0.1  # of the timed calls, and one in the first few: all of their outputs are held against the oracle
_LOOK_EVERY = 5  # pairs between two looks at the interval
_HARD_BUDGETS = 10  # a slow call is repeated FEWEST_PAIRS times, but not beyond so many budgets

_LONGEST_SPIN_NS = 200_000  # a judge that sleeps longer wakes no slower; a longer spin meets other processes

_SECRET = random.SystemRandom()


class Baseline(Contender):
    """The reference. Empty calls are asked of it alone: a candidate has no say in what is taken off its times."""

    def __init__(self, contest: Contest, stack: contextlib.ExitStack, cache: str = "") -> None:
        """Its process starts; it is there when `load` returns."""
        super().__init__(*stack.enter_context(contest.baseline(cache)))

    def load(self) -> None:
        with self._trusted():
            self.process.load()
            self.process.stop()

    def turn(self, content: Content, deliver: bool = False) -> int:
        with self._trusted():
            return super().turn(content, deliver)

    def empty_turn(self, spin_ns: int, content: Content) -> int:
        with self._trusted():
            return super().empty_turn(spin_ns, content)

    @contextlib.contextmanager
    def _trusted(self) -> Iterator[None]:
        try:
            yield
        except CandidateEnded as ended:
            said = one_line(ended.fate["message"])
            raise JudgeFailure(f"the reference failed while it was timed ({ended.fate['end']}): {said}") from None


class Baselines:
    """Eager, its repeat and the compiled reference, as far as they are asked for and possible."""

    def __init__(self, contest: Contest, stack: contextlib.ExitStack, samples: Samples, content: Content) -> None:
        self.compiled: Baseline | None = None
        self.eager = Baseline(contest, stack)
        # In a process of its own where that fits: two turns of one process would find each other's caches warm.
        self.repeat = Baseline(contest, stack) if is_roomy(self.eager.arena) else self.eager
        for side in self.all():  # both start side by side
            side.load()
        if "compile" in contest.options.get("baselines", []):
            self.compiled = _compiled(contest, stack, samples, content)

    def all(self) -> list[Baseline]:
        return [x for x in dict.fromkeys((self.eager, self.repeat, self.compiled)) if x]


def _compiled(contest: Contest, stack: contextlib.ExitStack, samples: Samples, content: Content) -> Baseline | None:
    """torch.compile of the reference, compiled; None if torch can't."""
    contest.progress(0.0, "torch.compile of the reference")
    try:
        baseline = Baseline(contest, stack, compile_caches.folder_of(contest.work["task"], here().policy))
        baseline.load()
        at_last(lambda: baseline.turn(content))
    except JudgeFailure as failure:  # a compiler may fail in many ways; the baseline is left out then
        samples.left_out["compile"] = one_line(str(failure))
        return None
    return baseline


class Turns:
    """Gives each side its turns and keeps what they took."""

    def __init__(self, contest: Contest, stack: contextlib.ExitStack, contents: Contents) -> None:
        self._contest = contest
        self._contents = contents
        self.samples = Samples(clocked=here().has_clock)
        self._baselines = Baselines(contest, stack, self.samples, contents.next())
        self._spin_ns = 0
        self._bare: CandidateProcess | None = None

    # -- without the candidate ----------------------------------------------------------------------------------------

    def run_alone(self) -> None:
        """The baselines' turns in a machine in which the candidate does not exist yet."""
        self._warm_up(self._baselines.all())
        self._spin_ns = min(self._baselines.eager.elapsed, _LONGEST_SPIN_NS)
        start = time.monotonic()
        for i in range(_ALONE_ROUNDS):
            if i >= 3 and time.monotonic() - start > _ALONE_S:
                break
            content = self._contents.next()
            for side in _shuffled(self._baselines.all()):
                elapsed = at_last(lambda side=side, content=content: side.turn(content))
                if side is self._baselines.eager:
                    self.samples.alone.append(elapsed)
        for _ in range(_EMPTY_TURNS):
            at_last(self._empty_turn)

    def _warm_up(self, sides: list[Any]) -> None:
        """Until no side touches fresh pages any more: they would be counted against whom they happen to meet."""
        start = time.monotonic()
        for i in range(_MOST_WARM_UP_CALLS):
            if i and time.monotonic() - start > _WARM_UP_S:
                break
            before = [x.process.page_faults() for x in sides]
            for side in sides:
                at_last(lambda side=side: side.turn(self._contents.known()))
            fresh = [x.process.page_faults() - n for x, n in zip(sides, before, strict=True)]
            if i + 1 >= _WARM_UP_CALLS and max(fresh) <= _FEW_FAULTS:
                break

    # -- beside it ----------------------------------------------------------------------------------------------------

    def run(self, checks: Checks) -> None:
        """Until the interval is narrow enough or the budget is spent."""
        self._checks = checks
        self._surely = _SECRET.randrange(1, FEWEST_PAIRS)
        self._candidate = Contender(checks.arena, checks.process)
        self._candidate.process.stop()
        with contextlib.ExitStack() as stack:
            if self._contest.tier == "sealed":
                self._bare = stack.enter_context(self._contest.bare_host(checks.arena))
                self._bare.stop()
                for _ in range(_EMPTY_TURNS):
                    at_last(self._empty_turn)
            self._warm_up([self._candidate, *self._baselines.all()])
            self._run_pairs()

    def _run_pairs(self) -> None:
        budget = self._contest.options.get("timing_budget_ms", 3000) / 1000 / len(self._contest.firsts)
        wanted = self._contest.options.get("wanted_interval", 0.01)
        start = time.monotonic()
        for i in range(min(MOST_PAIRS, self._contest.options.get("most_pairs", MOST_PAIRS))):
            spent = time.monotonic() - start
            if spent > budget * (1 if i >= FEWEST_PAIRS else _HARD_BUDGETS):
                break
            if i >= FEWEST_PAIRS and i % _LOOK_EVERY == 0 and self._interval() < wanted:
                break
            if i % _LOOK_EVERY == 0:
                self._contest.progress(min(1.0, spent / budget), f"pair {i + 1}")
            self._pair(i)

    def _pair(self, index: int) -> None:
        """Counts for nothing where a side was given a core out of turn."""
        known = self.samples.counts()
        try:
            self._run_pair(index)
        except OutOfTurn:
            self.samples.go_back(known)

    def _run_pair(self, index: int) -> None:
        """All sides on the same contents, which the candidate has not seen before."""
        content = self._contents.next()
        x, sides = self.samples, self._baselines
        turns: list[Callable[[], None]] = [
            lambda: x.candidate.append(self._candidate.turn(content, deliver=True)),
            lambda: x.eager.append(sides.eager.turn(content, deliver=True)),
        ]
        if sides.repeat is not sides.eager:
            turns.append(lambda: x.repeat.append(sides.repeat.turn(content)))
        compiled = sides.compiled
        if compiled:
            turns.append(lambda: x.compiled.append(compiled.turn(content)))
        if index % _EMPTY_EVERY == 0:
            turns.append(lambda: self._empty_turn(content))
        for turn in _shuffled(turns):
            turn()
        self._check(content)
        if sides.repeat is sides.eager:
            x.repeat.append(sides.eager.turn(content))

    def _check(self, content: Content) -> None:
        """Holds a few elements of each timed call against eager's, and all of a call's where they differ or by chance:
        any call may be looked at, so none can be left out."""
        side, eager, x = self._candidate, self._baselines.eager, self.samples
        x.eager_delivery.append(eager.delivery)
        if side.arena.kind == "python_host":  # a C function's outputs are there when it is done, or wrong
            x.delivered.append((side.elapsed, side.elapsed + side.delivery))
        if here().has_clock:
            gated = side.process.has_gate
            x.see_bracket(side.elapsed, eager.elapsed - eager.device_ns if gated else x.candidate_empty_ns())
        changed = side.has_changed(content)
        suspect = changed or not side.agrees([y.tensor for y in eager.delivered.all()], self._contest.tolerance)
        if suspect or len(x.candidate) == self._surely or _SECRET.random() < _CHECKED_SHARE:
            reference = self._checks.reference
            figures = self._checks.figures_of(content.draw, reference.expected(content.inputs), side.delivered, changed)
            self._keep(figures | {"probe": content.probe})

    def _keep(self, figures: Figures) -> None:
        """Of all that were looked at the worst ones."""
        kept = self.samples.kept
        kept.append(figures)
        kept.sort(key=badness, reverse=True)
        del kept[_MOST_KEPT:]

    def _empty_turn(self, content: Content | None = None) -> None:
        """In a pair with its contents: the candidate's memory is lent to the bare host too."""
        eager, content = self._baselines.eager, content or self._contents.known()
        self.samples.empty.append(eager.empty_turn(self._spin_ns, content))
        if here().has_clock:
            self.samples.nothing.append(eager.process.device_ns)
        if self._bare is not None:
            self.samples.own_empty.append(empty_turn(self._checks.arena, self._bare, self._spin_ns, content))

    def _interval(self) -> float:
        x = self.samples
        if not x.candidate:
            return math.inf
        pairs = zip(x.less_empty(x.eager), x.candidate_ns(), strict=True)
        return relative_interval([max(1.0, eager) / max(1.0, one) for eager, one in pairs])


def _shuffled(items: list[Any]) -> list[Any]:
    items = list(items)
    _SECRET.shuffle(items)
    return items


# -- the whole of it --------------------------------------------------------------------------------------------------


def time_candidate(contest: Contest) -> list[dict[str, Any]]:
    """The record time_figures of each shape, each in fresh processes, as far as the candidate comes."""
    sealing = seal(contest, checked_record)
    contest = sealing.contest or contest
    found: list[dict[str, Any]] = []
    for shape in range(len(contest.firsts)):
        contest.use(shape)
        found.append(_time_shape(contest) | {"why_hosted": sealing.why})
        if found[-1]["fate"]["end"] != "finished":
            break
    return found


def _time_shape(contest: Contest) -> dict[str, Any]:
    checked: list[Figures] = []
    fate = finished("time")
    with contextlib.ExitStack() as stack:
        turns = Turns(contest, stack, Contents(contest))
        turns.run_alone()
        floor = Floor(0, 0.0)
        try:
            closed = contest.calls_libraries and not contest.options.get("allow_library_calls", False)
            with contest.loaded(closed) as checks:
                draw, drawn = contest.drawn(contest.draws[0])
                checked.append(checks.call(draw, drawn.values, checks.reference.expected(drawn.values)))
                checks.settle()
                floor = measure_floor(checks.arena, contest.reference, contest.first.values, contest.input_bytes())
                checks.process.phase = "time"
                turns.run(checks)
        except CandidateEnded as ended:
            fate = ended.fate
    return contest.figures(fate) | sample_figures(turns.samples, checked, floor) | {"tier": contest.tier}
