"""Models become op graphs: what is recorded, and what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "devices" / "worker"))

from kernelmesh_worker.trace import TraceRefused, trace_model  # noqa: E402

Graph = dict[str, Any]


class Applied(nn.Module):
    """A module of a plain function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def traced(function: Any, *inputs: Any) -> Graph:
    return trace_model(Applied(function), list(inputs), "case")


def ops(graph: Graph) -> list[str]:
    return [node["op"] for node in graph["nodes"]]


def value(graph: Graph, name: str) -> dict[str, Any]:
    return next(x for x in graph["values"] if x["name"] == name)


def argument(node: dict[str, Any], name: str) -> Any:
    return next((x["content"] for x in node["arguments"] if x["name"] == name), None)


# -- operators stay recognisable ---------------------------------------------------------------------------------------

ACTIVATIONS = {
    "relu": (torch.relu, ["aten.relu"]),
    "leaky_relu": (F.leaky_relu, ["aten.leaky_relu"]),
    "elu": (F.elu, ["aten.elu"]),
    "selu": (torch.selu, ["aten.elu"]),
    "gelu": (F.gelu, ["aten.gelu"]),
    "softplus": (F.softplus, ["aten.softplus"]),
    "hardtanh": (F.hardtanh, ["aten.hardtanh"]),
    "hardsigmoid": (F.hardsigmoid, ["aten.hardsigmoid"]),
    "silu": (F.silu, ["aten.silu"]),
    "mish": (F.mish, ["aten.mish"]),
    "softsign": (lambda x: x / (1 + torch.abs(x)), ["aten.abs", "aten.add", "aten.div"]),
    "log_softmax": (lambda x: torch.log_softmax(x, 1), ["aten._log_softmax"]),
    "layer_norm": (lambda x: F.layer_norm(x, (8,)), ["aten.native_layer_norm"]),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_composite_operator_is_not_taken_apart(name: str) -> None:
    function, wanted = ACTIVATIONS[name]
    assert ops(traced(function, torch.randn(4, 8))) == wanted


def test_arguments_have_the_names_of_the_schema_and_defaults_are_absent() -> None:
    graph = traced(lambda x: F.softplus(F.gelu(x, approximate="tanh"), beta=2), torch.randn(3))
    gelu, softplus = graph["nodes"]
    assert gelu["arguments"] == [
        {"name": "self", "content": {"value": {"name": "input_0"}}},
        {"name": "approximate", "content": {"text": {"text": "tanh"}}},
    ]
    assert argument(softplus, "beta") == {"integer": {"number": 2}}
    assert argument(softplus, "threshold") is None
    assert gelu["overload"] == "default"


def test_a_cast_names_the_dtype_and_no_device() -> None:
    (cast,) = traced(lambda x: x.to(torch.float16), torch.randn(3))["nodes"]
    assert [x["name"] for x in cast["arguments"]] == ["self", "dtype"]
    assert argument(cast, "dtype") == {"text": {"text": "float16"}}
    assert cast["output"]["dtype"] == "float16"


# -- what goes in ------------------------------------------------------------------------------------------------------


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.randn(8, 1, 1))
        self.register_buffer("shift", torch.randn(8, 1, 1))
        self.offset = torch.randn(1, 5)
        self.table = [torch.randn(5)]

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x * self.scale + self.shift) - self.offset + self.table[0]


def test_parameters_buffers_and_plain_attributes_are_named_by_their_path() -> None:
    model = Chain()
    offset = model.offset
    graph = trace_model(nn.Sequential(model), [torch.randn(2, 8, 4, 5)], "chain")
    found = {x["name"]: (x["origin"], x["path"]) for x in graph["values"]}
    assert found == {
        "input_0": ("input", ""),
        "p_0_scale": ("parameter", "0.scale"),
        "b_0_shift": ("buffer", "0.shift"),
        "c_0_offset": ("constant", "0.offset"),
        "c_0_table_0": ("constant", "0.table.0"),
    }
    assert ops(graph) == ["aten.mul", "aten.add", "aten.relu", "aten.sub", "aten.add"]
    assert value(graph, "p_0_scale")["spec"] == {"dtype": "float32", "shape": [8, 1, 1], "strides": [1, 1, 1]}
    assert model.offset is offset


def test_two_inputs_have_their_place_in_the_list() -> None:
    graph = traced(lambda x, y: y - x, torch.randn(3), torch.randn(2, 3))
    (node,) = graph["nodes"]
    assert argument(node, "self") == {"value": {"name": "input_1"}}
    assert value(graph, "input_1")["index"] == 1
    assert node["output"]["shape"] == [2, 3]


def test_a_scalar_input_is_a_constant_with_its_number() -> None:
    graph = traced(lambda x, s: x * s, torch.randn(3), 3.14)
    assert argument(graph["nodes"][0], "other") == {"real": {"number": 3.14}}
    scalar = value(graph, "input_1")
    assert (scalar["origin"], scalar["index"], scalar["number"]) == ("constant", 1, 3.14)


