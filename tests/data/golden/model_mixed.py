"""mixed: ModelNew takes the place of the task's Model. Written by kernelmesh.

torch computes what has no kernel here; the kernels are the functions of a library that lies beside this file.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(Path(__file__).with_name(".artifact")))


# -- the model --------------------------------------------------------------------------------------------------------

aten = torch.ops.aten


class Spec(NamedTuple):
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype


class Held(NamedTuple):
    path: str
    spec: Spec
    is_buffer: bool
    number: float | None  # of a constant


INPUTS = [
    (0, Spec((2, 3, 8, 8), (192, 64, 8, 1), torch.float32)),
]
HELD = [
    Held("conv.weight", Spec((4, 3, 3, 3), (27, 9, 3, 1), torch.float32), False, None),
    Held("scale", Spec((4, 1, 1), (1, 1, 1), torch.float32), False, None),
    Held("last", Spec((2, 4, 6, 6), (144, 36, 6, 1), torch.float32), True, None),
    Held("c_half", Spec((), (), torch.float32), False, 0.5),
]
DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    ]


class _Place:
    """Where one tensor after the other is lent to a kernel: all that changes is its address, and strides if need be."""

    def __init__(self, tensor: _Tensor, spec: Spec) -> None:
        self.tensor = tensor
        self.known = spec.strides
        self.strides = (ctypes.c_int64 * max(1, len(spec.shape)))(*spec.strides)
        tensor.shape = (ctypes.c_int64 * max(1, len(spec.shape)))(*spec.shape)
        tensor.strides = self.strides
        tensor.rank = len(spec.shape)
        tensor.dtype = DTYPES.index(spec.dtype)

    def lend(self, x: torch.Tensor) -> None:
        self.tensor.data = x.data_ptr()
        strides = x.stride()
        if strides != self.known:
            self.strides[: len(strides)] = strides
            self.known = strides


class Kernel:
    """A function of the library. What it is given is made once; so one call at a time."""

    def __init__(self, name: str, arguments: list[Spec], outputs: list[Spec]) -> None:
        self._made_of = name, arguments, outputs
        specs = [*arguments, *outputs]
        self._tensors = (_Tensor * len(specs))()
        self._places = [_Place(tensor, spec) for tensor, spec in zip(self._tensors, specs, strict=True)]
        self._counts = len(arguments), len(outputs)
        self._outputs = outputs
        self._lock = threading.Lock()
        self._function = function = getattr(_library(), name)
        tensors = ctypes.POINTER(_Tensor)
        function.argtypes = [tensors, ctypes.c_int32, tensors, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p]
        function.restype = ctypes.c_int
        self._first = ctypes.cast(self._tensors, tensors)
        self._first_output = ctypes.cast(ctypes.byref(self._tensors, len(arguments) * ctypes.sizeof(_Tensor)), tensors)

    def __reduce__(self) -> tuple[Any, ...]:
        """Models are copied and pickled; what is lent has addresses of its own in each."""
        return Kernel, self._made_of

    def __call__(self, *arguments: torch.Tensor) -> Any:
        outputs = [torch.empty_strided(shape, strides, dtype=dtype) for shape, strides, dtype in self._outputs]
        with self._lock:
            for place, x in zip(self._places, (*arguments, *outputs)):  # noqa: B905 - each call has as many
                place.lend(x)
            given, made = self._counts
            code = self._function(self._first, given, self._first_output, made, torch.get_num_threads(), None)
        if code != 0:
            raise RuntimeError(f"a kernel refused the call with code {code}")
        return outputs[0] if made == 1 else outputs


def first(results: Any) -> torch.Tensor:
    """Of an operator, which may have several."""
    return results if isinstance(results, torch.Tensor) else results[0]


def check(inputs: tuple[Any, ...]) -> None:
    for index, (shape, _, dtype) in INPUTS:
        x = inputs[index]
        if x.shape != shape or x.dtype != dtype or not x.is_cpu:
            raise ValueError(
                f"input {index} is {x.dtype} {tuple(x.shape)} on {x.device}; "
                f"this model was written for {dtype} {shape} on cpu"
            )


class _Part(nn.Module):
    """Holds weights under a name with dots, as the reference's submodules do."""


class ModelNew(nn.Module):
    """Takes the arguments of the task's Model; they are not needed here."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        super().__init__()
        self._constants: dict[str, torch.Tensor] = {}
        self._held = [self._hold(x) for x in HELD]
        self._kernel_g1 = Kernel(
            "kernelmesh_run_g1",
            [
                Spec((2, 4, 6, 6), (144, 36, 6, 1), torch.float32),
                Spec((4, 1, 1), (1, 1, 1), torch.float32),
            ],
            [
                Spec((2, 4, 6, 6), (144, 36, 6, 1), torch.float32),
            ],
        )
        self._kernel_g3 = Kernel(
            "kernelmesh_run_g3",
            [
                Spec((2, 4, 3, 3), (36, 9, 3, 1), torch.float32),
            ],
            [
                Spec((2, 4, 3, 3), (36, 9, 3, 1), torch.float32),
            ],
        )

    def _hold(self, x: Held) -> tuple[Mapping[str, Any], str]:
        """Where a weight is found in each call: others may be put in its place."""
        if x.number is not None:
            self._constants[x.path] = torch.tensor(x.number, dtype=x.spec.dtype)
            return self._constants, x.path
        *parts, name = x.path.split(".")
        holder: nn.Module = self
        for part in parts:
            if part not in holder._modules:
                holder.add_module(part, _Part())
            holder = holder._modules[part]
        value = torch.zeros(x.spec.shape, dtype=x.spec.dtype)
        if x.is_buffer:
            holder.register_buffer(name, value)
            return holder._buffers, name
        holder.register_parameter(name, nn.Parameter(value, requires_grad=False))  # kernels have no gradient
        return holder._parameters, name

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *more: Any) -> None:
        """Weights that the result does not depend on are not held here and left out, in a larger model's state too."""
        held = self.state_dict()
        for name in [x for x in state_dict if x.startswith(prefix) and x.removeprefix(prefix) not in held]:
            del state_dict[name]
        super()._load_from_state_dict(state_dict, prefix, *more)

    def forward(self, *inputs: Any) -> Any:
        check(inputs)
        input_0 = inputs[0]
        p_conv_weight, p_scale, b_last, c_half = [held[key] for held, key in self._held]
        # g0: aten.convolution, aten.view, aten.copy_
        conv = first(aten.convolution.default(
            input=input_0,
            weight=p_conv_weight,
            bias=None,
            stride=[1, 1],
            padding=[0, 0],
            transposed=False,
        ))
        view = first(aten.view.default(p_scale, size=[4, 1, 1]))
        aten.copy_.default(b_last, src=c_half)
        # g1: kernels
        relu = self._kernel_g1(conv, view)
        del conv, view
        # g2: aten.max_pool2d_with_indices
        several = aten.max_pool2d_with_indices.default(relu, kernel_size=[2, 2])
        pool = several[0]
        places = several[1]
        del several
        del relu
        # g3: kernels
        lambda_ = self._kernel_g3(pool)
        del pool
        return lambda_, places
