"""Brings candidates before a real judge and has the real rules say what came of it."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import msgpack
import torch
from family import Family, work
from shared_machine import SharedMachine

from corpus import HERE, Candidate, read

ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("KERNELMESH_BUILD", "build/dev")
VERDICT_OF = BUILD / "verdict_of"
WORKER = ROOT / "devices" / "worker"
_FLAGS = ("-O2", "-std=c++20", "-shared", "-fPIC", "-fopenmp", "-pthread", "-ffp-contract=off", f"-I{WORKER}")
_CACHE = ["ccache"] if shutil.which("ccache") else []
_ATTEMPTS = 3
_OPTIONS = {"draws": 5, "call_limit_ms": 10_000, "timing_budget_ms": 300, "allow_library_calls": False}


@dataclass
class Verdict:
    """`kind` is `passed` or the failure's; `stage`, `cheat_class` ("none" if it has none) and `message` are its own.

    `judging` and `details` are the records' parts; `timing` is there if it was timed.
    """

    kind: str
    stage: str = ""
    cheat_class: str = "none"
    message: str = ""
    details: dict[str, str] = field(default_factory=dict)
    judging: dict[str, Any] = field(default_factory=dict)
    timing: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.kind} (class {self.cheat_class}, {self.stage}): {self.message}"


class Bench:
    """One family for all candidates; a new one where a candidate took it down."""

    def __init__(self, new_folder: Callable[[], Path], machine: SharedMachine, device: str = "cpu:0") -> None:
        self._new_folder = new_folder
        self._machine = machine
        self._device = device
        self._built: dict[Path, Path] = {}
        self._folder = new_folder()
        self._family: Family | None = None

    @property
    def family(self) -> Family:
        if self._family is None:
            self._family = Family(self._new_folder(), self._machine.alone, self._device)
            self._family.expect_hello()
        return self._family

    def close(self) -> None:
        if self._family is not None:
            self._family.close()
            self._family = None

    @functools.cached_property
    def is_sandboxed(self) -> bool:
        """Do candidates run in a sandbox here?"""
        return self.verdict(read(HERE / "honest" / "relu_simple.cpp"), time=False).judging["sandbox"] != "none"

    # -- verdicts -----------------------------------------------------------------------------------------------------

    def verdict(self, candidate: Candidate, time: bool = True) -> Verdict:
        """Of the verification, and of the timing if that passed."""
        first = self._stage(candidate, time=False)
        if first.kind != "passed" or not time:
            return first
        second = self._stage(candidate, time=True)
        second.judging = first.judging if second.kind == "passed" else second.judging or first.judging
        return second

    def _stage(self, candidate: Candidate, time: bool) -> Verdict:
        asked = self._work(candidate) | {"time": time, "device": self._device}
        for _ in range(_ATTEMPTS):
            try:
                kind, record = self.family.ask("judge", asked)
            except (TimeoutError, OSError):
                self.close()
                raise
            if verdict := concluded(kind, record, asked["options"]):
                return verdict
        raise AssertionError(f"no verdict: the machine was too busy {_ATTEMPTS} times")

    def _work(self, candidate: Candidate) -> dict[str, Any]:
        options = _OPTIONS | candidate.options
        if candidate.is_native:
            library = self._shown(self.built(candidate.file))
            entry = {"c_abi": {"abi": 1, "function": candidate.function}}
            manifest = manifest_of(candidate.task_code, candidate.function)
            return work(candidate.task_code, entry, {}, options=options, manifest=manifest, artifact=library)
        files = {"model.py": self._shown(candidate.file)}
        if candidate.library:
            files["kernel.so"] = self._shown(self.built(HERE / "native" / f"{candidate.library}.cpp"))
        entry = {"python_host": {"file": "model.py", "symbol": "ModelNew"}}
        return work(candidate.task_code, entry, files, options=options)

    def _shown(self, file: Path) -> str:
        """A copy where the judge may read it."""
        place = self.family.files / file.name
        shutil.copyfile(file, place)
        place.chmod(0o644)
        return str(place)

    def prepare(self, candidate: Candidate) -> None:
        """Builds what is to be built, so that a verdict takes the judge's time only."""
        self._work(candidate)

    def built(self, source: Path) -> Path:
        """The library of a source, built once."""
        if source not in self._built:
            name = f"{source.parent.name}-{source.stem}"  # two folders have a kernels.cpp
            object_file, library = self._folder / f"{name}.o", self._folder / f"{name}.so"
            compiler = [*_CACHE, "g++", *_FLAGS]
            subprocess.run([*compiler, "-c", str(source), "-o", str(object_file)], check=True)
            subprocess.run(["g++", *_FLAGS, str(object_file), "-o", str(library)], check=True)
            self._built[source] = library
        return self._built[source]


def concluded(kind: str, record: dict[str, Any], options: dict[str, Any]) -> Verdict | None:
    """By the rules that a node has. None where the machine was too busy to time on: a node asks again then."""
    reply = msgpack.packb({"id": 1, "content": {kind: record}})
    argv = [str(VERDICT_OF), json.dumps(options)]
    printed = subprocess.run(argv, input=reply, stdout=subprocess.PIPE, check=True).stdout
    ((said, x),) = json.loads(printed)["conclusion"].items()
    judging = x.get("judging") or {}
    if said in ("verified", "timed"):
        return Verdict("passed", judging=judging, timing=x.get("timing", {}))
    if said == "rejected":
        failure = x["failure"]
        parts = (failure["kind"], failure["stage"], failure["cheat_class"] or "none", failure["message"])
        return Verdict(*parts, details=failure["details"], judging=judging)
    if said == "failure" and x["code"] == "overloaded":
        return None
    raise AssertionError(f"no verdict but {said}: {x}")


def manifest_of(task_code: str, function: str) -> dict[str, Any]:
    """Arguments (inputs, then parameters and buffers) and outputs of a task, found by running it; of one with several
    shapes the same function for each."""
    module = ModuleType("judge_corpus_task")
    exec(compile(task_code, "task.py", "exec"), module.__dict__)  # noqa: S102 - our own task
    model = module.Model(*getattr(module, "get_init_inputs", list)())
    if not hasattr(module, "get_inputs_dyn_list"):
        return _given(model, module.get_inputs())
    return {"variants": [{"function": function, **_given(model, x)} for x in module.get_inputs_dyn_list()]}


def _given(model: torch.nn.Module, inputs: list[torch.Tensor]) -> dict[str, Any]:
    """What a function for these inputs is given."""
    with torch.no_grad():
        outputs = model(*inputs)
    arguments = [_binding("input", i, "", x) for i, x in enumerate(inputs)]
    arguments += [_binding("parameter", 0, name, x) for name, x in model.named_parameters()]
    arguments += [_binding("buffer", 0, name, x) for name, x in model.named_buffers()]
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return {"arguments": arguments, "outputs": [_spec(x) for x in outputs]}


def _binding(origin: str, index: int, path: str, tensor: torch.Tensor) -> dict[str, Any]:
    return {"origin": origin, "index": index, "path": path, "spec": _spec(tensor)}


def _spec(tensor: torch.Tensor) -> dict[str, Any]:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return {"dtype": dtype, "shape": list(tensor.shape), "strides": list(tensor.stride())}
