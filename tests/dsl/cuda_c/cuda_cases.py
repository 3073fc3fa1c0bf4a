"""Models whose kernels are written in cuda_c: compiled in CI, run and held against torch where there is a GPU.

Rendering needs kernel_writer and torch's tracer. A machine with a GPU but without a build takes what
`python tests/dsl/cuda_c/cuda_cases.py FOLDER` has written elsewhere, from the folder in KERNELMESH_GPU_CASES.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[3]
DEVICE = {
    "name": "cuda:0",
    "kind": "cuda",
    "model": "NVIDIA H100",
    "arch": "sm_90a",
    "limits": {
        "threads_a_block": 1024,
        "shared_memory_bytes_a_block": 232448,
        "registers_a_block": 65536,
        "multiprocessors": 132,
    },
}
FP32, FP16, BF16, FP64 = torch.float32, torch.float16, torch.bfloat16, torch.float64
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1e-42, -1e-42, 88.8, -88.8, 3e38, -3e38, 0.5, -0.5, 1.5, 2.5, 20.0]


class Function(nn.Module):
    """A function as a model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> Any:
        return self.function(*inputs)


@dataclass(frozen=True)
class Case:
    """`inputs` makes them on the CPU; `special` values stand among them."""

    name: str
    model: Callable[[], nn.Module]
    inputs: Callable[[], list[Tensor]]
    knobs: dict[str, Any] = field(default_factory=dict)


