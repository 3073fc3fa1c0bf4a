"""The kinds of program that a candidate's process can run."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import torch

from kernelmesh_worker.device import here
from kernelmesh_worker.draws import redrawn_constants
from kernelmesh_worker.homes import settle
from kernelmesh_worker.lent import ALIGNMENT, DTYPE_NAMES, DTYPE_NUMBERS, DTYPES, LentBuffer, extent, memory_of
from kernelmesh_worker.module_globals import override
from kernelmesh_worker.recorder import Recorder
from kernelmesh_worker.values import decode

_MODULE = "kernelmesh_candidate"
_HEAP_SHARE = 4  # times the outputs


class Entry(Protocol):
    def call(self, plain: list[Any], variant: int = 0) -> None:
        """Computes the outputs from the inputs in the lent buffer; `plain` has the inputs' messages, `variant` is the
        shape's number."""

    def record(self, recorder: Recorder, plain: list[Any]) -> None:
        """A call that is recorded; of a PythonModule."""

    def outputs(self) -> dict[str, Any]:
        """Copies the last call's outputs and the buffers that change to the lent buffer and describes them."""

    def reset(self, weights: bool = False) -> None:
        """Takes the buffers' contents again; all of its weights if asked."""


def load_entry(order: dict[str, Any], lent: list[LentBuffer]) -> Entry:
    kind, entry = next(iter(order["entry"].items()))
    if kind == "c_abi":
        return CFunction(order, entry["function"], lent)
    if kind == "launch_record":
        return LaunchRecord(order, lent)
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
        library = ctypes.CDLL(order["artifact"], mode=os.RTLD_NOW)
        self._kept: list[Any] = [lent]
        self._calls = [
            self._prepared(library, one, order["cores"], lent)
            for one in order["variants"] or [{"function": function, **order}]
        ]

    def _prepared(
        self, library: ctypes.CDLL, variant: dict[str, Any], cores: int, lent: list[LentBuffer]
    ) -> tuple[Any, tuple[Any, ...]]:
        """The function for one shape with what it is given."""
        function = getattr(library, variant["function"])
        function.restype = ctypes.c_int
        arguments = [self._tensor(lent[x["lent"]], x) for x in variant["arguments"]]
        outputs = [self._tensor(lent[2], x) for x in variant["outputs"]]
        return function, (
            (_Tensor * len(arguments))(*arguments),
            ctypes.c_int32(len(arguments)),
            (_Tensor * len(outputs))(*outputs),
            ctypes.c_int32(len(outputs)),
            ctypes.c_int32(cores),
            ctypes.c_void_p(None),
        )

    def _tensor(self, buffer: LentBuffer, spec: dict[str, Any]) -> _Tensor:
        rank = len(spec["shape"])
        shape = (ctypes.c_int64 * rank)(*spec["shape"])
        strides = (ctypes.c_int64 * rank)(*spec["strides"])
        self._kept += [shape, strides]
        address = buffer.bytes().data_ptr() + spec["offset"]
        return _Tensor(address, shape, strides, rank, DTYPE_NUMBERS[spec["dtype"]])

    def call(self, plain: list[Any], variant: int = 0) -> None:
        function, given = self._calls[variant]
        code = function(*given)
        if code != 0:
            raise RuntimeError(f"the function returned {code}")

    def record(self, recorder: Recorder, plain: list[Any]) -> None:
        raise TypeError("only calls of Python modules are recorded")

    def outputs(self) -> dict[str, Any]:
        return {}  # they were computed where they are lent

    def reset(self, weights: bool = False) -> None:
        """Arguments are read where they are lent."""


# -- launch_record ----------------------------------------------------------------------------------------------------


class LaunchRecord:
    """What a built record says, on tensors that all lie in lent buffers."""

    def __init__(self, order: dict[str, Any], lent: list[LentBuffer]) -> None:
        from kernelmesh_worker.launches import Launches

        self._kept = lent
        self._arguments = [lent[x["lent"]].bytes().data_ptr() + x["offset"] for x in order["arguments"]]
        self._outputs = [lent[2].bytes().data_ptr() + x["offset"] for x in order["outputs"]]
        sizes = ([_bytes_of(x) for x in order[side]] for side in ("arguments", "outputs"))
        self._launches = Launches(Path(order["artifact"]).read_bytes(), *sizes)
        self._launches.load()

    def call(self, plain: list[Any], variant: int = 0) -> None:
        self._launches.run(self._arguments, self._outputs, 0)

    def record(self, recorder: Recorder, plain: list[Any]) -> None:
        raise TypeError("only calls of Python modules are recorded")

    def outputs(self) -> dict[str, Any]:
        return {}  # they were computed where they are lent

    def reset(self, weights: bool = False) -> None:
        """Arguments are read where they are lent."""


def _bytes_of(spec: dict[str, Any]) -> int:
    return extent(spec["shape"], spec["strides"]) * DTYPES[spec["dtype"]].itemsize


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
        override(module, name, value)
    return module


