"""Is the candidate right? Figures only; what they mean is decided elsewhere.

Three forks are asked: one does all draws and probes, one is built with other weights, one has no libraries to call.
Each is asked about all shapes of the task, so that what it keeps of one is there when another comes.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import torch

from kernelmesh_worker.candidate_ended import CandidateEnded
from kernelmesh_worker.checking import NARROW, Checks, Figures, is_bad
from kernelmesh_worker.comparison import compare, rms_of
from kernelmesh_worker.contents import is_roomy
from kernelmesh_worker.contest import ARTIFACT, Contest, finished
from kernelmesh_worker.draws import TINY, Drawn
from kernelmesh_worker.probes import can_be_probed, one_changed, permuted
from kernelmesh_worker.reference import Expected, Reference
from kernelmesh_worker.rehearsal import rehearse
from kernelmesh_worker.sandbox import place_for_candidates
from kernelmesh_worker.sealing import Sealing, can_be_sealed, seal
from kernelmesh_worker.task import TaskRefused
from kernelmesh_worker.text import clean
from kernelmesh_worker.values import tensors_in

_SECRET = random.SystemRandom()
_MOST_LIBRARIES = 16
_RUNTIME = ("ld-", "libc.", "libc-", "libm.", "libm-", "libmvec", "libgcc_s.", "libstdc++.", "libgomp.", "libomp.",
            "libatomic.", "libseccomp.", "libquadmath.", "libpthread", "libdl", "librt", "libtbb.")  # fmt: skip
_OF_SYSTEM = ("/usr/", "/lib")
Probe = tuple[str, Callable[[Drawn], list[Any]]]


class Verification:
    """What was found so far of one shape; each step adds to it."""

    def __init__(self, contest: Contest, shape: int) -> None:
        self.contest = contest
        self.shape = shape
        self.draws: list[Figures] = []
        self.library: dict[str, Any] | None = None
        self.tier, self.why_hosted = contest.tier, ""
        self.trivial = Trivial(contest.tolerance)

    @property
    def is_wrong(self) -> bool:
        """On a draw of the task's own, with weights of a construction: others may be prepared when it is built."""
        return any(is_bad(x) for x in self.draws if x["kind"] == "own" and x.get("weights") != "perturbed")

    def _turn_to(self, checks: Checks) -> None:
        self.contest.use(self.shape)
        checks.use(self.shape)

    # -- the weights it was built with --------------------------------------------------------------------------------

    def check_draws(self, checks: Checks) -> None:
        """For each draw that is not finite, one more of the task's own. Probes follow draws chosen at random."""
        self._turn_to(checks)
        waiting = list(self.contest.draws)
        planned = len(waiting)
        probes = self._probes_by_draw(planned)
        index = 0
        while waiting:
            self.contest.progress(min(1.0, index / planned), f"draw {index + 1} of {planned}")
            drawn = self._check_draw(checks, waiting.pop(0))
            drawn_finite = self.draws[-1]["finite"]
            for name, change in probes.get(index, []):
                if can_be_probed(drawn):
                    self._check_probe(checks, name, change, drawn)
            index += 1
            if not drawn_finite and index <= planned:
                waiting.append(self.contest.more(index))
        if any(_looks_narrow(x) for draw in self.draws for x in draw["outputs"]):
            self._check_draw(checks, self.contest.more("tiny", TINY))
        checks.settle()

    def check_again(self, checks: Checks) -> None:
        """Once more, after other shapes."""
        self._turn_to(checks)
        self._check_draw(checks, self.contest.more("again"))
        checks.settle()

    def _probes_by_draw(self, planned: int) -> dict[int, list[Probe]]:
        """The first draw, the task's own, is always followed by one: where numbers are small, few outputs tell."""
        found: dict[int, list[Probe]] = {0: [("one_changed", one_changed)]}
        for probe in (("permuted", permuted), ("one_changed", one_changed)):
            found.setdefault(_SECRET.randrange(planned), []).append(probe)
        return found

    def _check_draw(self, checks: Checks, wanted: Any) -> Drawn:
        self._last, drawn, expected = self.contest.usable(wanted, checks.reference.expected)
        self.draws.append(checks.call(self._last, drawn.values, expected))
        if expected.finite:
            self.trivial.see(drawn.values, expected)
        return drawn

    def _check_probe(self, checks: Checks, name: str, change: Callable[[Drawn], list[Any]], drawn: Drawn) -> None:
        """Where the reference can't take a negative number, a probe has none."""
        values = change(drawn)
        try:
            expected = checks.reference.expected(values)
            if not expected.finite:
                values = one_changed(drawn, signs=(1,))
                expected, name = checks.reference.expected(values), "one_changed"
        except TaskRefused:  # numbers that are indices, say
            return
        self.draws.append(checks.call(self._last, values, expected, name))

    # -- other weights ------------------------------------------------------------------------------------------------

    def check_weights(self, checks: Checks, weights: str) -> None:
        self._turn_to(checks)
        draw, drawn = self.contest.drawn(self.contest.more(weights))
        figures = checks.call(draw, drawn.values, checks.reference.expected(drawn.values))
        figures["weights"] = weights
        self.draws.append(figures)

    # -- without libraries --------------------------------------------------------------------------------------------

    def check_library(self, started: Checks | None = None) -> None:
        """One more draw in a process in which operators of libraries raise: that one if it is started already."""
        self.contest.use(self.shape)
        message, changed, calls = "", False, []
        try:
            with self.contest.loaded(True, started) as checks:
                self._turn_to(checks)
                draw, drawn = self.contest.drawn(self.contest.more("library"))
                changed = is_bad(checks.call(draw, drawn.values, checks.reference.expected(drawn.values)))
                calls = checks.process.library
        except CandidateEnded as ended:
            if ended.fate["end"] == "tampered":
                raise
            message, changed, calls = ended.fate["message"] or ended.fate["end"], True, ended.library
        self.library = {"calls": calls, "changed": changed, "message": message}

    def note_loaded(self, programs: set[str]) -> None:
        """Of one that has no operators to call: which libraries it has beside those that every C++ program has."""
        ours = self.contest.host_program, str(place_for_candidates(self.contest.folder) / ARTIFACT)
        foreign = sorted({clean(PurePath(x).name, 80) for x in programs if x not in ours and not _is_runtime(x)})
        if foreign:
            self.library = {"calls": foreign[:_MOST_LIBRARIES], "changed": False, "message": ""}

    @property
    def needs_library(self) -> bool:
        return self.library is not None and bool(self.library["calls"] or self.library["changed"])

    # -- without its process ------------------------------------------------------------------------------------------

    def take(self, sealing: Sealing) -> None:
        """Those draws count too."""
        self.why_hosted = sealing.why
        if sealing.contest:
            self.tier = sealing.contest.tier
            self.draws += sealing.draws

    # -- all of it ----------------------------------------------------------------------------------------------------

    def figures(self, fate: dict[str, Any]) -> dict[str, Any]:
        """The record verify_figures."""
        self.contest.use(self.shape)
        more = {"draws": self.draws, "degenerate": self.trivial.kind()}
        more |= {"tier": self.tier, "why_hosted": self.why_hosted}
        if self.library is not None:
            more["library"] = self.library
        return self.contest.figures(fate) | {"tolerance": self.contest.tolerance} | more