def randn(*shape: int, dtype: torch.dtype = FP32, special: bool = False, seed: int = 3) -> Tensor:
    generator = torch.Generator().manual_seed(seed + len(shape))
    x = torch.randn(shape, generator=generator, dtype=FP32)
    if special and x.numel():
        flat = x.view(-1)
        for i in range(0, flat.numel(), max(1, flat.numel() // 64)):
            flat[i] = SPECIAL[i % len(SPECIAL)]
    return x.to(dtype)


UNARY: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "mish": functional.mish,
    "softplus": functional.softplus,
    "elu": functional.elu,
    "selu": functional.selu,
    "hardtanh": functional.hardtanh,
    "hardswish": functional.hardswish,
    "hardsigmoid": functional.hardsigmoid,
    "leaky_relu": functional.leaky_relu,
    "sigmoid": torch.sigmoid,
    "softsign": functional.softsign,
    "tanh": torch.tanh,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "abs": torch.abs,
    "clamp": lambda x: x.clamp(-0.5, 1.0),
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "floor": torch.floor,
    "round": torch.round,
    "erf": torch.erf,
    "log1p": torch.log1p,
    "expm1": torch.expm1,
    "sin": torch.sin,
    "cos": torch.cos,
    "negative": torch.neg,
}


def several(*functions: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *inputs: tuple(function(*inputs) for function in functions)


def of(function: Callable[..., Any], *inputs: Any, **more: Any) -> Callable[[], nn.Module]:
    return functools.partial(Function, function)


def maps() -> list[Case]:
    """Element-wise chains."""
    unary = several(*UNARY.values())
    cases = [
        Case("unary", of(unary), lambda: [randn(513, special=True)]),
        Case("unary_bf16", of(unary), lambda: [randn(512, dtype=BF16, special=True)]),
        Case("unary_fp16", of(unary), lambda: [randn(512, dtype=FP16, special=True)]),
        Case("unary_fp64", of(several(torch.relu, torch.tanh)), lambda: [randn(33, dtype=FP64, special=True)]),
        Case("relu_odd", of(torch.relu), lambda: [randn(1000003)]),
        Case("relu_empty", of(torch.relu), lambda: [randn(0, 4)]),
        Case("relu_scalar", of(torch.relu), lambda: [randn()]),
        Case("bias", of(lambda x, b: torch.tanh(x + b)), lambda: [randn(128, 512), randn(512)]),
        Case("bias_odd", of(lambda x, b: torch.relu(x + b)), lambda: [randn(128, 4095), randn(4095)]),
        Case("bias_short", of(lambda x, b: x * b), lambda: [randn(70, 6), randn(6)]),
        Case("channel", of(lambda x, b: x * b + 1), lambda: [randn(8, 3, 5, 7), randn(3, 1, 1)]),
        Case("channel_even", of(lambda x, b: x * b + 1), lambda: [randn(8, 6, 16, 16), randn(6, 1, 1)]),
        Case("outer", of(lambda a, b: a / b), lambda: [randn(33, 1, special=True), randn(1, 65, special=True)]),
        Case("gaps", of(lambda x: x * 2), lambda: [randn(16, 24)[:, ::2]]),
        Case("extremes", of(several(torch.maximum, torch.minimum, torch.mul)),
             lambda: [randn(512, special=True), randn(512, special=True, seed=9)]),
        Case("compare", of(several(lambda x, y: x > y, lambda x, y: x == y, lambda x, y: torch.where(x < y, x, y * 2))),
             lambda: [randn(300, special=True), randn(300, special=True, seed=5)]),
        Case("integers", of(several(lambda x: x > 3, lambda x: x.float() * 0.5)), lambda: [torch.arange(-20, 50)]),
        Case("truths", of(lambda m, x: torch.where(m, x, -x)), lambda: [randn(100) > 0, randn(100)]),
        Case("mixed", of(lambda x, y: x.float() + y), lambda: [randn(96, dtype=BF16), randn(96)]),
        Case("to_half", of(lambda x: (x * 3).half()), lambda: [randn(200, special=True)]),
    ]  # fmt: skip
    for knobs in ({"vector": 1}, {"vector": 8, "items": 8}, {"waves": 1, "block": 1024}, {"streaming_stores": "on"}):
        name = "gelu_" + "_".join(f"{key}{value}" for key, value in knobs.items())
        cases.append(Case(name, of(functional.gelu), lambda: [randn(77, 1003)], knobs))
    return cases


LAST: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1, keepdim=True),
    "amax": lambda x: x.amax(-1),
    "max": lambda x: x.max(-1),
    "argmin": lambda x: x.argmin(-1),
    "logsumexp": lambda x: x.logsumexp(-1),
    "var": lambda x: x.var(-1, unbiased=False),
    "norm": lambda x: x.norm(dim=-1),
    "any": lambda x: (x > 2.5).any(-1),
}
BACK: dict[str, Callable[[Tensor], Any]] = {
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "normalize": lambda x: functional.normalize(x, dim=-1),
    "layer_norm": lambda x: functional.layer_norm(x, x.shape[-1:]),
    "centred": lambda x: x - x.mean(-1, keepdim=True),
}
TEAMS: list[dict[str, Any]] = [
    {"team": "warp"},
    {"team": "block", "keep": "registers"},
    {"team": "block", "keep": "shared", "threads": 128},
    {"team": "block", "keep": "off", "threads": 256, "items": 1},
    {"team": "cluster"},
    {"team": "split"},
]


def rows() -> list[Case]:
    """Reductions along rows."""
    cases = []
    for shape in ((70, 33), (4, 6, 5, 3), (5, 4096), (2, 100000), (300, 1024), (1, 65535), (3, 1)):
        size = "x".join(map(str, shape))
        for name in ("sum", "max", "var"):
            cases.append(Case(f"{name}_{size}", of(LAST[name]), functools.partial(_one, *shape)))
        for name in ("softmax", "layer_norm"):
            cases.append(Case(f"{name}_{size}", of(BACK[name]), functools.partial(_one, *shape)))
    for knobs in TEAMS:
        team = "_".join(map(str, knobs.values()))
        for name, function in (LAST | BACK).items():
            cases.append(Case(f"{name}_{team}", of(function), functools.partial(_one, 9, 2052), knobs))
    for dtype in (FP16, BF16, FP64):
        for name in ("sum", "argmin", "softmax", "layer_norm"):
            made = functools.partial(_one, 40, 1000, dtype=dtype)
            cases.append(Case(f"{name}_{str(dtype)[6:]}", of((LAST | BACK)[name]), made))
    special = functools.partial(_one, 64, 200, special=True)
    for name in ("sum", "amax", "max", "argmin", "logsumexp", "softmax", "layer_norm"):
        cases.append(Case(f"{name}_special", of((LAST | BACK)[name]), special))
    return cases + whole_tensors() + modules()


