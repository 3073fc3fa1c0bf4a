"""The record of an op graph, as dsl/FORMS.md describes it, written from a traced module."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

VERSION = 1
DTYPES = ("float32", "float16", "bfloat16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool",
          "complex64", "complex128")  # fmt: skip
# Arguments that say where a tensor lies, not what it is.
ELSEWHERE = ("device", "layout", "pin_memory", "non_blocking")
# Operators that read part of what they are given; views are known by their schema.
PARTIAL_READS = ("index", "index_select", "gather", "embedding", "take")
# Views that no schema tells: what matmul makes of its result.
UNDECLARED_VIEWS = ("_unsafe_view",)
UNCHANGED = ("aten.alias", "aten.detach", "aten.lift_fresh", "aten.lift_fresh_copy")


class TraceRefused(Exception):
    """The model can't become an op graph; the message says why in one sentence."""


@dataclass
class Source:
    """A tensor or number from outside of forward."""

    name: str
    origin: str
    index: int = 0
    path: str = ""
    fake: torch.Tensor | None = None
    number: float | None = None

    @property
    def is_tensor(self) -> bool:
        return self.fake is not None


def number_of(tensor: torch.Tensor) -> float | None:
    """Of a tensor of rank 0 whose value is known. A fake one may carry it along as `constant`."""
    known = getattr(tensor, "constant", None) if hasattr(tensor, "fake_mode") else tensor
    if known is None or known.dim() or known.is_meta or known.is_complex():
        return None
    number = float(known.detach())
    return None if not known.is_floating_point() and int(number) != int(known) else number


def _tensor_spec(tensor: torch.Tensor) -> dict[str, Any]:
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise TraceRefused(f"forward uses a tensor of dtype {name}")
    return {"dtype": name, "shape": [int(n) for n in tensor.shape], "strides": [int(n) for n in tensor.stride()]}


def _schema_of(node: Node) -> Any:
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        raise TraceRefused(f"forward uses {node.target}, which is no ATen operator")
    return schema


def _is_getitem(node: Node) -> bool:
    return node.op == "call_function" and getattr(node.target, "__name__", "") == "getitem"


def _is_view(node: Node) -> bool:
    if node.op != "call_function":
        return False
    name = _operator_name(node).removeprefix("aten.")
    aliases = [a.alias_info for a in _schema_of(node).arguments]
    return name in UNDECLARED_VIEWS or any(a is not None and not a.is_write for a in aliases)


def _same_as(node: Node) -> Node | None:
    """What the node gives on unchanged: tracing names a tensor again where it is detached or made a constant."""
    plain = node.op == "call_function" and not _is_getitem(node) and _operator_name(node) in UNCHANGED
    return node.args[0] if plain else None  # type: ignore[return-value]


def _operator_name(node: Node) -> str:
    namespace, _, name = _schema_of(node).name.partition("::")
    return f"{namespace}.{name}"


def _elements(tensor: torch.Tensor) -> int:
    """Distinct ones: what expand repeats counts once."""
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        count *= int(size) if stride or size == 0 else 1
    return count


