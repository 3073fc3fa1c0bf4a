"""A PyTorch model traced to the op graph that dsl/FORMS.md describes.

Nothing is computed and no memory of a tensor's size is taken: tensors are replaced by fakes that only know their shape.
Tracing is at the level of ATen operators as eager runs them, mutations turned into values, on the CPU whatever the
target is, so that the same task gives the same graph everywhere. The first trace of a process takes seconds, since
torch then loads its tracing machinery; later ones take a tenth of a second.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from kernelmesh_worker.graph_writer import DTYPES, GraphWriter, Source, TraceRefused, number_of

__all__ = ["TraceRefused", "trace_model"]


def trace_model(
    model: torch.nn.Module, inputs: list[Any], task_name: str, dtype: torch.dtype | str | None = None
) -> dict[str, Any]:
    """The op graph of model(*inputs) as the dict that messages/records/op_graph.hpp reads.

    The model and the inputs may be real, fake or on the meta device; the model is as before afterwards. With a dtype,
    it is as after model.to(dtype) and inputs of that dtype: other attributes keep theirs. Raises TraceRefused.
    """
    if not isinstance(model, torch.nn.Module):
        raise TraceRefused(f"the model is a {type(model).__name__}, not a torch.nn.Module")
    sources = _collect(model, inputs, _as_dtype(dtype))
    module = _trace(model, inputs, sources)
    return GraphWriter(module, sources.all).graph(task_name, model.training)


# -- what goes in ------------------------------------------------------------------------------------------------------


@dataclass
class _Sources:
    mode: FakeTensorMode
    dtype: torch.dtype | None
    all: list[Source] = field(default_factory=list)
    by_tensor: dict[int, Source] = field(default_factory=dict)  # tied parameters are one

    def add(self, tensor: torch.Tensor, source: Source) -> torch.Tensor:
        """The fake that stands for the tensor; the same one whenever the same tensor comes again."""
        known = self.by_tensor.get(id(tensor))
        if known is not None and known.fake is not None:
            return known.fake
        source.fake = self._fake(tensor, cast=source.origin != "constant")
        if source.origin == "constant":
            source.number = number_of(tensor)
        self.by_tensor[id(tensor)] = source
        self.all.append(source)
        return source.fake

    def _fake(self, tensor: torch.Tensor, cast: bool) -> torch.Tensor:
        if tensor.layout != torch.strided:
            raise TraceRefused(f"a tensor of layout {tensor.layout} is not strided")
        kind = self.dtype if self.dtype is not None and cast and tensor.is_floating_point() else tensor.dtype
        with self.mode:
            return torch.empty_strided(tuple(tensor.shape), tensor.stride(), dtype=kind, device="cpu")

    @property
    def tensors(self) -> list[Source]:
        return [source for source in self.all if source.is_tensor]


def _as_dtype(dtype: torch.dtype | str | None) -> torch.dtype | None:
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    if dtype not in DTYPES:
        raise TraceRefused(f"the dtype {dtype!r} is not one of {', '.join(DTYPES)}")
    return getattr(torch, dtype)


def _identifier(prefix: str, path: str) -> str:
    return prefix + re.sub(r"\W", "_", path, flags=re.ASCII)


def _collect(model: torch.nn.Module, inputs: list[Any], dtype: torch.dtype | None) -> _Sources:
    sources = _Sources(FakeTensorMode(allow_non_fake_inputs=True), dtype)
    for index, value in enumerate(inputs):
        _collect_input(sources, index, value)
    for path, parameter in model.named_parameters():
        sources.add(parameter, Source(_identifier("p_", path), "parameter", path=path))
    for path, buffer in model.named_buffers():
        sources.add(buffer, Source(_identifier("b_", path), "buffer", path=path))
    for owner, key, path in _plain_attributes(model):
        for inner, tensor in _tensors_in(getattr(owner, key)):
            sources.add(tensor, Source(_identifier("c_", path + inner), "constant", path=path + inner))
    return sources


def _collect_input(sources: _Sources, index: int, value: Any) -> None:
    name = f"input_{index}"
    if isinstance(value, torch.Tensor):
        if id(value) in sources.by_tensor:
            raise TraceRefused(f"input {index} is the same tensor as {sources.by_tensor[id(value)].name}")
        sources.add(value, Source(name, "input", index=index))
    elif isinstance(value, (bool, int, float)):
        sources.all.append(Source(name, "constant", index=index, number=float(value)))
    elif any(isinstance(leaf, torch.Tensor) for leaf in pytree.tree_leaves(value)):
        raise TraceRefused(f"input {index} is a {type(value).__name__} that holds tensors")


def _tensors_in(value: Any) -> list[tuple[str, torch.Tensor]]:
    """Tensors in an attribute with where they are in it: "" or ".0" or ".mean"."""
    if isinstance(value, torch.Tensor):
        return [("", value)]
    if isinstance(value, dict):
        pairs: Iterator[tuple[Any, Any]] = iter(value.items())
    elif isinstance(value, (list, tuple)):
        pairs = iter(enumerate(value))
    else:
        return []
    return [(f".{key}{inner}", tensor) for key, item in pairs for inner, tensor in _tensors_in(item)]


def _plain_attributes(model: torch.nn.Module) -> list[tuple[torch.nn.Module, str, str]]:
    """Attributes with tensors that the state dict does not have: owner, attribute, path."""
    found = []
    for prefix, owner in model.named_modules():
        for key, value in vars(owner).items():
            if key not in ("_parameters", "_buffers", "_modules") and _tensors_in(value):
                found.append((owner, key, f"{prefix}.{key}" if prefix else key))
    return found


# -- tracing -----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _replaced_attributes(model: torch.nn.Module, replace: Callable[[torch.Tensor], torch.Tensor]) -> Iterator[None]:
    before = [(owner, key, getattr(owner, key)) for owner, key, _ in _plain_attributes(model)]
    try:
        for owner, key, value in before:
            owner.__dict__[key] = pytree.tree_map_only(torch.Tensor, replace, value)
        yield
    finally:
        for owner, key, value in before:
            owner.__dict__[key] = value


@contextlib.contextmanager
def _eager_attention() -> Iterator[None]:
    """Without the transformer fast path, which hides a whole layer in one operator."""
    switch = getattr(torch.backends, "mha", None)
    if switch is None:
        yield
        return
    before = switch.get_fastpath_enabled()
    switch.set_fastpath_enabled(False)
    try:
        yield
    finally:
        switch.set_fastpath_enabled(before)


def _trace(model: torch.nn.Module, inputs: list[Any], sources: _Sources) -> GraphModule:
    tensors = sources.tensors

    def run(*fakes: torch.Tensor) -> list[Any]:
        stands_for = {id(source.fake): fake for source, fake in zip(tensors, fakes, strict=True)}

        def replace(tensor: torch.Tensor) -> torch.Tensor:
            return stands_for[id(sources.by_tensor[id(tensor)].fake)]

        own = [*model.named_parameters(), *model.named_buffers()]
        state = {path: replace(tensor) for path, tensor in own}
        arguments = tuple(pytree.tree_map_only(torch.Tensor, replace, value) for value in inputs)
        with _replaced_attributes(model, replace):
            returned = torch.func.functional_call(model, state, arguments)
        return pytree.tree_leaves(returned)

    traced = make_fx(torch.func.functionalize(run, remove="mutations"))
    try:
        with torch.no_grad(), _eager_attention(), sources.mode:
            return traced(*[source.fake for source in tensors])
    except TraceRefused:
        raise
    except BaseException as error:  # noqa: BLE001 - forward is the user's code: anything may come out of it
        raise TraceRefused(_reason(error)) from error


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300] or "no message"
    kind = type(error).__name__
    if "DataDependent" in kind or "DynamicOutputShape" in kind or "aten._local_scalar_dense" in text:
        return f"forward depends on the values of tensors, not only on their shapes ({kind}: {text})"
    return f"forward could not be traced ({kind}: {text})"