def _is_runtime(program: str) -> bool:
    """What a compiler links to any program."""
    return program.startswith(_OF_SYSTEM) and PurePath(program).name.startswith(_RUNTIME)


class Trivial:
    """Would a constant, or an input as it is, pass for the output on every draw seen?"""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._first: list[torch.Tensor] | None = None
        self._constant = self._echo = True
        self._seen = 0

    def see(self, inputs: list[Any], expected: Expected) -> None:
        self._seen += 1
        if self._first is None:
            self._first = expected.want
        elif self._constant:
            self._constant = self._pass(self._first, expected.want)
        if self._echo:
            self._echo = all(self._echoes(inputs, x) for x in expected.want)

    def kind(self) -> str:
        """ "constant", "echo" or nothing."""
        if self._seen < 2:
            return ""
        if self._constant:
            return "constant"
        return "echo" if self._echo else ""

    def _echoes(self, inputs: list[Any], want: torch.Tensor) -> bool:
        return any(self._passes(x, want) for x in tensors_in(inputs) if x.shape == want.shape)

    def _pass(self, got: list[torch.Tensor], want: list[torch.Tensor]) -> bool:
        return all(self._passes(x, y) for x, y in zip(got, want, strict=True))

    def _passes(self, got: torch.Tensor, want: torch.Tensor) -> bool:
        if not want.numel():
            return True
        error = compare(got, want, self._tolerance, rms_of(want))
        return error.over_tolerance + error.non_finite_mismatch == 0