class GraphWriter:
    """Turns the traced module into the record."""

    def __init__(self, module: GraphModule, sources: list[Source]) -> None:
        self.module = module
        self.values: list[dict[str, Any]] = []
        self.names: dict[Node, str] = {}
        self.taken: set[str] = set()
        self.live = self._live_nodes()
        self._add_values(sources)

    def graph(self, task_name: str, training: bool) -> dict[str, Any]:
        nodes = [self._node(node) for node in self.module.graph.nodes if node in self.live and self._makes_tensor(node)]
        outputs = [self._output(node) for node in self._returned()]
        return {
            "version": VERSION,
            "task": task_name,
            "values": self.values,
            "nodes": nodes,
            "outputs": outputs,
            "training": training,
            "floor_bytes": self._floor_bytes(),
            "flops": sum(node["flops"] for node in nodes),
        }

    # -- which nodes count

    def _returned(self) -> list[Any]:
        (output,) = (node for node in self.module.graph.nodes if node.op == "output")
        return pytree.tree_leaves(output.args[0], is_leaf=lambda x: isinstance(x, Node))

    def _live_nodes(self) -> set[Node]:
        """What the results or a written buffer need; tracing leaves more behind."""
        pending = [node for node in self._returned() if isinstance(node, Node)]
        pending += [n for n in self.module.graph.nodes if n.op == "call_function" and self._writes(n)]
        live: set[Node] = set()
        while pending:
            node = pending.pop()
            if node not in live:
                live.add(node)
                pending += node.all_input_nodes
        return live

    @staticmethod
    def _writes(node: Node) -> bool:
        return not _is_getitem(node) and _schema_of(node).is_mutable

    @staticmethod
    def _makes_tensor(node: Node) -> bool:
        return node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor) and _same_as(node) is None

    # -- values

    def _unique(self, name: str) -> str:
        chosen, count = name, 1
        while chosen in self.taken:
            chosen, count = f"{name}_{count}", count + 1
        self.taken.add(chosen)
        return chosen

    def _add_values(self, sources: list[Source]) -> None:
        placeholders = [node for node in self.module.graph.nodes if node.op == "placeholder"]
        of_source = {id(s): node for s, node in zip([s for s in sources if s.is_tensor], placeholders, strict=True)}
        for source in sources:
            self._add_value(source, of_source.get(id(source)))
        for node in self.module.graph.nodes:
            if node.op == "get_attr" and node in self.live:
                self._add_constant(node)
        for node in self.module.graph.nodes:
            if node.op == "call_function":
                same = _same_as(node)
                self.names[node] = self._unique(node.name) if same is None else self.names[same]

    def _add_value(self, source: Source, node: Node | None) -> None:
        name = self._unique(source.name)
        if node is not None:
            self.names[node] = name
        spec = {"dtype": "float64", "shape": [], "strides": []} if source.fake is None else _tensor_spec(source.fake)
        value = {"name": name, "origin": source.origin, "index": source.index, "path": source.path, "spec": spec}
        self.values.append({**value, "number": source.number})

    def _add_constant(self, node: Node) -> None:
        """A tensor that forward makes from Python numbers or takes from outside of the model."""
        tensor = getattr(self.module, str(node.target))
        known = [name for other, name in self.names.items() if other.op == "get_attr" and other.target == node.target]
        if known:
            self.names[node] = known[0]
            return
        node.meta.setdefault("val", tensor)
        self._add_value(Source("c_local", "constant", fake=tensor, number=number_of(tensor)), node)

    # -- nodes

    def _node(self, node: Node) -> dict[str, Any]:
        call, result = (node.args[0], int(node.args[1])) if _is_getitem(node) else (node, 0)
        return {
            "name": self.names[node],
            "op": _operator_name(call),
            "overload": _schema_of(call).overload_name or "default",
            "result": result,
            "arguments": self._arguments(call),
            "output": _tensor_spec(node.meta["val"]),
            "flops": self._flops(node, call),
        }

    def _arguments(self, call: Node) -> list[dict[str, Any]]:
        arguments = []
        for place, declared in enumerate(_schema_of(call).arguments):
            if place < len(call.args):
                value = call.args[place]
            elif declared.name in call.kwargs:
                value = call.kwargs[declared.name]
            else:
                continue
            if declared.name not in ELSEWHERE and not self._is_default(declared, value):
                arguments.append({"name": declared.name, "content": self._content(value)})
        return arguments

    @staticmethod
    def _is_default(declared: Any, value: Any) -> bool:
        if isinstance(value, Node) or not declared.has_default_value():
            return False
        default = declared.default_value
        plain = list(value) if isinstance(value, (list, tuple)) else value
        return type(default) is type(plain) and default == plain

    def _content(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Node):
            return {"value": {"name": self.names[value]}}
        if value is None:
            return {"none": {}}
        if isinstance(value, bool):
            return {"flag": {"on": value}}
        if isinstance(value, int):
            return {"integer": {"number": value}}
        if isinstance(value, float):
            return {"real": {"number": value}}
        if isinstance(value, (list, tuple)):
            return self._list_content(list(value))
        return {"text": {"text": str(value).removeprefix("torch.")}}

    def _list_content(self, values: list[Any]) -> dict[str, Any]:
        if any(isinstance(x, Node) for x in values):
            return {"values": {"names": ["" if x is None else self.names[x] for x in values]}}
        if all(isinstance(x, int) for x in values):
            return {"integers": {"numbers": [int(x) for x in values]}}
        return {"text": {"text": json.dumps(values)}}

    def _output(self, node: Any) -> str:
        if not isinstance(node, Node):
            raise TraceRefused(f"forward returns {node!r}, which is no tensor")
        return self.names[node]

    # -- figures

    def _flops(self, node: Node, call: Node) -> int:
        first = min(user.args[1] for user in call.users if user in self.live) if node is not call else 0
        if _is_view(call) or (node is not call and node.args[1] != first):
            return 0
        counted = _counted_flops(call)
        if counted is not None:
            return counted
        return max(n.meta["val"].numel() for n in [node, *call.all_input_nodes] if self._is_tensor(n))

    @staticmethod
    def _is_tensor(node: Node) -> bool:
        return isinstance(node.meta.get("val"), torch.Tensor)

    def _floor_bytes(self) -> int:
        """Values read once, as far as they are used, and results written once; what is only a view costs nothing."""
        memo: dict[Node, int] = {}
        values = [n for n in self.module.graph.nodes if n.op in ("placeholder", "get_attr") and n in self.live]
        read = sum(self._elements_read(n, memo) * n.meta["val"].element_size() for n in values)
        written = {n for n in self._returned() if isinstance(n, Node) and self._root(n).op == "call_function"}
        written |= {n for n in self.live if n.op == "call_function" and self._writes(n)}
        return read + sum(_elements(n.meta["val"]) * n.meta["val"].element_size() for n in written)

    def _root(self, node: Node) -> Node:
        """What a view looks at, in the end."""
        while node.op == "call_function" and (_is_getitem(node) or _is_view(node)):
            owner = node.all_input_nodes[0]
            if _is_getitem(node) and not _is_view(owner):
                return node
            node = owner
        return node

    def _elements_read(self, node: Node, memo: dict[Node, int]) -> int:
        if node not in memo:
            reads = sum(self._elements_read_by(user, node, memo) for user in node.users if user in self.live)
            own = node.meta.get("val")
            memo[node] = min(reads, _elements(own)) if isinstance(own, torch.Tensor) else reads
        return memo[node]

    def _elements_read_by(self, user: Node, node: Node, memo: dict[Node, int]) -> int:
        if user.op == "output":
            return 0
        if _is_getitem(user) or _is_view(user):
            return self._elements_read(user, memo)
        if self._writes(user) and user.args[0] is node:
            return 0
        if _operator_name(user).removeprefix("aten.") in PARTIAL_READS and user.args[0] is node:
            return _elements(user.meta["val"])
        return _elements(node.meta["val"])


def _counted_flops(call: Node) -> int | None:
    """By the formulas of torch's flop counter: matmul, convolution, attention. None where it has none."""
    try:
        from torch.utils.flop_counter import flop_registry
    except ImportError:
        return None
    formula = flop_registry.get(getattr(call.target, "overloadpacket", None))
    if formula is None:
        return None

    def tensor(node: Node) -> Any:
        return node.meta.get("val")

    args, kwargs = torch.fx.node.map_arg((call.args, dict(call.kwargs)), tensor)
    return int(formula(*args, **kwargs, out_val=call.meta.get("val")))
