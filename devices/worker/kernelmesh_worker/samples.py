"""What the turns of a timing took, and the figures of it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kernelmesh_worker.checking import Figures
from kernelmesh_worker.floor import Floor

MOST_PAIRS = 400


@dataclass
class Samples:
    """Brackets by the judge's clock in nanoseconds, the empty bracket still in them. If `clocked`, times of calls are
    by the device's clock, and `bracket` has the candidate's by the judge's own."""

    clocked: bool = False
    candidate: list[int] = field(default_factory=list)
    eager: list[int] = field(default_factory=list)
    repeat: list[int] = field(default_factory=list)
    compiled: list[int] = field(default_factory=list)
    empty: list[int] = field(default_factory=list)
    own_empty: list[int] = field(default_factory=list)  # of a process of the candidate's kind, where that is another
    alone: list[int] = field(default_factory=list)  # eager before the candidate was started
    delivered: list[tuple[int, int]] = field(default_factory=list)  # of the candidate: its call; with its outputs
    eager_delivery: list[int] = field(default_factory=list)  # of eager: the outputs alone
    kept: list[Figures] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    bracket: list[float] = field(default_factory=list)  # less what eager's, or an empty one, has beyond that clock
    beyond: list[float] = field(default_factory=list)  # that
    nothing: list[float] = field(default_factory=list)  # what the device's clock has of empty calls

    def counts(self) -> dict[str, int]:
        """How many of each there are."""
        return {name: len(x) for name, x in vars(self).items() if isinstance(x, list) and name != "kept"}

    def go_back(self, counts: dict[str, int]) -> None:
        """Forgets what came since then, but for the worst calls."""
        for name, count in counts.items():
            del getattr(self, name)[count:]

    def empty_ns(self) -> float:
        return float(statistics.median(self.empty)) if self.empty else 0.0

    def candidate_empty_ns(self) -> float:
        return float(statistics.median(self.own_empty)) if self.own_empty else self.empty_ns()

    def candidate_ns(self) -> list[float]:
        empty = 0.0 if self.clocked else self.candidate_empty_ns()
        return [x - empty for x in self.candidate]

    def see_bracket(self, candidate: float, beyond: float) -> None:
        self.bracket.append(candidate - beyond)
        self.beyond.append(beyond)

    def bracket_spread_ns(self) -> float:
        return spread(self.own_empty or self.empty)

    def clock(self) -> dict[str, float]:
        """What the clock that calls are timed with says of an empty one, and its deviation."""
        middle = statistics.median(self.nothing) if self.nothing else 0.0
        empty = middle if self.clocked else self.candidate_empty_ns()
        deviation = spread(self.nothing) if self.clocked else self.bracket_spread_ns()
        return {"empty_bracket_ns": empty, "empty_spread_ns": deviation}

    def less_empty(self, brackets: list[int]) -> list[float]:
        """May be below 0 where a call takes as long as the empty bracket's noise."""
        empty = 0.0 if self.clocked else self.empty_ns()
        return [x - empty for x in brackets]


def spread(brackets: Sequence[float]) -> float:
    """Half of what the middle two thirds span: a deviation that stray brackets do not move."""
    ranked = sorted(brackets)
    cut = len(ranked) // 6
    return (ranked[-1 - cut] - ranked[cut]) / 2 if ranked else 0.0


def relative_interval(ratios: list[float]) -> float:
    """Width of the median's 95 % interval (order statistics) over the median."""
    ranked = sorted(ratios)
    half = 0.98 * math.sqrt(len(ranked))
    low = max(0, math.floor(len(ranked) / 2 - half))
    high = min(len(ranked) - 1, math.ceil(len(ranked) / 2 + half))
    return (ranked[high] - ranked[low]) / statistics.median(ranked)


def sample_figures(x: Samples, checked: list[Figures], floor: Floor) -> dict[str, Any]:
    compiled = x.less_empty(x.compiled)
    usual = statistics.median(x.eager_delivery) if x.eager_delivery else 0.0
    pairs = min(len(x.candidate), len(x.eager), len(x.repeat), len(x.compiled) if compiled else MOST_PAIRS)
    empty = x.candidate_empty_ns()
    return {
        "candidate_ns": x.candidate_ns()[:pairs],
        "baseline_ns": {"eager": x.less_empty(x.eager)[:pairs]} | ({"compile": compiled[:pairs]} if compiled else {}),
        "repeat_ns": x.less_empty(x.repeat)[:pairs],
        **x.clock(),
        "late_ns": [both - usual - empty for _, both in x.delivered],
        "late_call_ns": [call - empty for call, _ in x.delivered],
        "alone_ns": x.less_empty(x.alone),
        "checked": checked + x.kept,
        "floor_bytes": floor.bytes,
        "floor_ns": floor.nanoseconds,
        "left_out": x.left_out,
        "bracket_ns": x.bracket[:pairs],
        "bracket_spread_ns": spread(x.own_empty or x.beyond),
    }