def test_a_number_that_forward_makes_a_tensor_is_a_constant() -> None:
    graph = traced(lambda x: x * torch.tensor(0.5), torch.randn(3))
    assert ops(graph) == ["aten.mul"]
    local = value(graph, "c_local")
    assert (local["number"], local["spec"]["shape"]) == (0.5, [])


def test_other_inputs_that_hold_no_tensor_are_passed_on() -> None:
    graph = traced(lambda x, dims, keep: x.sum(dims, keepdim=keep), torch.randn(3, 4, 5), [0, 2], True)
    (node,) = graph["nodes"]
    assert argument(node, "dim") == {"integers": {"numbers": [0, 2]}}
    assert node["output"]["shape"] == [1, 4, 1]


def test_tied_parameters_are_one_value() -> None:
    model = nn.Sequential(nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False))
    model[1].weight = model[0].weight
    graph = trace_model(model, [torch.randn(2, 4)], "tied")
    assert [x["path"] for x in graph["values"]] == ["", "0.weight"]


def test_a_dtype_holds_for_weights_and_inputs_but_not_for_plain_attributes() -> None:
    graph = trace_model(Chain(), [torch.randn(2, 8, 4, 5)], "chain", "float16")
    dtypes = {x["name"]: x["spec"]["dtype"] for x in graph["values"]}
    assert dtypes["input_0"] == dtypes["p_scale"] == dtypes["b_shift"] == "float16"
    assert dtypes["c_offset"] == "float32"
    assert graph["nodes"][-1]["output"]["dtype"] == "float32"


# -- more than pointwise -----------------------------------------------------------------------------------------------


def test_linear_with_bias_is_a_product_with_its_flops() -> None:
    graph = trace_model(nn.Linear(16, 32), [torch.randn(8, 16)], "linear")
    assert ops(graph) == ["aten.t", "aten.addmm"]
    transposed, product = graph["nodes"]
    assert transposed["output"] == {"dtype": "float32", "shape": [16, 32], "strides": [1, 16]}
    assert transposed["flops"] == 0
    assert product["flops"] == graph["flops"] == 2 * 8 * 16 * 32
    assert graph["floor_bytes"] == 4 * (8 * 16 + 16 * 32 + 32 + 8 * 32)


def test_a_convolution_stays_one_with_its_flops() -> None:
    graph = trace_model(nn.Conv2d(3, 6, 3, padding=1), [torch.randn(2, 3, 10, 10)], "conv")
    (node,) = graph["nodes"]
    assert (node["op"], node["flops"]) == ("aten.convolution", 2 * 2 * 6 * 10 * 10 * 3 * 9)
    assert argument(node, "padding") == {"integers": {"numbers": [1, 1]}}
    assert argument(node, "transposed") == {"flag": {"on": False}}


def test_batch_norm_in_train_mode_shows_the_buffers_it_changes() -> None:
    graph = trace_model(nn.BatchNorm1d(6), [torch.randn(8, 6)], "norm")
    assert graph["training"] is True
    norm = next(x for x in graph["nodes"] if "batch_norm" in x["op"])
    assert argument(norm, "training") == {"flag": {"on": True}}
    assert argument(norm, "running_mean") == {"value": {"name": "b_running_mean"}}
    written = [argument(x, "self")["value"]["name"] for x in graph["nodes"] if x["op"] == "aten.copy_"]
    assert "b_num_batches_tracked" in written


def test_eval_mode_is_recorded_and_dropout_leaves_nothing() -> None:
    model = nn.Sequential(nn.Dropout(0.5), nn.ReLU()).eval()
    graph = trace_model(model, [torch.randn(4)], "dropout")
    assert graph["training"] is False
    assert ops(graph) == ["aten.relu"]


def test_of_an_operator_with_several_results_each_that_is_used_is_a_node() -> None:
    graph = traced(lambda x: torch.max(x, 1), torch.randn(4, 8))
    assert [(x["op"], x["overload"], x["result"]) for x in graph["nodes"]] == [
        ("aten.max", "dim", 0),
        ("aten.max", "dim", 1),
    ]
    assert [x["output"]["dtype"] for x in graph["nodes"]] == ["float32", "int64"]
    assert [x["flops"] for x in graph["nodes"]] == [32, 0]
    pooled = traced(lambda x: F.max_pool1d(x, 2), torch.randn(1, 4, 8))
    assert ops(pooled).count("aten.max_pool2d_with_indices") == 1


# -- values, not places ------------------------------------------------------------------------------------------------


def test_operators_that_work_in_place_become_values() -> None:
    def forward(x: Tensor) -> Tensor:
        y = x * 2
        y += 1
        y[:, :2].relu_()
        return y

    graph = traced(forward, torch.randn(4, 8))
    assert ops(graph) == ["aten.mul", "aten.add", "aten.slice", "aten.relu", "aten.slice_scatter"]