def _looks_narrow(x: dict[str, Any]) -> bool:
    if x["elements"] == 0 or x["reference_rms"] == 0:
        return False
    share = x["rms"] / x["reference_rms"]
    return NARROW[0] < share < NARROW[1] and x["rms"] > 4 * x["eager_rms"]


def verify(contest: Contest) -> list[dict[str, Any]]:
    """Of each shape, as far as the candidate comes: those behind one on which it is wrong or ends are not asked."""
    found = [Verification(contest, shape) for shape in range(len(contest.firsts))]
    fate = finished("call")
    try:
        with contextlib.ExitStack() as stack:
            with contest.candidate() as checks:
                closed = _closed_early(contest, checks, stack)
                _check_draws(contest, checks, found)
                if can_be_sealed(contest) and not found[0].is_wrong:
                    found[0].draws += rehearse(contest, checks)
            if not any(x.is_wrong for x in found):
                _check_weights(contest, found)
                for one in found if contest.calls_libraries else []:
                    one.check_library(closed)
        if not any(x.is_wrong for x in found):
            _seal(contest, found)
    except CandidateEnded as ended:
        fate = ended.fate
    at, done = contest.shape, finished("call")
    last = at if fate["end"] != "finished" else len(found) - 1
    seen = [x for x in found if x.draws or x.shape == at]
    return [x.figures(fate if x.shape == at else done) for x in seen if x.shape <= last]


def _seal(contest: Contest, found: list[Verification]) -> None:
    """Whoever has passed so far, as far as is known here."""
    may_call = contest.options.get("allow_library_calls", False)
    if may_call or not any(x.needs_library for x in found):
        sealing = seal(contest, checked_record)
        for one in found:
            one.take(sealing)


def checked_record(sealed: Contest) -> list[Figures]:
    """Draws on which a record of launches was checked as any candidate is. CandidateEnded."""
    found = [Verification(sealed, 0)]
    with sealed.candidate() as checks:
        _check_draws(sealed, checks, found)
    if not found[0].is_wrong:
        _check_weights(sealed, found)
    return found[0].draws


def _check_draws(contest: Contest, checks: Checks, found: list[Verification]) -> None:
    """Every shape in turn; then all of them once more in another order."""
    checks.load()
    for one in found:
        one.check_draws(checks)
        if one.is_wrong:
            return
    for one in _SECRET.sample(found, len(found)) if len(found) > 1 else []:
        one.check_again(checks)
    if contest.tier == "sealed" and contest.entry == "c_abi":
        for one in found:
            one.note_loaded(checks.process.mapped_programs())


def _closed_early(contest: Contest, checks: Checks, stack: contextlib.ExitStack) -> Checks | None:
    """A candidate without libraries that loads while the other one is asked; None where it is not needed, or has one
    for each shape, or takes memory that may be missed."""
    if not contest.calls_libraries or len(contest.firsts) > 1 or not is_roomy(checks.arena):
        return None
    return stack.enter_context(contest.candidate(closed=True))


def _check_weights(contest: Contest, found: list[Verification]) -> None:
    """Built under another seed, with constant weights redrawn; then with weights that no construction gave."""
    if not contest.reference.state:
        return
    other = Reference(contest.task, contest.secret, "other weights", redraw=True)
    with contest.candidate(other) as checks:
        checks.load()
        for one in found:
            one.check_weights(checks, "other_seed")
        other.perturb()
        checks.take_weights()
        for one in found:
            one.check_weights(checks, "perturbed")
        checks.settle()