FIRST: dict[str, Callable[[Tensor], Any]] = {
    "sum": lambda x: x.sum(1),
    "mean": lambda x: (x * 2 + 1).mean(1),
    "min": lambda x: x.min(1),
    "argmax": lambda x: x.argmax(1, keepdim=True),
    "var": lambda x: x.var(1, unbiased=False),
    "softmax": lambda x: x.softmax(1),
    "rms": lambda x: x / torch.sqrt(torch.mean(x**2, dim=1, keepdim=True) + 1e-5),
    "centred": lambda x: (x - x.mean(1, keepdim=True)) / x.std(1, unbiased=False, keepdim=True),
    "maxima": lambda x: x.amax(1).mean(),
}
DEPTHS: list[dict[str, Any]] = [
    {"deep": 1, "split": "off"},
    {"deep": 8, "vector": 1, "split": "off", "keep": "off"},
    {"split": "on", "deep": 4},
    {"vector": 1, "threads": 128, "items": 2},
]


def columns() -> list[Case]:
    """Reductions over outer dimensions, and what reduces nothing."""
    cases = []
    for name, function in FIRST.items():
        for shape in ((3, 70, 33), (16, 64, 256), (2, 5000, 24), (1, 7, 1)):
            size = "x".join(map(str, shape))
            cases.append(Case(f"column_{name}_{size}", of(function), functools.partial(_one, *shape)))
        for knobs in DEPTHS:
            how = "_".join(map(str, knobs.values()))
            cases.append(Case(f"column_{name}_{how}", of(function), functools.partial(_one, 5, 200, 68), knobs))
        special = functools.partial(_one, 4, 40, 64, special=True)
        cases.append(Case(f"column_{name}_special", of(function), special))
        half = functools.partial(_one, 8, 100, 64, dtype=BF16)
        cases.append(Case(f"column_{name}_bf16", of(function), half))
    images = functools.partial(_one, 8, 6, 20, 22)
    return cases + [
        Case("turned", of(lambda x, y: x.t() + y), lambda: [randn(64, 48), randn(48, 64)]),
        Case("rows_first", of(lambda x: x.sum(0)), functools.partial(_one, 100000, 8)),
        Case("batch_eval", lambda: drawn(nn.BatchNorm2d(6)).eval(), images),
        Case("batch_module", lambda: drawn(nn.BatchNorm2d(6)), images),
        Case("short_rows", of(lambda x: x.softmax(-1)), functools.partial(_one, 400, 5)),
        Case("cross_entropy", of(functional.cross_entropy), lambda: [randn(128, 10), torch.arange(128) % 10]),
    ]


def _one(*shape: int, **how: Any) -> list[Tensor]:
    return [randn(*shape, **how)]


