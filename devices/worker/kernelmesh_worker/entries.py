"""The kinds of program that a candidate's process can run."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import torch

from kernelmesh_worker.lent import ALIGNMENT, DTYPE_NAMES, DTYPE_NUMBERS, DTYPES, LentBuffer
from kernelmesh_worker.values import decode

_MODULE = "kernelmesh_candidate"


class Entry(Protocol):
    def call(self, plain: list[Any]) -> None:
        """Computes the outputs from the inputs in the lent buffer; `plain` has the inputs' messages."""

    def outputs(self) -> list[dict[str, Any]]:
        """Copies the last call's outputs to the lent buffer and describes them."""

    def reset(self) -> None:
        """Takes the buffers' contents again."""


def load_entry(order: dict[str, Any], lent: list[LentBuffer]) -> Entry:
    kind, entry = next(iter(order["entry"].items()))
    if kind == "c_abi":
        return CFunction(order, entry["function"], lent)
    return PythonModule(order, entry["symbol"], lent)


# -- c_abi ------------------------------------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    """kernelmesh_tensor of kernelmesh_abi.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    )


class CFunction:
    """A library's function on tensors that all lie in lent buffers."""

    def __init__(self, order: dict[str, Any], function: str, lent: list[LentBuffer]) -> None:
        self._function = getattr(ctypes.CDLL(order["artifact"], mode=os.RTLD_NOW), function)
        self._function.restype = ctypes.c_int
        self._kept: list[Any] = [lent]
        arguments = [self._tensor(lent[x["lent"]], x) for x in order["arguments"]]
        outputs = [self._tensor(lent[2], x) for x in order["outputs"]]
        self._call = (
            (_Tensor * len(arguments))(*arguments),
            ctypes.c_int32(len(arguments)),
            (_Tensor * len(outputs))(*outputs),
            ctypes.c_int32(len(outputs)),
            ctypes.c_int32(order["cores"]),
            ctypes.c_void_p(None),
        )

    def _tensor(self, buffer: LentBuffer, spec: dict[str, Any]) -> _Tensor:
        rank = len(spec["shape"])
        shape = (ctypes.c_int64 * rank)(*spec["shape"])
        strides = (ctypes.c_int64 * rank)(*spec["strides"])
        self._kept += [shape, strides]
        address = buffer.bytes().data_ptr() + spec["offset"]
        return _Tensor(address, shape, strides, rank, DTYPE_NUMBERS[spec["dtype"]])

    def call(self, plain: list[Any]) -> None:
        code = self._function(*self._call)
        if code != 0:
            raise RuntimeError(f"the function returned {code}")

    def outputs(self) -> list[dict[str, Any]]:
        return []  # they were computed where they are lent

    def reset(self) -> None:
        """Arguments are read where they are lent."""


# -- python_host ------------------------------------------------------------------------------------------------------


def _import(file: str) -> ModuleType:
    sys.dont_write_bytecode = True
    folder = str(Path(file).parent)
    sys.path.insert(0, folder)
    os.chdir(folder)
    loader = importlib.machinery.SourceFileLoader(_MODULE, file)
    spec = importlib.util.spec_from_file_location(_MODULE, file, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    loader.exec_module(module)
    return module


def _run_text(code: str, overrides: dict[str, int]) -> ModuleType:
    """A reference, for a baseline: it comes in the order and lies in no file that a candidate could find."""
    module = ModuleType(_MODULE)
    sys.modules[_MODULE] = module
    exec(compile(code, f"{_MODULE}.py", "exec"), module.__dict__)  # noqa: S102 - the judge has run it too
    for name, value in overrides.items():
        setattr(module, name, value)
    return module


class PythonModule:
    """A module that takes the reference's place. Its weights are its own copies."""

    def __init__(self, order: dict[str, Any], symbol: str, lent: list[LentBuffer]) -> None:
        self._lent = lent
        self._room = order["outputs_bytes"]
        self._buffers = order["buffers"]
        module = _run_text(order["code"], order["overrides"]) if order["code"] else _import(order["file"])
        if not hasattr(module, symbol):
            raise AttributeError(f"the file has no {symbol}")
        torch.manual_seed(order["seed"])
        self._model = getattr(module, symbol)(*(decode(x, self._view) for x in order["init"]))
        if isinstance(self._model, torch.nn.Module):
            self._model.to(DTYPES[order["dtype"]])
            self._state = {name: self._view(spec) for name, spec in order["state"].items()}
            self._own = match_state(state_of(self._model), self._state)
            self._model.train(order["training"])
        else:
            self._state, self._own = {}, {}
        self._take(list(self._own))
        if order["compile"]:
            os.environ |= {"TORCHINDUCTOR_CACHE_DIR": order["compile"], "TORCHINDUCTOR_COMPILE_THREADS": "1"}
            self._model = torch.compile(self._model)
        self._inputs = order["inputs"]
        self._last: Any = None

    def _view(self, message: dict[str, Any]) -> torch.Tensor:
        return self._lent[message["lent"]].tensor(message["tensor"])

    def _take(self, names: list[str]) -> None:
        with torch.no_grad():
            for name in names:
                self._own[name].copy_(self._state[name])

    def reset(self) -> None:
        self._take([name for name in self._buffers if name in self._own])

    def call(self, plain: list[Any]) -> None:
        inputs = [decode(x, self._view) for x in plain or self._inputs]
        with torch.no_grad():
            self._last = self._model(*inputs)

    def outputs(self) -> list[dict[str, Any]]:
        described, offset = [], 0
        for output in _flat(self._last):
            one = _describe(output)
            wanted = one["bytes"]
            one["offset"], one["copied"] = offset, "dtype" in one and offset + wanted <= self._room
            if one["copied"]:
                place = self._lent[2].bytes()[offset : offset + wanted]
                place.view(output.dtype).copy_(output.detach().reshape(-1))
                offset += -(-wanted // ALIGNMENT) * ALIGNMENT
            described.append(one)
        self._last = None
        return described


def state_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers by name, those that a state dict leaves out too."""
    parameters = dict(model.named_parameters(remove_duplicate=False))
    return parameters | dict(model.named_buffers(remove_duplicate=False))


def match_state(own: dict[str, torch.Tensor], given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Which of a candidate's own tensors takes which of the reference's: name in the reference -> own tensor.

    By name and shape; what is left over on both sides by shape alone, in order.
    """
    matched = {name: x for name, x in own.items() if name in given and given[name].shape == x.shape}
    free = [x for name, x in own.items() if name not in matched]
    for name, wanted in given.items():
        if name in matched:
            continue
        found = next((i for i, x in enumerate(free) if x.shape == wanted.shape and x.dtype == wanted.dtype), None)
        if found is not None:
            matched[name] = free.pop(found)
    return matched


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in _flat(part)]
    return [value]


def _describe(output: Any) -> dict[str, Any]:
    """Without a dtype if it is no tensor, or one that has no place in a lent buffer."""
    kind = type(output)
    name = f"{kind.__module__}.{kind.__qualname__}" if kind is not torch.Tensor else "torch.Tensor"
    if not isinstance(output, torch.Tensor):
        return {"type": name, "device": "", "shape": [], "strides": [], "bytes": 0}
    known = output.dtype in DTYPE_NAMES and output.layout is torch.strided
    one = {
        "type": name if known else f"{name} of {output.dtype}, {output.layout}",
        "device": str(output.device),
        "shape": list(output.shape),
        "strides": list(output.stride()) if output.layout is torch.strided else [],
        "bytes": output.numel() * output.itemsize,
    }
    return one | {"dtype": DTYPE_NAMES[output.dtype]} if known else one
