"""What the judge lends to one candidate: where its inputs, weights and outputs lie, and what it is told."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import msgpack
import torch

from kernelmesh_worker.device import here
from kernelmesh_worker.lent import DTYPE_NAMES, DTYPES, GATE_BYTES, Layout, LentBuffer, memory_of, spec_of
from kernelmesh_worker.process import core_count
from kernelmesh_worker.reference import Reference
from kernelmesh_worker.task import TaskRefused
from kernelmesh_worker.text import clean
from kernelmesh_worker.values import NotPlain, encode, tensors_in
from kernelmesh_worker.zygote_client import memfd_with

INPUTS, WEIGHTS, OUTPUTS = range(3)
_POISON_BYTE = 0xA5
_MOST_DIMENSIONS = 64
_MOST_OUTPUTS = 1024
WRITES_OUTPUTS = ("c_abi", "launch_record")  # entries that are given places for them; others hand over their own
Sample = tuple[list[Any], list[torch.Tensor]]


class JudgeFailure(Exception):
    """The judge can't do what it was asked; the text is one sentence."""


@dataclass
class Got:
    """One output of a candidate; `tensor` is a private copy, None where there is nothing to compare."""

    type: str
    device: str
    spec: dict[str, Any]
    tensor: torch.Tensor | None


@dataclass
class Delivered:
    """What a call gave. `structure` as in entries.structure_of, "" of a C function; `state`: buffers that change."""

    structure: str
    outputs: list[Got]
    state: list[Got]

    def all(self) -> list[Got]:
        return self.outputs + self.state


@dataclass(frozen=True)
class Program:
    """Where a candidate's code is. `code`, `overrides` and `compile` (a folder for caches) are of baselines; with
    `closed`, operators of libraries raise in its calls, with `early` those of the device while it loads too. `home`:
    what it finds in its home folder, or the folder itself if it is `building` what it finds there later. `recorder`: a
    library by which its calls are recorded."""

    artifact: str = ""
    closed: bool = False
    early: bool = False
    home: str = ""
    building: bool = False
    file: str = ""
    code: str = ""
    overrides: dict[str, int] = field(default_factory=dict)
    compile: str = ""
    recorder: str = ""


@dataclass
class Places:
    """Where the inputs of one shape lie, and what the C function for it is given."""

    inputs: list[dict[str, Any]]
    function: str
    arguments: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.input_specs = [x["tensor"] for x in _messages(self.inputs)]
        self.plain = any("tensor" not in x for x in self.inputs)

    def variant(self) -> dict[str, Any]:
        return {"function": self.function, "arguments": self.arguments, "outputs": self.outputs}


