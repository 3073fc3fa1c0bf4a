"""A side that gets turns under the clock: a candidate, or a baseline in a process of the same kind."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from kernelmesh_worker.arena import Arena, Delivered
from kernelmesh_worker.candidate_ended import OutOfTurn
from kernelmesh_worker.candidate_process import CandidateProcess
from kernelmesh_worker.checking import agree, collect, lend
from kernelmesh_worker.contents import Content
from kernelmesh_worker.device import here

_SPOILT_SHARE = 0.75  # of the turns: inputs are overwritten when the call is done, so no work can be left for later
_SAMPLED = 1024  # elements of each output that are held against eager's
_SAMPLE_TOLERANCE = 10  # times the tolerance: what is beyond is checked as a whole

_SECRET = random.SystemRandom()
Result = TypeVar("Result")


class Contender:
    """Stopped between its turns."""

    def __init__(self, arena: Arena, process: CandidateProcess) -> None:
        self.arena = arena
        self.process = process
        self.delivery = 0
        self.spoilt = False

    def _reset(self) -> None:
        """Buffers that calls change are what they were, outside of the clock."""
        if self.arena.has_changing_buffers:
            self.arena.write_weights()
            self.process.go_on()
            self.process.ask("reset", weights=False)
            self.process.stop()

    def turn(self, content: Content, deliver: bool = False) -> int:
        """Gives it fresh contents, takes the time of one call, stops it. Outputs that it has to hand over are taken
        before it is stopped; those that lie where they are lent afterwards: what a thread of it adds comes too late."""
        self._reset()
        self.elapsed = timed(self.arena, self.process, "call", content.inputs)
        self.device_ns = self.process.device_ns
        hands_over = self.arena.kind == "python_host"
        if deliver and hands_over:
            self._take()
        self.process.stop()
        if deliver and not hands_over:
            self._take()
        return round(self.device_ns) if here().has_clock else self.elapsed

    def _take(self) -> None:
        self.spoilt = self.arena.spoil_inputs(_SECRET.random() < _SPOILT_SHARE)
        start = time.perf_counter_ns()
        self.delivered: Delivered = collect(self.arena, self.process)
        self.delivery = time.perf_counter_ns() - start

    def has_changed(self, content: Content) -> bool:
        """Its inputs or weights, in the last turn? Weights are written again then. Spoilt inputs tell nothing."""
        changed = not self.spoilt and self.arena.changed(content.inputs)
        if changed:
            self.arena.write_weights()
        return changed

    def agrees(self, eager: list[torch.Tensor | None], tolerance: float) -> bool:
        """Does what the last turn delivered say what eager says, as far as a few elements show?"""
        return agree(self.delivered.all(), eager, _SAMPLED, _SAMPLE_TOLERANCE * tolerance)

    def empty_turn(self, spin_ns: int, content: Content) -> int:
        return empty_turn(self.arena, self.process, spin_ns, content)


def timed(arena: Arena, process: CandidateProcess, what: str, inputs: list[Any], **more: Any) -> int:
    """Nanoseconds of what is asked, on fresh contents: they are there before it goes on, or come when it has got ready
    for them and waits at its device's gate."""
    if not process.has_gate:
        told = lend(arena, inputs)
        return process.timed(what, **(told | more))
    told = arena.call_words(inputs)
    arena.poison()
    here().drain()
    return process.timed_at_gate(what, lambda gate: arena.arrive(inputs, gate), **(told | more))


def empty_turn(arena: Arena, process: CandidateProcess, spin_ns: int, content: Content) -> int:
    """As a turn, but what it is asked for is to keep a core busy for so long; what it took beyond that."""
    if process.has_gate:  # behind the gate no core has anything to do
        spin_ns = 0
        elapsed = timed(arena, process, "empty", content.inputs, ns=0)
    else:
        elapsed = process.timed("empty", ns=spin_ns)
    process.stop()
    return elapsed - spin_ns


def at_last(turn: Callable[[], Result]) -> Result:
    """Of turns that are not compared with others: again where it was out of turn. That has its limit there."""
    while True:
        with contextlib.suppress(OutOfTurn):
            return turn()
