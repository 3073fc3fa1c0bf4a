"""The sealed tier of candidates that have host code: what their calls launch is recorded in a process of theirs, and
carried out by one that has nothing else of them. The record is only a claim: it is judged like any candidate.
"""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from kernelmesh_worker import homes
from kernelmesh_worker.arena import JudgeFailure
from kernelmesh_worker.candidate_ended import CandidateEnded
from kernelmesh_worker.checking import NARROW, Figures, is_bad, lend
from kernelmesh_worker.contest import ARTIFACT, HOSTS, Contest
from kernelmesh_worker.device import here
from kernelmesh_worker.draws import plan_draws
from kernelmesh_worker.lent import spec_of
from kernelmesh_worker.values import tensors_in

_RECORDER = "KERNELMESH_CUDA_RECORDER"
_MOST_RECORD_BYTES = 256 << 20
_MOST_KEPT = 8
Check = Callable[[Contest], list[Figures]]


class NotSealed(Exception):
    """It stays hosted; the text says why, in words that go on from its name."""


@dataclass(frozen=True)
class Sealing:
    """`contest` is about the record in place of the candidate; None: it stays hosted, `why` says why. `draws` are those
    on which the record was checked."""

    contest: Contest | None
    why: str = ""
    draws: list[Figures] = dataclasses.field(default_factory=list)


@dataclass(frozen=True)
class _Known:
    folder: Path  # that holds the record
    why: str


_known: dict[str, _Known] = {}  # what came of candidates, the last ones; by what decides it


def can_be_sealed(contest: Contest) -> bool:
    """As far as its kind and its device tell."""
    return contest.entry == "python_host" and here().can_replay


def seal(contest: Contest, check: Check) -> Sealing:
    """Of a candidate that passes hosted. `check` judges the record on draws of its own; once for the same candidate."""
    if not can_be_sealed(contest):
        return Sealing(None)
    key = _key(contest)
    if known := _known.get(key):
        return Sealing(None, known.why) if known.why else Sealing(_about(contest, known.folder))
    contest.progress(0.0, "recording what it launches")
    folder = Path(tempfile.mkdtemp(prefix="record-"))
    why = "the judge could not do it"  # unless it is seen below that it could
    try:
        sealed = _recorded(contest, folder)
        found = Sealing(sealed, draws=_checked(contest, sealed, check))
        why = ""
    except (NotSealed, JudgeFailure) as reason:  # the latter: no memory for one more, say
        why = str(reason)
        found = Sealing(None, why)
    finally:
        contest.use(0)
        _keep(key, _Known(folder, why))
    return found


def _key(contest: Contest) -> str:
    about = (contest.work["task"], contest.work["manifest"], here().policy)
    return homes.content_key(contest.folder, contest.own_files()) + json.dumps(about, sort_keys=True, default=str)


def _keep(key: str, found: _Known) -> None:
    _known[key] = found
    if found.why:
        shutil.rmtree(found.folder)
    while len(_known) > _MOST_KEPT:
        shutil.rmtree(_known.pop(next(iter(_known))).folder, ignore_errors=True)


# -- recording --------------------------------------------------------------------------------------------------------


def _recorded(contest: Contest, folder: Path) -> Contest:
    recorder = os.environ.get(_RECORDER, "")
    if not recorder or not os.environ.get(HOSTS["launch_record"]):
        raise NotSealed("this installation has no recorder of launches, or no program that carries them out")
    if len(contest.firsts) > 1:
        raise NotSealed("a record of launches has one shape, and the task has several")
    if any(isinstance(x, (list, tuple, dict)) and tensors_in([x]) for x in contest.first.values):
        raise NotSealed("the task's inputs are in lists, which a record of launches has none of")
    try:
        (folder / ARTIFACT).write_bytes(_record(contest, recorder))
    except CandidateEnded as ended:
        raise NotSealed(f"its calls can't be recorded: {ended.said}") from None
    return _about(contest, folder)


def _record(contest: Contest, recorder: str) -> bytes:
    """Of two calls on other contents, behind one that may still prepare something."""
    into = os.memfd_create("kernelmesh-record", os.MFD_CLOEXEC)
    try:
        with contest.recorded(recorder, into) as (arena, process):
            process.load()
            for number, what in enumerate(("call", "record", "record")):
                _, drawn = contest.fit(contest.more(f"record {number}"))
                process.ask(what, **lend(arena, drawn.values))
            why = process.written()
        if why:
            raise NotSealed(f"what it launches can't be recorded: {why}")
        size = os.fstat(into).st_size
        if not 0 < size <= _MOST_RECORD_BYTES:
            raise NotSealed(f"the record of its launches has {size} bytes")
        return os.pread(into, size, 0)
    finally:
        os.close(into)


def _about(contest: Contest, folder: Path) -> Contest:
    """The same task, and the record as its candidate: its arguments are the tensors among the inputs, then the
    weights."""
    inputs = enumerate(contest.first.values)
    arguments = [_binding("input", x, index=i) for i, x in inputs if isinstance(x, torch.Tensor)]
    arguments += [_binding("parameter", x, path=name) for name, x in contest.reference.state.items()]
    outputs = [spec_of(x) for x in contest.reference.output_shapes(contest.first.values)]
    manifest = {"entry": {"launch_record": {}}, "arguments": arguments, "outputs": outputs}
    work = contest.work | {"manifest": manifest, "files": {}, "artifact": str(folder / ARTIFACT)}
    return dataclasses.replace(contest, work=work, folder=folder)


def _binding(origin: str, tensor: torch.Tensor, **more: Any) -> dict[str, Any]:
    return {"origin": origin, "spec": spec_of(tensor), **more}


# -- checking ---------------------------------------------------------------------------------------------------------


def _checked(contest: Contest, sealed: Contest, check: Check) -> list[Figures]:
    """On draws that its recorded calls had no part in."""
    secret = secrets.token_hex(16)
    draws = plan_draws(secret, len(sealed.draws))
    fresh = dataclasses.replace(sealed, secret=secret, draws=draws, forward_ns=0)
    try:
        figures = check(fresh)
    except CandidateEnded as ended:
        raise NotSealed(f"its launches can't be carried out without its process: {ended.said}") from None
    finally:
        contest.forward_ns += fresh.forward_ns
    if bad := next((x for x in figures if _is_wrong(x)), None):
        of = bad["weights"] if bad.get("weights", "given") != "given" else bad["probe"] or bad["kind"]
        raise NotSealed(f"its launches alone, without its process, give wrong outputs (draw {of})")
    return figures


def _is_wrong(x: Figures) -> bool:
    return _is_off(x) or x["inputs_changed"] or bool(x.get("written_later"))


def _is_off(x: Figures) -> bool:
    """On redraws errors that are over the tolerance may be eager's too: how large they may be is decided elsewhere."""
    return is_bad(x) and (x["kind"] == "own" or not x["outputs"] or any(map(_is_far_off, x["outputs"])))


def _is_far_off(x: dict[str, Any]) -> bool:
    over = x.get("over_tolerance", 0) and x["rms"] > NARROW[1] * x["reference_rms"]
    return bool(over or x.get("non_finite_mismatch", 0))