class PythonModule:
    """A module that takes the reference's place. Its weights are its own copies."""

    def __init__(self, order: dict[str, Any], symbol: str, lent: list[LentBuffer]) -> None:
        self._lent = lent
        self._room = order["outputs_bytes"]
        self._buffers = order["buffers"]
        self._changing = order["changing"]
        settle(order["home"], order["building"])
        with redrawn_constants(order["redraw"], order["seed"]):
            self._model = self._built(order, symbol)
        if isinstance(self._model, torch.nn.Module) and here().place.type != "cpu":
            self._model = self._model.to(here().place)
        if isinstance(self._model, torch.nn.Module):
            if order["dtype"]:
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
        self._given: list[list[Any]] = []  # of recorded calls: kept, so that each has addresses of its own
        here().touch(_HEAP_SHARE * self._room)

    def _built(self, order: dict[str, Any], symbol: str) -> Any:
        module = _run_text(order["code"], order["overrides"]) if order["code"] else _import(order["file"])
        if not hasattr(module, symbol):
            raise AttributeError(f"the file has no {symbol}")
        torch.manual_seed(order["seed"])
        return getattr(module, symbol)(*(decode(x, self._view) for x in order["init"]))

    def _view(self, message: dict[str, Any]) -> torch.Tensor:
        return self._lent[message["lent"]].tensor(message["tensor"])

    def _take(self, names: list[str]) -> None:
        with torch.no_grad():
            for name in names:
                self._own[name].copy_(self._state[name])

    def reset(self, weights: bool = False) -> None:
        self._take([name for name in self._own if weights or name in self._buffers])

    def call(self, plain: list[Any], variant: int = 0) -> None:
        inputs = [decode(x, self._view) for x in plain or self._inputs]
        self._last = None  # first: else each call's outputs would go to pages that no call has touched
        with torch.no_grad():
            self._last = self._model(*inputs)

    def record(self, recorder: Recorder, plain: list[Any]) -> None:
        """A call like any other, on inputs at addresses that no call before had."""
        given = [decode(x, lambda message: _moved(self._view(message))) for x in plain or self._inputs]
        self._given.append(given)
        lent = [*(x for x in flat(given) if isinstance(x, torch.Tensor)), *map(self._lent_own, self._state)]
        with recorder.call(lent) as outputs, torch.no_grad():
            self._last = self._model(*given)
            outputs += [x for x in flat(self._last) if isinstance(x, torch.Tensor)]

    def _lent_own(self, name: str) -> torch.Tensor | None:
        """Its own tensor that takes that one of the reference's, if it has one of the same form."""
        own, given = self._own.get(name), self._state[name]
        same = own is not None and own.dtype == given.dtype and own.stride() == given.stride()
        return own if same else None

    def outputs(self) -> dict[str, Any]:
        delivery = _Delivery(self._lent[2], self._room)
        tensors = [delivery.put(x) for x in flat(self._last)]
        state = [delivery.put(self._own.get(name)) for name in self._changing]
        return {"structure": structure_of(self._last), "tensors": tensors, "state": state}


class _Delivery:
    """Copies tensors to the lent buffer one after the other and describes them."""

    def __init__(self, buffer: LentBuffer, room: int) -> None:
        self._bytes = buffer.bytes()
        self._room = room
        self._offset = 0

    def put(self, output: Any) -> dict[str, Any]:
        one = _describe(output)
        wanted = one["bytes"]
        one["offset"], one["copied"] = self._offset, "dtype" in one and self._offset + wanted <= self._room
        if one["copied"]:
            place = self._bytes[self._offset : self._offset + wanted]
            place.view(output.dtype).copy_(output.detach().reshape(-1))
            self._offset += -(-wanted // ALIGNMENT) * ALIGNMENT
        return one


def state_of(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers by name, those that a state dict leaves out too."""
    parameters = dict(model.named_parameters(remove_duplicate=False))
    return parameters | dict(model.named_buffers(remove_duplicate=False))


def match_state(own: dict[str, torch.Tensor], given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Which of a candidate's own tensors takes which of the reference's: name in the reference -> own tensor.

    By name, shape and value; what is left by value, then by name and shape, then by shape alone, in order.
    """
    matched: dict[str, torch.Tensor] = {}
    free = dict(own)
    tests: tuple[Callable[[str, torch.Tensor, str, torch.Tensor], bool], ...] = (
        lambda a, x, b, y: a == b and _equal(x, y),
        lambda a, x, b, y: _equal(x, y),
        lambda a, x, b, y: a == b and x.shape == y.shape,
        lambda a, x, b, y: x.shape == y.shape and x.dtype == y.dtype,
    )
    for same in tests:
        for name, wanted in given.items():
            found = None if name in matched else next((k for k, x in free.items() if same(k, x, name, wanted)), None)
            if found is not None:
                matched[name] = free.pop(found)
    return matched


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)


def _moved(x: torch.Tensor) -> torch.Tensor:
    """The same in memory of its own, with the same strides."""
    return memory_of(x).clone().as_strided(x.shape, x.stride())


def flat(value: Any) -> list[Any]:
    """The leaves of nested lists and tuples, in order."""
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [value]


def structure_of(value: Any) -> str:
    """How results are nested: "Tensor", "[Tensor, [Tensor]]"; lists and tuples count alike."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(structure_of(x) for x in value)}]"
    return "Tensor" if isinstance(value, torch.Tensor) else type(value).__name__


def _describe(output: Any) -> dict[str, Any]:
    """Without a dtype if it is no tensor or has no place in a lent buffer. None: a buffer that it does not have."""
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
