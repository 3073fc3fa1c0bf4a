"""In which floating types a task is judged: the one that was asked for, else those that it has itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from kernelmesh_worker.lent import DTYPE_NAMES, DTYPES
from kernelmesh_worker.values import tensors_in


def dtype_asked(record: dict[str, Any]) -> torch.dtype | None:
    """Of the record `task`: what floating inputs and weights are cast to; None: nothing is."""
    return None if record.get("own_dtype") else DTYPES[record.get("dtype", "float32")]


def cast_to(dtype: torch.dtype | None, value: Any) -> Any:
    """Its floating tensors in that dtype, in their own if there is none; lists as lists."""
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.to(dtype) if dtype and value.is_floating_point() else value
    if isinstance(value, (list, tuple)):
        return [cast_to(dtype, x) for x in value]
    return value


def odd_one_out(model: torch.nn.Module, inputs: list[Any]) -> torch.dtype | None:
    """The only floating dtype of the inputs, where a weight has another one."""
    given = _floating(tensors_in(inputs))
    return next(iter(given)) if len(given) == 1 and _floating(_weights(model)) - given else None


def names_of(tensors: Iterable[torch.Tensor]) -> list[str]:
    """Of their floating dtypes."""
    return sorted(DTYPE_NAMES[x] for x in _floating(tensors) if x in DTYPE_NAMES)


def single_name(tensors: Iterable[torch.Tensor]) -> str:
    """The dtype of all floating ones; empty where they have several or there is none."""
    found = _floating(tensors)
    return DTYPE_NAMES.get(next(iter(found)), "") if len(found) == 1 else ""


class Passed(TorchDispatchMode):
    """The floating dtypes of what is computed inside of it from tensors; numbers of rank 0 take others' dtypes."""

    def __init__(self) -> None:
        super().__init__()
        self._dtypes: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if _floating(_of_some_rank((args, kwargs or {}))):
            self._dtypes |= _floating(_of_some_rank(result))
        return result

    def names(self) -> list[str]:
        return sorted(DTYPE_NAMES[x] for x in self._dtypes if x in DTYPE_NAMES)


def _of_some_rank(value: Any) -> list[torch.Tensor]:
    return [x for x in tree_leaves(value) if isinstance(x, torch.Tensor) and x.dim()]


def _weights(model: torch.nn.Module) -> list[torch.Tensor]:
    return [*model.parameters(), *model.buffers()]


def _floating(tensors: Iterable[torch.Tensor]) -> set[torch.dtype]:
    return {x.dtype for x in tensors if x.is_floating_point()}
