"""The reference model: as eager runs it, and as oracle in float64. Lives in the judge alone, with a copy for timing."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from kernelmesh_worker.comparison import is_finite
from kernelmesh_worker.device import here
from kernelmesh_worker.draws import seed_of
from kernelmesh_worker.entries import state_of, structure_of
from kernelmesh_worker.lent import DTYPE_NAMES
from kernelmesh_worker.rows import Rows, close, fits_in_double
from kernelmesh_worker.shapes import shape_text
from kernelmesh_worker.task import Task, TaskRefused, flat_outputs, number_of
from kernelmesh_worker.task_dtype import single_name
from kernelmesh_worker.values import tensors_in


@dataclass
class Expected:
    """Of one draw. `want` is the oracle's, `eager` what torch gives: dtype, shape and strides count. Behind the outputs
    are the buffers that the forward changes, in the order of Reference.changing."""

    eager: list[torch.Tensor]
    want: list[torch.Tensor]
    finite: bool


class Reference:
    """`secret` and `turn` give the weights' seed; with `redraw`, weights that are set to a constant are random too."""

    def __init__(self, task: Task, secret: str, turn: str = "weights", redraw: bool = False) -> None:
        self.task = task
        self.redraw = redraw
        self.init = task.init_inputs(seed_of(secret, "init"))
        self.weights_seed = seed_of(secret, turn)
        self.model = task.model(copy.deepcopy(self.init), self.weights_seed, redraw=redraw)
        self.state = {name: x.detach() for name, x in state_of(self.model).items()}
        self.dtype_name = DTYPE_NAMES[task.dtype] if task.dtype else single_name(self.state.values())  # of its weights
        self.buffer_names = list(dict(self.model.named_buffers(remove_duplicate=False)))
        self.changing: list[str] = []  # buffers that a forward changes; known after the first one
        self.counters: list[str] = []  # the same of integers: a candidate may change them or leave them
        self.structure = "Tensor"
        self.forward_ns = 0  # spent in forward calls
        self.returns_inputs = False  # is an output a view of an input?
        self.changes: set[int] = set()  # which of the tensors among the inputs forward writes to
        self._infinite: dict[str, bool] = {}  # by the inputs' shapes, as the next
        self._shapes: dict[str, list[torch.Tensor]] = {}
        self._buffers = {name: self.state[name].clone() for name in self.buffer_names}
        self._double: torch.nn.Module | None = None
        self._double_works = True
        self._steady = False  # known to give the same for the same inputs

    def reset(self) -> None:
        """Buffers as they were when the model was built."""
        for name, content in self._buffers.items():
            self.state[name].copy_(content)

    def perturb(self) -> None:
        """Other numbers in all floating weights and buffers than construction gave them; positive ones stay so."""
        with torch.no_grad():
            for x in self.state.values():
                if x.is_floating_point() and x.numel():
                    x.mul_(torch.rand_like(x).add_(0.5))
        self._buffers = {name: self.state[name].clone() for name in self.buffer_names}
        self._double = None

    def output_shapes(self, inputs: list[Any]) -> list[torch.Tensor]:
        """The outputs without their memory: asked for every fork, found out once."""
        key = shape_text(inputs)
        if key not in self._shapes:
            self._shapes[key] = [x.to("meta") for x in self.eager(inputs)]
        return self._shapes[key]

    def eager(self, inputs: list[Any]) -> list[torch.Tensor]:
        """What torch gives, on copies of the inputs. TaskRefused if it raises."""
        return self._eager(inputs)[0]

    def eager_with_buffers(self, inputs: list[Any]) -> list[torch.Tensor]:
        """The buffers that change behind the outputs."""
        outputs, buffers = self._eager(inputs)
        return outputs + buffers

    def _eager(self, inputs: list[Any]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Outputs, and the buffers that change."""
        self.reset()
        with self.task.running("forward"), torch.no_grad():
            given = copies(inputs)
            versions = [x._version for x in tensors_in(given)]
            result = self._forward(self.model, given)
            outputs = flat_outputs(result)
        now = (x._version for x in tensors_in(given))
        self.changes |= {i for i, (a, b) in enumerate(zip(versions, now, strict=True)) if a != b}
        there = {_storage(x) for x in tensors_in(given)}
        self.returns_inputs = self.returns_inputs or any(_storage(x) in there for x in outputs)
        for x in outputs:
            if x.dtype not in DTYPE_NAMES or x.layout is not torch.strided:
                raise TaskRefused(f"forward returns a tensor of {x.dtype}, {x.layout}, which is not supported")
        self.structure = structure_of(result)
        self._see_changes()
        changed = [self.state[name].clone() for name in self.changing]
        self.reset()
        return outputs, changed

    def _see_changes(self) -> None:
        """Counters of calls are no numbers that a kernel computes: they are not compared."""
        for name, before in self._buffers.items():
            now = self.state[name]
            seen = self.changing if now.is_floating_point() else self.counters
            if name not in seen and not torch.equal(now, before):
                seen.append(name)

    def expected(self, inputs: list[Any]) -> Expected:
        eager = self.eager_with_buffers(inputs)
        self._check_steady(inputs, eager)
        want = self._oracle(inputs, eager)
        finite = all(is_finite(x) for x in (*eager, *want))
        # the first is the task's own draw: what is not finite there belongs to the task
        infinite = self._infinite.setdefault(shape_text(inputs), not finite)
        return Expected(eager, want, finite or (infinite and _alike(eager, want)))

    def _check_steady(self, inputs: list[Any], eager: list[torch.Tensor]) -> None:
        """Once, if there is room: TaskRefused where the same inputs give something else each time."""
        if self._steady or sum(x.nbytes for x in eager) * 4 > here().available_memory():
            return
        if not all(close(a, b) for a, b in zip(eager, self.eager_with_buffers(inputs), strict=True)):
            raise TaskRefused("forward gives something else each time for the same inputs: it is no measure")
        self._steady = True

    def _oracle(self, inputs: list[Any], eager: list[torch.Tensor]) -> list[torch.Tensor]:
        """In float64; eager's own where that does not fit or work, and for outputs that are not floating."""
        if not self._double_works:
            return eager
        try:
            wide = (
                self._run_double(inputs)
                if fits_in_double(self._elements(inputs, eager))
                else self._by_parts(inputs, eager)
            )
        except (Exception, SystemExit):  # noqa: BLE001 - code that insists on its dtype fails in many ways
            self._double_works = False
            return eager
        if wide is None or [x.shape for x in wide] != [x.shape for x in eager]:
            return eager
        return [w if e.is_floating_point() and w.is_floating_point() else e for w, e in zip(wide, eager, strict=True)]

    def _run_double(self, inputs: list[Any]) -> list[torch.Tensor]:
        if self._double is None:
            self._double = copy.deepcopy(self.model).double()
        for name, x in state_of(self._double).items():
            if name in self._buffers:
                x.copy_(self._buffers[name])
        state = state_of(self._double)
        with torch.no_grad():
            result = self._forward(self._double, copies(inputs, torch.float64))
            return flat_outputs(result) + [state[x] for x in self.changing]

    def _forward(self, model: torch.nn.Module, inputs: list[Any]) -> Any:
        start = time.perf_counter_ns()
        try:
            result = model(*inputs)
            here().drain()
            return result
        finally:
            self.forward_ns += time.perf_counter_ns() - start

    def _elements(self, inputs: list[Any], eager: list[torch.Tensor]) -> int:
        return sum(x.numel() for x in (*tensors_in(inputs), *eager, *self.state.values()))

    def _by_parts(self, inputs: list[Any], eager: list[torch.Tensor]) -> list[torch.Tensor] | None:
        """The same in parts of the batch; None where even that does not fit, or where a part does not give its part."""
        if self.changing:
            return None
        rows = Rows.of(inputs, eager)
        count = 2
        while rows and count <= rows.count and not fits_in_double(self._elements(inputs, eager) // count):
            count *= 2
        if not rows or count > rows.count or sum(x.numel() for x in eager) * 16 > here().available_memory():
            return None
        parts = rows.parts(count)
        if not rows.agree(self.eager(rows.cut(inputs, parts[-1])), eager, parts[-1]):
            return None
        wide = [torch.empty_like(x, dtype=torch.float64 if x.is_floating_point() else x.dtype) for x in eager]
        for part in parts:
            for whole, piece in zip(wide, self._run_double(rows.cut(inputs, part)), strict=True):
                whole[part].copy_(piece)
        return wide

    @property
    def weights_number(self) -> int:
        return number_of(self.weights_seed)


def bytes_to_move(reference: Reference, inputs: list[Any]) -> tuple[list[int], int]:
    """What of each input tensor one function reads, and what the outputs take, in bytes: the least that any program
    for this task moves. An input of which only some rows are picked by index counts as not read."""
    mode = _Reads(tensors_in(copied := copies(inputs)))
    reference.reset()
    with torch.no_grad(), mode:
        outputs = flat_outputs(reference.model(*copied))
    reference.reset()
    there = {_storage(x) for x in (*tensors_in(copied), *reference.state.values())}
    return mode.read, sum(x.nbytes for x in outputs if _storage(x) not in there)


def _alike(eager: list[torch.Tensor], want: list[torch.Tensor]) -> bool:
    """NaN and infinities in the same places."""
    return all(
        torch.equal(
            torch.nan_to_num(a.double(), 3.0, 2.0, 1.0) * ~a.isfinite(),
            torch.nan_to_num(b.double(), 3.0, 2.0, 1.0) * ~b.isfinite(),
        )
        for a, b in zip(eager, want, strict=True)
        if a.is_floating_point()
    )


class _Reads(TorchFunctionMode):
    """How much of some tensors' memory a function of torch reads at most, by their storages."""

    _PICKING = ("embedding", "index", "gather", "take", "scatter", "select", "searchsorted", "bucketize", "getitem")

    def __init__(self, tensors: list[torch.Tensor]) -> None:
        super().__init__()
        self._places = {x.untyped_storage().data_ptr(): i for i, x in enumerate(tensors)}
        self._sizes = [x.nbytes for x in tensors]
        self.read = [0] * len(tensors)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not any(part in getattr(func, "__name__", "") for part in self._PICKING):
            made = {_storage(x) for x in tree_leaves(result)}
            for x in tree_leaves((args, kwargs or {})):
                if _storage(x) not in made:  # else it is a view of x: nothing was read
                    self._note(x)
        return result

    def _note(self, x: Any) -> None:
        place = self._places.get(_storage(x))
        if place is not None:
            self.read[place] = min(self._sizes[place], max(self.read[place], x.nbytes))


def _storage(x: Any) -> int:
    """Address of a tensor's memory; 0 of what is none."""
    return x.untyped_storage().data_ptr() if isinstance(x, torch.Tensor) and x.layout is torch.strided else 0


def copies(value: Any, dtype: torch.dtype | None = None) -> Any:
    """Of all tensors in it; floating ones in that dtype."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype, copy=True) if dtype and value.is_floating_point() else value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(copies(x, dtype) for x in value)
    return value