def whole_tensors() -> list[Case]:
    """To one number, and losses."""
    two = functools.partial(_two, 200, 300)
    return [
        Case("sum_all", of(lambda x: x.sum()), functools.partial(_one, 1000, 1000)),
        Case("mean_all", of(lambda x: (x * 2).mean()), functools.partial(_one, 17, 33)),
        Case("max_all", of(lambda x: x.max()), functools.partial(_one, 1000, 999)),
        Case("argmax_all", of(lambda x: x.argmax()), functools.partial(_one, 300, 1000)),
        Case("frobenius", of(lambda x: x / x.norm()), functools.partial(_one, 700, 900)),
        Case("integers_sum", of(lambda x: x.sum(-1)), lambda: [torch.arange(40).view(4, 10)]),
        Case("mse", of(functional.mse_loss), two),
        Case("smooth_l1", of(functional.smooth_l1_loss), two),
        Case("hinge", of(lambda x, y: torch.mean(torch.clamp(1 - x * y, min=0))), two),
        Case("cosine", of(lambda x, y: 1 - functional.cosine_similarity(x, y, dim=1).mean()), two),
        Case("kl", of(lambda x, y: functional.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean")), two),
        Case("mean_of_maxima", of(lambda x: x.amax(-1).mean()), functools.partial(_one, 5000, 65)),
    ]


def _two(*shape: int) -> list[Tensor]:
    return [randn(*shape), randn(*shape, seed=8)]


def drawn(module: nn.Module) -> nn.Module:
    """With weights that are not where they begin."""
    generator = torch.Generator().manual_seed(4)
    for x in module.parameters():
        x.data = torch.rand(x.shape, generator=generator) + 0.5
    return module


def modules() -> list[Case]:
    """Norms with weights, and one that changes its buffers."""
    images = functools.partial(_one, 8, 6, 20, 22)
    return [
        Case("layer_module", lambda: drawn(nn.LayerNorm((20, 22))), images),
        Case("layer_wide", lambda: drawn(nn.LayerNorm(4096)), functools.partial(_one, 33, 4096)),
        Case("layer_far", lambda: drawn(nn.LayerNorm(4096)), lambda: [randn(33, 4096) * 0.01 + 1000]),
        Case("group_module", lambda: drawn(nn.GroupNorm(3, 6)), images),
        Case("instance_module", lambda: drawn(nn.InstanceNorm2d(6, affine=True)), images),
    ]


def timed() -> list[Case]:
    """Large ones, for times."""

    def large(*shape: int, dtype: torch.dtype = FP32) -> Callable[[], list[Tensor]]:
        return lambda: [torch.empty(shape, dtype=dtype)]  # drawn on the device

    cases = []
    for dtype in (FP32, BF16):
        kind = str(dtype)[6:]
        for name in ("relu", "gelu", "softsign"):
            cases.append(Case(f"time_{name}_{kind}", of(UNARY[name]), large(4096, 65536, dtype=dtype)))
        for name, (r, c) in {"softmax": (4096, 16384), "layer_norm": (16384, 4096)}.items():
            cases.append(Case(f"time_{name}_{kind}", of(BACK[name]), large(r, c, dtype=dtype)))
        cases.append(Case(f"time_sum_{kind}", of(LAST["sum"]), large(16384, 16384, dtype=dtype)))
    for name, shape in (("sum", (64, 2048, 2048)), ("argmax", (64, 2048, 2047)), ("rms", (64, 64, 65536))):
        cases.append(Case(f"time_column_{name}", of(FIRST[name]), large(*shape)))
    cases.append(Case("time_turned", of(lambda x: x.t() * 2), large(16384, 8192)))
    cases.append(Case("time_layer_long", of(lambda x: functional.layer_norm(x, x.shape[1:])), large(16, 64, 65536)))
    cases.append(Case("time_instance", of(lambda x: functional.instance_norm(x)), large(64, 64, 32768)))
    cases.append(Case("time_softmax_long", of(BACK["softmax"]), large(1024, 393216)))
    cases.append(Case("time_softmax_short", of(BACK["softmax"]), large(1 << 18, 512)))
    cases.append(Case("time_sum_all", of(lambda x: x.sum()), large(16384, 16384)))
    cases.append(Case("time_bias_odd", of(lambda x: torch.relu(x * 2 + 1)), large(16384, 4095)))
    return cases


def write(case: Case, folder: Path, reference: dict[str, Any] | None = None) -> str:
    """Sources, manifest.json and export.py in the folder; what the coder said."""
    for path in (ROOT / "devices" / "worker", ROOT / "tests" / "dsl" / "cpp"):
        if str(path) not in sys.path:
            sys.path.insert(0, str(path))
    import map_kernels
    from kernelmesh_worker.trace import trace_model

    graph = trace_model(case.model(), case.inputs(), case.name)
    return map_kernels.write(
        folder, _in_json(graph), case.knobs, reference=reference, language="cuda_c", device=DEVICE
    ).strip()


def _in_json(x: Any) -> Any:
    """Infinities as FORMS.md has them."""
    if isinstance(x, dict):
        return {key: _in_json(value) for key, value in x.items()}
    if isinstance(x, list):
        return [_in_json(value) for value in x]
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
    return x


def main(folder: Path) -> int:
    """Writes all; how many could not be."""
    failed = 0
    for case in maps() + rows() + columns() + timed():
        said = write(case, folder / case.name)
        if not (folder / case.name / "manifest.json").exists():
            print(f"{case.name}: {said}")
            failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
