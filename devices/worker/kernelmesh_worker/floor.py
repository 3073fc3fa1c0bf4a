"""The least time that a task's bytes take through this memory, measured on the memory that the candidate is lent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelmesh_worker.arena import OUTPUTS, Arena
from kernelmesh_worker.device import here
from kernelmesh_worker.reference import Reference, bytes_to_move

_REPEATS = 5
_LONGEST_S = 1.0
_IN_CACHE = 0.4  # there a loop of torch's is far from what the caches could do
_CACHES = 4  # times the largest cache: so much no cache helps with


@dataclass(frozen=True)
class Floor:
    """`bytes` read and written at least; 0 nanoseconds: not known."""

    bytes: int
    nanoseconds: float


def measure_floor(arena: Arena, reference: Reference, inputs: list[Any], least: Sequence[int] = ()) -> Floor:
    """`least`: bytes of each input tensor that the simplified op graph still reads, where known."""
    read, written = bytes_to_move(reference, inputs)
    read = smaller(read, least)
    total = sum(read) + written
    sources = [x.view(torch.uint8)[:size] for x, size in zip(arena.lent_inputs(), read, strict=True) if size]
    target = arena.lent[OUTPUTS].bytes()[: min(written, arena.lent[OUTPUTS].size)]
    least = _least(lambda: (_read(sources), target.fill_(1)))
    least -= _least(lambda: (_read([x[:64] for x in sources]), target[:64].fill_(1)))
    if total < _CACHES * here().largest_cache():
        least *= _IN_CACHE
    return Floor(total, max(0.0, possible(least, total, here().peak_bytes_per_second())))


def possible(measured: float, total: int, peak: float) -> float:
    """Nanoseconds, no more than that many bytes a second need: torch's loops are not the fastest on every device."""
    return min(measured, total * 1e9 / peak) if peak > 0 else measured


def smaller(read: list[int], least: Sequence[int]) -> list[int]:
    """What forward reads, or less where algebra needs less; a `least` of another length is of another graph."""
    return [min(pair) for pair in zip(read, least, strict=True)] if len(least) == len(read) else read


def _read(sources: list[torch.Tensor]) -> None:
    for x in sources:
        _words(x).max()


def _words(x: torch.Tensor) -> torch.Tensor:
    return x[: x.numel() // 4 * 4].view(torch.int32) if x.data_ptr() % 4 == 0 and x.numel() >= 4 else x


def _least(call: Callable[[], Any]) -> float:
    """Nanoseconds of the fastest of a few, with all threads and with one: on a busy machine threads wait for each
    other, and a floor that is too high refuses honest candidates. A device with a clock of its own knows no threads."""
    if here().has_clock:
        return _fastest(call)
    threads = torch.get_num_threads()
    try:
        together = _fastest(call)
        torch.set_num_threads(1)
        return min(together, _fastest(call))
    finally:
        torch.set_num_threads(threads)


def _fastest(call: Callable[[], Any]) -> float:
    times: list[float] = []
    begin = time.monotonic()
    while len(times) < _REPEATS and (not times or time.monotonic() - begin < _LONGEST_S):
        times.append(here().nanoseconds(call))
    return min(times)