def test_an_input_that_is_written_ends_with_a_copy() -> None:
    graph = traced(lambda x: x.mul_(2.0), torch.randn(4))
    assert ops(graph) == ["aten.mul", "aten.copy_"]
    assert argument(graph["nodes"][1], "self") == {"value": {"name": "input_0"}}


def test_two_outputs_one_of_them_the_input() -> None:
    graph = traced(lambda x: {"a": [torch.exp(x)], "b": x}, torch.randn(4))
    assert graph["outputs"] == ["exp", "input_0"]
    assert graph["floor_bytes"] == 2 * 16


def test_work_that_nothing_needs_is_left_out() -> None:
    def forward(x: Tensor) -> Tensor:
        torch.exp(x)
        return torch.relu(x.detach())

    assert ops(traced(forward, torch.randn(4))) == ["aten.relu"]


def test_strides_are_those_of_eager() -> None:
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    graph = traced(torch.relu, x)
    assert graph["nodes"][0]["output"]["strides"] == list(torch.relu(x).stride())
    assert value(graph, "input_0")["spec"]["strides"] == [60, 1, 15, 3]


def test_the_floor_counts_only_what_a_slice_reads() -> None:
    graph = traced(lambda x: x[:, :2] * 2, torch.randn(4, 8))
    assert graph["floor_bytes"] == 4 * (4 * 2 + 4 * 2)


def test_the_floor_counts_repeated_elements_once() -> None:
    graph = traced(torch.relu, torch.randn(4, 1).expand(4, 8))
    assert graph["floor_bytes"] == 4 * (4 + 32)


# -- the whole ---------------------------------------------------------------------------------------------------------


def test_the_same_task_gives_the_same_graph() -> None:
    graphs = [json.dumps(trace_model(Chain(), [torch.randn(2, 8, 4, 5)], "chain")) for _ in range(2)]
    assert graphs[0] == graphs[1]


def test_tensors_larger_than_any_memory_are_traced() -> None:
    graph = traced(torch.relu, torch.empty(1 << 20, 1 << 20, device="meta"))
    assert graph["floor_bytes"] == 2 * (1 << 42)
    with FakeTensorMode():
        model, x = nn.Linear(1 << 20, 1 << 20), torch.randn(1 << 10, 1 << 20)
    assert trace_model(model, [x], "large")["flops"] == 2 * (1 << 50)


def test_names_are_unique_identifiers_and_arguments_are_known() -> None:
    graph = trace_model(nn.Sequential(Chain(), nn.BatchNorm2d(8)), [torch.randn(2, 8, 4, 5)], "names")
    names = [x["name"] for x in graph["values"]]
    for node in graph["nodes"]:
        used = [x["content"]["value"]["name"] for x in node["arguments"] if "value" in x["content"]]
        assert set(used) <= set(names)
        names.append(node["name"])
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


# -- refused -----------------------------------------------------------------------------------------------------------


def branches(x: Tensor) -> Tensor:
    return x * 2 if x.sum() > 0 else x


def fails(x: Tensor) -> Tensor:
    raise ValueError("no such\nthing")


def leaves(x: Tensor) -> Tensor:
    sys.exit(3)


def gives_up(x: Tensor) -> Tensor:
    raise BaseException("enough")


def test_complex_tensors_are_in_the_graph_for_what_is_said_of_their_operators() -> None:
    graph = traced(lambda x: torch.fft.rfft(x).abs(), torch.randn(3, 8))
    assert ops(graph) == ["aten._fft_r2c", "aten.abs"]
    assert [x["output"]["dtype"] for x in graph["nodes"]] == ["complex64", "float32"]


@pytest.mark.parametrize(
    ("function", "inputs", "why"),
    [
        (branches, [torch.randn(3)], "depends on the values of tensors"),
        (lambda x: x * x.max().item(), [torch.randn(3)], "depends on the values of tensors"),
        (lambda x: x[x > 0], [torch.randn(3)], "depends on the values of tensors"),
        (fails, [torch.randn(3)], "ValueError: no such thing"),
        (leaves, [torch.randn(3)], "SystemExit: 3"),
        (gives_up, [torch.randn(3)], "BaseException: enough"),
        (lambda x, y: x @ y, [torch.randn(3, 4), torch.randn(3, 4)], "could not be traced"),
        (lambda x: (x, 3), [torch.randn(3)], "returns 3, which is no tensor"),
        (lambda xs: xs[0], [[torch.randn(3)]], "input 0 is a list that holds tensors"),
        (lambda x: x.to_dense(), [torch.eye(3).to_sparse()], "not strided"),
    ],
)
def test_a_model_that_has_no_op_graph_is_refused_with_the_reason(function: Any, inputs: list[Any], why: str) -> None:
    with pytest.raises(TraceRefused, match=why):
        traced(function, *inputs)


def test_something_that_is_no_module_is_refused() -> None:
    with pytest.raises(TraceRefused, match=r"not a torch.nn.Module"):
        trace_model(torch.relu, [torch.randn(3)], "function")  # type: ignore[arg-type]