class Arena:
    """Three lent buffers laid out for one task and candidate. Contents come draw by draw. Inputs and outputs of every
    shape begin at the buffers' starts: one shape is in use at a time."""

    def __init__(self, reference: Reference, manifest: dict[str, Any], shapes: list[Sample]) -> None:
        """`shapes`: inputs and outputs of each; the first one is in use."""
        self._layouts = [Layout(), Layout(), Layout()]
        self._sizes = [0, 0, 0]
        self._reference = reference
        self.kind, self._entry = next(iter(manifest["entry"].items()))
        self._state = {name: self._place(x, WEIGHTS) for name, x in reference.state.items()}
        self._init = self._encode(reference.init, WEIGHTS)
        variants = self._variants(manifest, len(shapes))
        self._places = [self._lay_out(*x) for x in zip(variants, shapes, strict=True)]
        self.use(0)
        self.lent = self._allocate()
        self.write_weights()

    def use(self, shape: int) -> None:
        """What follows is about that shape."""
        self._shape = shape
        self._now = self._places[shape]

    # -- layout -------------------------------------------------------------------------------------------------------

    def _place(self, tensor: torch.Tensor, where: int) -> dict[str, Any]:
        if tensor.dtype not in DTYPE_NAMES or tensor.layout is not torch.strided:
            raise TaskRefused(f"tensors of {tensor.dtype}, {tensor.layout} are not supported")
        return {"tensor": self._layouts[where].place(spec_of(tensor)), "lent": where}

    def _encode(self, values: list[Any], where: int) -> list[dict[str, Any]]:
        try:
            return [encode(x, lambda tensor: self._place(tensor, where)) for x in values]
        except NotPlain as error:
            raise TaskRefused(f"a value of type {error} can't be given to a candidate") from None

    def _variants(self, manifest: dict[str, Any], count: int) -> list[dict[str, Any]]:
        """One a shape: what the candidate has for it."""
        if self.kind not in WRITES_OUTPUTS:
            return [{}] * count
        variants = manifest.get("variants") or [{"function": self._entry.get("function", ""), **manifest}]
        if len(variants) != count:
            raise JudgeFailure(f"the candidate has variants for {len(variants)} shapes, the task has {count}")
        return variants

    def _lay_out(self, variant: dict[str, Any], sample: Sample) -> Places:
        inputs, outputs = sample
        self._layouts[INPUTS], self._layouts[OUTPUTS] = Layout(), Layout()
        places = Places(self._encode(inputs, INPUTS), variant.get("function", ""))
        layout = self._layouts[OUTPUTS]
        if self.kind in WRITES_OUTPUTS:
            places.arguments = [self._argument(x, places.inputs) for x in variant.get("arguments", [])]
            places.outputs = [layout.place(x) for x in variant.get("outputs", [])]
        else:
            changing = [self._reference.state[name] for name in self._reference.changing]
            for x in (*outputs, *changing):  # contiguous copies, whatever their strides
                layout.place(spec_of(torch.empty(x.shape, dtype=x.dtype, device="meta")))
        self._sizes = [max(size, x.size) for size, x in zip(self._sizes, self._layouts, strict=True)]
        return places

    def _argument(self, binding: dict[str, Any], inputs: list[dict[str, Any]]) -> dict[str, Any]:
        origin, index, path = binding.get("origin", "input"), binding.get("index", 0), binding.get("path", "")
        found: dict[str, Any] | None = None
        if origin == "input" and index < len(inputs):
            found = inputs[index]
        elif origin in ("parameter", "buffer"):
            found = self._state.get(path)
        name = f"input {index}" if origin == "input" else clean(f"{origin} {path}", 200)
        if found is None or "tensor" not in found:
            raise JudgeFailure(f"the manifest has an argument that the task does not have: {name}")
        spec, told = found["tensor"], binding.get("spec", {})
        if any(spec[key] != told.get(key) for key in ("dtype", "shape", "strides")):
            raise JudgeFailure(f"the manifest was made for another task: {name} is {_words(spec)}, not {_words(told)}")
        return {**spec, "lent": found["lent"]}

    def _allocate(self) -> list[LentBuffer]:
        wanted = sum(self._sizes)
        free = here().available_memory()
        if wanted > free * 0.8:
            raise JudgeFailure(
                f"lending inputs, weights and outputs takes {wanted >> 20} MiB,"
                f" {free >> 20} MiB of memory are free: shrink the task"
            )
        return [here().allocate(x + GATE_BYTES * (i == INPUTS and here().has_gate)) for i, x in enumerate(self._sizes)]

    @property
    def has_changing_buffers(self) -> bool:
        return bool(self._reference.changing or self._reference.counters)

    def order(self, program: Program) -> int:
        """A memfd with what the candidate is told; the caller's to close."""
        order = {
            "entry": {self.kind: self._entry},
            **asdict(program),
            "cores": core_count(),
            "dtype": self._reference.dtype_name,
            "training": self._reference.model.training,
            "init": self._init,
            "seed": self._reference.weights_number,
            "place": here().name,
            "policy": here().policy,
            "lent": [x.size for x in self.lent],
            "handles": [x.ticket() for x in self.lent],
            "inputs": self._places[0].inputs,
            "state": self._state,
            "buffers": self._reference.buffer_names,
            "changing": self._reference.changing,
            "redraw": self._reference.redraw,
            "arguments": self._places[0].arguments,
            "outputs": self._places[0].outputs,
            "variants": [x.variant() for x in self._places] if self._several and self.kind in WRITES_OUTPUTS else [],
            "outputs_bytes": self.lent[OUTPUTS].size,
        }
        return memfd_with(msgpack.packb(order))

    # -- contents -----------------------------------------------------------------------------------------------------

    @property
    def _several(self) -> bool:
        return len(self._places) > 1

    def call_words(self, inputs: list[Any]) -> dict[str, Any]:
        """What a call is told: `plain`, its inputs, nothing if all are tensors in the places of the only shape;
        `variant`, of a task with several shapes."""
        self._check_shapes(inputs)
        variant = {"variant": self._shape} if self._several else {}
        if not self._now.plain and (self.kind in WRITES_OUTPUTS or not self._several):
            return {"plain": [], **variant}
        places = iter(self._now.input_specs)
        return {"plain": [encode(x, lambda _: {"tensor": next(places), "lent": INPUTS}) for x in inputs], **variant}

    def _check_shapes(self, inputs: list[Any]) -> None:
        now = [spec_of(x) for x in tensors_in(inputs)]
        if now != [{key: x[key] for key in ("dtype", "shape", "strides")} for x in self._now.input_specs]:
            raise TaskRefused("get_inputs returns other shapes each time it is called")

    def write_inputs(self, inputs: list[Any]) -> None:
        _write(self.lent[INPUTS], self._now.input_specs, tensors_in(inputs))

    def arrive(self, inputs: list[Any], gate: int) -> None:
        """Without waiting: the contents come, no cache holds them, and the gate opens."""
        self.write_inputs(inputs)
        here().flush()
        here().open_gate(self.lent[INPUTS], gate)

    def lent_inputs(self) -> list[torch.Tensor]:
        """The lent input tensors, flat, in order."""
        return [self.lent[INPUTS].flat(spec) for spec in self._now.input_specs]

    def write_weights(self) -> None:
        specs = [x["tensor"] for x in (*self._state.values(), *_messages(self._init))]
        _write(self.lent[WEIGHTS], specs, self._weights())
        here().drain()

    def _weights(self) -> list[torch.Tensor]:
        return [*self._reference.state.values(), *tensors_in(self._reference.init)]

    def spoil_inputs(self, wanted: bool) -> bool:
        """Overwrites the lent inputs, unless outputs may be views of them. Was it done?"""
        if wanted and self.kind == "python_host" and not self._reference.returns_inputs:
            self.lent[INPUTS].bytes().fill_(_POISON_BYTE)
            here().drain()
            return True
        return False

    def changed(self, inputs: list[Any]) -> bool:
        """Do lent inputs or weights differ from the judge's own, bit by bit? Buffers that change may, and inputs that
        the reference itself writes to."""
        free = {*self._reference.changing, *self._reference.counters}
        kept = [(x["tensor"], self._reference.state[name]) for name, x in self._state.items() if name not in free]
        kept += _zip([x["tensor"] for x in _messages(self._init)], tensors_in(self._reference.init))
        sides = enumerate(zip(self.lent_inputs(), tensors_in(inputs), strict=True))
        pairs = [
            *((x, memory_of(y)) for i, (x, y) in sides if i not in self._reference.changes),
            *((self.lent[WEIGHTS].flat(spec), memory_of(x)) for spec, x in kept),
        ]
        return not all(same_bits(a, b) for a, b in pairs)

    def poison(self) -> None:
        """Fills the outputs with what no candidate computes: NaN, or 0xA5 bytes."""
        if self.kind not in WRITES_OUTPUTS:
            self.lent[OUTPUTS].bytes().fill_(_POISON_BYTE)
        for spec in self._now.outputs:
            flat = self.lent[OUTPUTS].flat(spec)
            if flat.is_floating_point():
                flat.fill_(float("nan"))
            else:
                flat.view(torch.uint8).fill_(_POISON_BYTE)

    def read(self, answer: dict[str, Any] | None) -> Delivered:
        """Private copies of the outputs; `answer` is what a python_host says of them, not to be trusted."""
        try:
            return self._read(answer)
        finally:
            here().drain()  # the copies are made: what it writes from now on is not in them

    def _read(self, answer: dict[str, Any] | None) -> Delivered:
        if answer is None:
            outputs = [self._read_own(self.lent[OUTPUTS], x) for x in self._now.outputs]
            state = [self._state[name]["tensor"] for name in self._reference.changing]
            return Delivered("", outputs, [self._read_own(self.lent[WEIGHTS], x) for x in state])
        structure = clean(str(answer.get("structure", "?")), 400)
        return Delivered(structure, self._read_all(answer.get("tensors")), self._read_all(answer.get("state")))

    def _read_own(self, buffer: LentBuffer, place: dict[str, Any]) -> Got:
        spec = {key: place[key] for key in ("dtype", "shape", "strides")}
        shown = place | {"dtype": "uint8"} if place["dtype"] == "bool" else place  # a copy of bools would mend them
        return Got("torch.Tensor", str(here().place), spec, buffer.tensor(shown).clone())

    def _read_all(self, described: Any) -> list[Got]:
        return [self._read_one(x if isinstance(x, dict) else {}) for x in (described or [])[:_MOST_OUTPUTS]]

    def _read_one(self, told: dict[str, Any]) -> Got:
        shape, strides, offset = told.get("shape"), told.get("strides"), told.get("offset")
        name, device = clean(str(told.get("type", "?")), 200), clean(str(told.get("device", "?")), 40)
        if (
            not isinstance(told.get("dtype"), str)
            or told["dtype"] not in DTYPES
            or not _sizes(shape)
            or not _countable(shape)
            or not _sizes(strides)
            or not _sizes([offset])
        ):
            return Got(name, device, {"dtype": "float32", "shape": [], "strides": []}, None)
        spec = {"dtype": told["dtype"], "shape": shape, "strides": strides}
        dtype, count = DTYPES[told["dtype"]], 1
        for size in shape:
            count *= size
        end = offset + count * dtype.itemsize
        if told.get("copied") is not True or offset % dtype.itemsize or end > self.lent[OUTPUTS].size:
            return Got(name, device, spec, None)
        return Got(name, device, spec, self.lent[OUTPUTS].bytes()[offset:end].view(dtype).reshape(shape).clone())

    def close(self) -> None:
        for x in self.lent:
            x.close()


