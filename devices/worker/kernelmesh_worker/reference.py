"""The reference model: as eager runs it, and as oracle in float64. Lives in the judge alone."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch

from kernelmesh_worker.comparison import is_finite
from kernelmesh_worker.draws import seed_of
from kernelmesh_worker.entries import state_of
from kernelmesh_worker.lent import DTYPE_NAMES
from kernelmesh_worker.machine import available_memory
from kernelmesh_worker.task import Task, TaskRefused, flat_outputs, number_of
from kernelmesh_worker.values import tensors_in

_PER_ELEMENT = 8 * 3  # bytes of a float64 element, with room for what the forward makes on its way


@dataclass
class Expected:
    """Of one draw. `want` is the oracle's, `eager` what torch gives: dtype, shape and strides count."""

    eager: list[torch.Tensor]
    want: list[torch.Tensor]
    finite: bool


class Reference:
    def __init__(self, task: Task, secret: str) -> None:
        self.task = task
        self.init = task.init_inputs(seed_of(secret, "init"))
        self.weights_seed = seed_of(secret, "weights")
        self.model = task.model(copy.deepcopy(self.init), self.weights_seed)
        self.state = {name: x.detach() for name, x in state_of(self.model).items()}
        self.buffer_names = list(dict(self.model.named_buffers(remove_duplicate=False)))
        self._buffers = {name: self.state[name].clone() for name in self.buffer_names}
        self._double: torch.nn.Module | None = None
        self._double_works = True

    def reset(self) -> None:
        """Buffers as they were when the model was built."""
        for name, content in self._buffers.items():
            self.state[name].copy_(content)

    def eager(self, inputs: list[Any]) -> list[torch.Tensor]:
        """What torch gives, on copies of the inputs. TaskRefused if it raises."""
        self.reset()
        with self.task.running("forward"), torch.no_grad():
            outputs = flat_outputs(self.model(*copies(inputs)))
        for x in outputs:
            if x.dtype not in DTYPE_NAMES or x.layout is not torch.strided:
                raise TaskRefused(f"forward returns a tensor of {x.dtype}, {x.layout}, which is not supported")
        self.reset()
        return outputs

    def expected(self, inputs: list[Any]) -> Expected:
        eager = self.eager(inputs)
        want = self._oracle(inputs, eager)
        return Expected(eager, want, all(is_finite(x) for x in (*eager, *want)))

    def _oracle(self, inputs: list[Any], eager: list[torch.Tensor]) -> list[torch.Tensor]:
        """In float64; eager's own where that does not fit or work, and for outputs that are not floating."""
        if not self._double_works or not self._double_fits(inputs, eager):
            return eager
        try:
            wide = self._run_double(inputs)
        except (Exception, SystemExit):  # noqa: BLE001 - code that insists on its dtype fails in many ways
            self._double_works = False
            return eager
        if [x.shape for x in wide] != [x.shape for x in eager]:
            return eager
        return [w if e.is_floating_point() and w.is_floating_point() else e for w, e in zip(wide, eager, strict=True)]

    def _run_double(self, inputs: list[Any]) -> list[torch.Tensor]:
        if self._double is None:
            self._double = copy.deepcopy(self.model).double()
        for name, x in state_of(self._double).items():
            if name in self._buffers:
                x.copy_(self._buffers[name])
        with torch.no_grad():
            return flat_outputs(self._double(*copies(inputs, torch.float64)))

    def _double_fits(self, inputs: list[Any], eager: list[torch.Tensor]) -> bool:
        elements = sum(x.numel() for x in (*tensors_in(inputs), *eager, *self.state.values()))
        return elements * _PER_ELEMENT < available_memory() / 2

    @property
    def weights_number(self) -> int:
        return number_of(self.weights_seed)


def copies(value: Any, dtype: torch.dtype | None = None) -> Any:
    """Of all tensors in it; floating ones in that dtype."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype, copy=True) if dtype and value.is_floating_point() else value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(copies(x, dtype) for x in value)
    return value
