"""What the C++ side takes each pointwise operator to mean, compared with PyTorch in float64.

Each case is traced, sent with special values to the program expression_eval, and must give what PyTorch gives.
KERNELMESH_BUILD names the folder of the program, build/dev if unset.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "devices" / "worker"))

from kernelmesh_worker.trace import trace_model  # noqa: E402

PROGRAM = ROOT / os.environ.get("KERNELMESH_BUILD", "build/dev") / "expression_eval"
INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, NAN, INF, -INF, 5e-324, -5e-324, 2.2e-308, -2.2e-308, 1e300, -1e300, 1.7e308, -1.7e308]
# Around every threshold that an operator has by default, and where exp and tanh leave the range of double.
EDGES = [0.5, -0.5, 1.0, -1.0, 2.0, 3.0, -3.0, 6.0, -6.0, 20.0, 20.000000000000004, 19.999999999999996, -20.0, 30.0]
ORDINARY = [0.1, -0.1, 0.7, -0.9, 1.5, -1.5, 2.5, -2.5, 5.3, -5.3, 1e-9, -1e-9, 1e-3, 40.0, -40.0, 709.0, -745.0, 800.0]
X = torch.tensor(SPECIAL + EDGES + ORDINARY, dtype=torch.float64)

UNARY: dict[str, Callable[[Tensor], Any]] = {
    "neg": torch.neg,
    "abs": torch.abs,
    "square": torch.square,
    "sign": torch.sign,
    "sgn": torch.sgn,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log": torch.log,
    "log2": torch.log2,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "erf": torch.erf,
    "tanh": torch.tanh,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "frac": torch.frac,
    "round": torch.round,
    "add scalar": lambda x: x + 1.5,
    "add alpha": lambda x: torch.add(x, 2.0, alpha=3),
    "sub scalar": lambda x: x - 1.5,
    "rsub": lambda x: 2.0 - x,
    "rsub alpha": lambda x: torch.rsub(x, 2.0, alpha=0.5),
    "mul scalar": lambda x: x * 3,
    "div scalar": lambda x: x / 3.0,
    "scalar div": lambda x: 3.0 / x,
    "div trunc": lambda x: torch.div(x, 3.0, rounding_mode="trunc"),
    "clamp": lambda x: torch.clamp(x, -1.0, 2.0),
    "clamp min": lambda x: torch.clamp(x, min=-1.0),
    "clamp max": lambda x: torch.clamp(x, max=2),
    "clamp crossed": lambda x: torch.clamp(x, 2.0, 1.0),
    "clamp nan": lambda x: torch.clamp(x, NAN, 1.0),
    "clamp_min": lambda x: torch.clamp_min(x, 0.5),
    "clamp_max": lambda x: torch.clamp_max(x, 0.5),
    **{f"pow {p}": (lambda x, p=p: x**p) for p in (0, 1, 2, 3, 4, 5, -1, -2, -3, 0.5, -0.5, 1.5, 1 / 3, INF)},
    **{f"base {b}": (lambda x, b=b: b**x) for b in (2.0, 0.5, 0.0, -1.0)},
    "relu": torch.relu,
    "relu6": F.relu6,
    "leaky_relu": F.leaky_relu,
    "leaky_relu 0.2": lambda x: F.leaky_relu(x, 0.2),
    "leaky_relu 0": lambda x: F.leaky_relu(x, 0.0),
    "prelu": lambda x: F.prelu(x, torch.full((1,), 0.3, dtype=torch.float64)),
    "elu": F.elu,
    "elu 0.3": lambda x: F.elu(x, 0.3),
    "selu": F.selu,
    "celu": F.celu,
    "celu 0.7": lambda x: F.celu(x, 0.7),
    "sigmoid": torch.sigmoid,
    "log_sigmoid": F.logsigmoid,
    "gelu": F.gelu,
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "new gelu": lambda x: 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0)))),
    "softplus": F.softplus,
    "softplus 2 10": lambda x: F.softplus(x, beta=2, threshold=10),
    "mish": F.mish,
    "silu": F.silu,
    "swish": lambda x: x * torch.sigmoid(x),
    "hardtanh": F.hardtanh,
    "hardtanh 0 3": lambda x: F.hardtanh(x, 0.0, 3.0),
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "softsign": lambda x: x / (1 + torch.abs(x)),
    "softsign F": F.softsign,
    "tanhshrink": F.tanhshrink,
    "softshrink": F.softshrink,
    "hardshrink": F.hardshrink,
    "threshold": lambda x: F.threshold(x, 0.5, -3.0),
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
    "logical_not": torch.logical_not,
    "bitwise_not": lambda x: ~(x > 0),
    "gt scalar": lambda x: x > 0.5,
    "eq scalar": lambda x: x == 0,
    "where scalar": lambda x: torch.where(x > 0, x, 0.0),
    "where scalars": lambda x: torch.where(x > 0, 1.0, -2.0).to(torch.float64),
    "masked_fill": lambda x: x.masked_fill(x > 0, -7.0),
    "mask product": lambda x: x * (x > 0),
    "bool sum": lambda x: (x > 0) + (x > 1),
    "clone": torch.clone,
    "contiguous": lambda x: x.contiguous() * 1,
    "detach": lambda x: x.detach() + 0,
    "to float16": lambda x: x.to(torch.float16),
    "to bfloat16": lambda x: x.to(torch.bfloat16).double(),
    "to float32": lambda x: x.float().double(),
    "to bool": lambda x: x.bool(),
    "full_like": lambda x: torch.full_like(x, 2.5) + x,
    "zeros_like": lambda x: torch.zeros_like(x) + x,
    "constant": lambda x: x * torch.tensor(0.25, dtype=torch.float64),
    "dropout in eval mode": lambda x: F.dropout(x, 0.5, training=False) + 0,
    "in place": lambda x: x.clone().mul_(2.0).add_(1.0),
    "zeroed": lambda x: x.clone().zero_(),
}

BINARY: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "add": torch.add,
    "add alpha": lambda a, b: torch.add(a, b, alpha=0.5),
    "sub": torch.sub,
    "sub alpha": lambda a, b: torch.sub(a, b, alpha=2),
    "mul": torch.mul,
    "div": torch.div,
    "minimum": torch.minimum,
    "maximum": torch.maximum,
    "max of two": torch.max,
    "clamp tensors": lambda a, b: torch.clamp(a, min=b),
    "pow": torch.pow,
    "gt": torch.gt,
    "lt": torch.lt,
    "ge": torch.ge,
    "le": torch.le,
    "eq": torch.eq,
    "ne": torch.ne,
    "where": lambda a, b: torch.where(a > b, a, b),
    "xlogy": torch.xlogy,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "bitwise_and": lambda a, b: (a > 0) & (b > 0),
    "bitwise_or": lambda a, b: (a > 0) | (b > 0),
    "addcmul": lambda a, b: torch.addcmul(a, a, b, value=0.5),
    "addcdiv": lambda a, b: torch.addcdiv(a, a, b, value=0.5),
    "lerp": lambda a, b: torch.lerp(a, b, 0.25),
    "lerp far": lambda a, b: torch.lerp(a, b, 0.75),
    "two results": lambda a, b: (torch.relu(a) + b, a * b),
}


class Case(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


def json_number(x: float) -> float | str:
    if math.isnan(x):
        return "NaN"
    return x if math.isfinite(x) else ("Infinity" if x > 0 else "-Infinity")


def json_ready(x: Any) -> Any:
    """Non-finite numbers as the wire's JSON writes them."""
    if isinstance(x, dict):
        return {key: json_ready(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [json_ready(value) for value in x]
    return json_number(x) if isinstance(x, float) else x


def evaluated(function: Callable[..., Any], inputs: list[Tensor]) -> list[list[float]]:
    graph = trace_model(Case(function), inputs, "case")
    operands = {f"input_{i}": x.reshape(-1).tolist() for i, x in enumerate(inputs)}
    for value in graph["values"]:
        assert value["origin"] == "input" or value["number"] is not None
    asked = json.dumps(json_ready({"graph": graph, "operands": operands}))
    done = subprocess.run([str(PROGRAM)], input=asked, capture_output=True, text=True, timeout=60, check=True)
    answer = json.loads(done.stdout)
    assert answer["refused"] == ""
    return [[float(x) for x in answer["results"][name]] for name in graph["outputs"]]


def agree(got: float, wanted: float, tolerance: float) -> bool:
    if math.isnan(wanted) or math.isnan(got):
        return math.isnan(wanted) and math.isnan(got)
    if wanted == 0 and got == 0:
        return math.copysign(1, got) == math.copysign(1, wanted)
    return got == wanted or abs(got - wanted) <= tolerance * abs(wanted) + 1e-307


def compare(function: Callable[..., Any], inputs: list[Tensor], tolerance: float = 1e-13, signed: bool = True) -> None:
    """signed: whether zeros must have the same sign."""
    wanted = function(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    got = evaluated(function, inputs)
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted, strict=True):
        expected = other.double().reshape(-1).tolist()
        pairs = zip(*(x.reshape(-1).tolist() for x in inputs), one, expected, strict=True)
        wrong = [p for p in pairs if not (agree(*p[-2:], tolerance) or (not signed and p[-2] == 0 and p[-1] == 0))]
        assert not wrong, f"inputs, ours, PyTorch's: {wrong[:8]}"


# Of two numbers that nearly cancel, PyTorch's vectorised kernels keep less than the formula does.
LOOSE = {"gelu": 1e-10, "gelu tanh": 1e-10, "new gelu": 1e-10, "tanhshrink": 1e-10}
# PyTorch's own kernels do not agree about these zeros: scalar and vectorised ones give either.
EITHER_ZERO = ("softshrink", "minimum", "maximum", "max of two", "clamp tensors")
# PyTorch may fuse product and sum here, which shows where the product alone leaves the range of double.
FUSED = ("add alpha", "sub alpha", "addcmul", "lerp", "lerp far")


@pytest.mark.parametrize("name", UNARY)
def test_a_unary_operator_means_what_it_means_in_pytorch(name: str) -> None:
    compare(UNARY[name], [X], LOOSE.get(name, 1e-13), signed=name not in EITHER_ZERO)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_a_periodic_function_means_what_it_means_in_pytorch(name: str) -> None:
    compare(getattr(torch, name), [X], 1e-12)


@pytest.mark.parametrize("name", BINARY)
def test_a_binary_operator_means_what_it_means_in_pytorch(name: str) -> None:
    in_range = (X == 0) | ((X.abs() > 1e-300) & (X.abs() < 1e305)) | ~X.isfinite()
    values = X[in_range] if name in FUSED else X
    first, second = (t.reshape(-1).contiguous() for t in torch.meshgrid(values, values, indexing="ij"))
    compare(BINARY[name], [first, second], signed=name not in EITHER_ZERO)


def test_operands_are_broadcast_as_in_pytorch() -> None:
    a = torch.arange(24, dtype=torch.float64).reshape(2, 3, 4) - 7
    b = torch.tensor([[1.0], [2.0], [-3.0]], dtype=torch.float64)
    c = torch.tensor([0.5, -1.0, 2.0, 4.0], dtype=torch.float64)
    wanted = torch.relu(a * b + torch.exp(c))
    (got,) = evaluated(lambda x, y, z: torch.relu(x * y + torch.exp(z)), [a, b, c])
    assert got == pytest.approx(wanted.reshape(-1).tolist(), rel=1e-14)


def test_the_comparison_notices_another_meaning() -> None:
    with pytest.raises(AssertionError, match="inputs, ours"):
        wanted = iter([torch.relu, torch.abs])
        compare(lambda x: next(wanted)(x), [X])