def _messages(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of tensors, in order."""
    found = []
    for x in values:
        found += [x] if "tensor" in x else _messages(x.get("list", []))
    return found


def _zip(specs: list[dict[str, Any]], tensors: list[torch.Tensor]) -> list[tuple[dict[str, Any], torch.Tensor]]:
    return list(zip(specs, tensors, strict=True))


def _write(buffer: LentBuffer, specs: list[dict[str, Any]], tensors: list[torch.Tensor]) -> None:
    for spec, x in _zip(specs, tensors):
        buffer.flat(spec).copy_(memory_of(x))


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Of two flat tensors of as many bytes."""
    a, b = a.view(torch.uint8), b.contiguous().view(torch.uint8)
    whole = a.numel() // 8 * 8
    if not torch.equal(a[whole:], b[whole:]):
        return False
    if b.storage_offset() % 8 or b.data_ptr() % 8:
        return torch.equal(a, b)
    return torch.equal(a[:whole].view(torch.int64), b[:whole].view(torch.int64))


def _sizes(x: Any) -> bool:
    """A list of sizes that a tensor can have."""
    return isinstance(x, list) and len(x) <= _MOST_DIMENSIONS and all(type(n) is int and 0 <= n < 1 << 48 for n in x)


def _countable(shape: list[int]) -> bool:
    """Even without its empty sides: torch counts them all."""
    return math.prod(max(1, n) for n in shape) < 1 << 60


def _words(spec: dict[str, Any]) -> str:
    return f"{spec.get('dtype')} {spec.get('shape')} with strides {spec.get('strides')}"
