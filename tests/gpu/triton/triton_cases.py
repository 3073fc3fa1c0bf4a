"""Models whose Triton kernels are held against torch: triton_cases.py FOLDER writes a candidate for each, which needs
no GPU; test_triton.py runs them."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[3]
LIMITS = {"multiprocessors": 132, "threads_a_block": 1024, "shared_memory_bytes_a_block": 232448}
H100 = {"name": "cuda:0", "kind": "cuda", "arch": "sm_90a", "limits": LIMITS}
HALF, BRAIN, WIDE = torch.float16, torch.bfloat16, torch.float64


class Function(nn.Module):
    """Functions of the same tensors as a model: all their results in one tuple."""

    def __init__(self, *functions: Callable[..., Any]) -> None:
        super().__init__()
        self.functions = functions

    def forward(self, *inputs: torch.Tensor) -> Any:
        made = [y for f in self.functions for y in listed(f(*inputs))]
        return made[0] if len(made) == 1 else tuple(made)


def listed(x: Any) -> list[torch.Tensor]:
    return list(x) if isinstance(x, (tuple, list)) else [x]


@dataclass
class Case:
    """`inputs` are shapes, or shapes with a dtype; `timed` ones are large."""

    name: str
    model: Callable[[], nn.Module]
    inputs: list[Any]
    knobs: dict[str, Any] = field(default_factory=dict)
    timed: bool = False
    special: bool = False  # NaN, infinities and zeros among the numbers
    flops: float = 0
    recipes: list[str] = field(default_factory=list)

    def tensors(self, device: str) -> list[torch.Tensor]:
        return [self._tensor(x, device) for x in self.inputs]

    def _tensor(self, x: Any, device: str) -> torch.Tensor:
        shape, dtype = x if len(x) == 2 and isinstance(x[0], tuple) else (x, torch.float32)
        if device == "meta":  # pages that are never touched
            return torch.empty(shape, dtype=dtype)
        if dtype == torch.bool:
            return torch.rand(shape, device=device) > 0.3
        if not dtype.is_floating_point:
            return torch.randint(0, 50, shape, dtype=dtype, device=device)
        made = torch.randn(shape, device=device).to(dtype)
        if self.special:
            values = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 1e-30, 88.0, -104.0, 1e30, 0.5])
            flat = made.reshape(-1)
            flat[: len(values)] = values.to(dtype).to(device)[: flat.numel()]
        return made


def several(name: str, functions: list[Callable[..., Any]], *inputs: Any, **more: Any) -> Case:
    return Case(name, lambda: Function(*functions), list(inputs), **more)


POINTWISE: list[Callable[..., Any]] = [
    lambda x: functional.relu(x),
    lambda x: functional.gelu(x),
    lambda x: functional.gelu(x, approximate="tanh"),
    lambda x: functional.silu(x) * 2 - 1,
    lambda x: functional.mish(x),
    lambda x: functional.softplus(x),
    lambda x: functional.elu(x),
    lambda x: functional.selu(x),
    lambda x: functional.leaky_relu(x, 0.01),
    lambda x: functional.hardtanh(x),
    lambda x: torch.tanh(x) / (1 + x * x),
    lambda x: torch.exp(x),
    lambda x: torch.expm1(x),
    lambda x: torch.log(x),
    lambda x: torch.log1p(x),
    lambda x: torch.sqrt(x),
    lambda x: torch.erf(x),
    lambda x: torch.pow(x.abs(), 0.3),
    lambda x: torch.pow(x, 3),
    lambda x: torch.sin(x) + torch.cos(x),
    lambda x: torch.floor(x) + torch.round(x) - torch.ceil(x),
    lambda x: torch.trunc(x),
    lambda x: -x,
    lambda x: 1 / x,
    lambda x: torch.clamp(x, -0.5, 0.5),
    lambda x: torch.where(x > 0, x, x * 0.1),
]
ROWS: list[Callable[..., Any]] = [
    lambda x: x.sum(-1),
    lambda x: x.mean(-1, keepdim=True),
    lambda x: x.amax(-1),
    lambda x: x.max(-1),
    lambda x: x.argmin(-1),
    lambda x: x.logsumexp(-1),
    lambda x: x.var(-1, unbiased=False),
    lambda x: x.norm(dim=-1),
    lambda x: (x > 0).sum(-1),
]
COLUMNS: list[Callable[..., Any]] = [
    lambda x: x.sum(0),
    lambda x: x.amin(0),
    lambda x: x.argmax(0),
    lambda x: x.var(0),
    lambda x: (x * 2 + 1).mean(0),
]
ALL: list[Callable[..., Any]] = [
    lambda x: x.sum(),
    lambda x: x.mean(),
    lambda x: x.max(),
    lambda x: x.argmax(),
    lambda x: x.norm(),
    lambda x: x.std(),
]
BACK: list[Callable[..., Any]] = [
    lambda x: x.softmax(-1),
    lambda x: x.log_softmax(-1),
    lambda x: functional.normalize(x, dim=-1),
    lambda x: functional.layer_norm(x, x.shape[-1:]),
    lambda x: x - x.mean(-1, keepdim=True),
]
LOSSES: list[Callable[..., Any]] = [
    lambda a, b: functional.mse_loss(a, b),
    lambda a, b: functional.smooth_l1_loss(a, b),
    lambda a, b: functional.kl_div(a, b.softmax(1), reduction="batchmean"),
    lambda a, b: functional.cosine_similarity(a, b).mean(),
    lambda a, b: functional.cross_entropy(a, b.softmax(1)),
]


def norm(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    def made() -> nn.Module:
        module = make()
        for parameter in module.parameters():
            nn.init.normal_(parameter)
        return module

    return made


class Linear(nn.Module):
    """A layer with what follows it."""

    def __init__(self, inner: int, outer: int) -> None:
        super().__init__()
        self.layer = nn.Linear(inner, outer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.gelu(self.layer(x) * 0.5) + 1


def product(name: str, m: int, n: int, k: int, scheme: str, **knobs: Any) -> Case:
    more = {"scheme": scheme} | knobs
    return several(name, [lambda a, b: a @ b], (m, k), (k, n), knobs=more, timed=True, flops=2.0 * m * n * k)


def right_cases() -> list[Case]:
    """Many forms, small."""
    return pointwise_cases() + reduction_cases() + norm_cases() + shaped_cases() + divided_cases() + right_products()


def pointwise_cases() -> list[Case]:
    return [
        several("pointwise", POINTWISE, (1000, 33)),
        several("hardswish", [functional.hardswish], (100, 33)),  # in float64 torch multiplies by a float's sixth
        several("pointwise_special", POINTWISE, (7, 33), special=True),
        several("pointwise_half", POINTWISE[:12], ((100, 33), HALF)),
        several("pointwise_brain", POINTWISE[:12], ((100, 33), BRAIN)),
        several("pointwise_wide", POINTWISE, ((50, 33), WIDE)),
        several("broadcast", [lambda a, b, c: (a + b) * c], (4, 5, 6, 7), (6, 1), (5, 1, 7)),
        several("turned", [lambda a, b: a.t() * b], (70, 50), (50, 70)),
        several("types", [lambda a, b: (a > 0.5) & (b < 25), lambda a, b: a * b], (60, 70), ((60, 70), torch.int64)),
        several("masked", [lambda a, m: a.masked_fill(m, 0)], (60, 70), ((60, 70), torch.bool)),
        several("scalar", [lambda a: a.sum() * 2 + 1], (3, 4)),
        several("empty", [lambda a: a * 2 + 1], (0, 5)),
    ]


def reduction_cases() -> list[Case]:
    return [
        several("empty_rows", [lambda a: a.sum(1), lambda a: a.mean(1)], (3, 0)),
        several("no_rows", [lambda a: a.softmax(1), lambda a: a.norm(dim=1).mean()], (0, 5)),
        several("integers", [lambda n: n.sum(1), lambda n: n.amax(1)], ((30, 50), torch.int64)),
        several("bools", [lambda b: b.sum(1), lambda b: b.any(0), lambda b: b.all()], ((9, 20), torch.bool)),
        several("losses", LOSSES, (60, 900), (60, 900)),
        several("classes", [lambda x, t: functional.cross_entropy(x, t)], (60, 90), ((60,), torch.int64)),
        several("vector", [lambda m, v: m @ v], (50, 3000), (3000,)),
        several("masks", [lambda x: torch.tril(x), lambda x: torch.triu(x, 1).sum(-1)], (30, 30)),
        several("means_of_rows", [lambda x: x.amax(1).mean(), lambda x: x.norm(dim=1).sum()], (3000, 70)),
    ]


def norm_cases() -> list[Case]:
    divided = {"split": "on", "longest": 1024, "block": 1024}
    return [
        Case("layer_norm", norm(lambda: nn.LayerNorm((5, 30))), [(4, 6, 5, 30)]),
        Case("group_norm", norm(lambda: nn.GroupNorm(2, 6)), [(4, 6, 5, 30)]),
        Case("instance_norm", norm(lambda: nn.InstanceNorm2d(6)), [(4, 6, 50, 30)]),
        Case("batch_norm", norm(lambda: nn.BatchNorm2d(6)), [(4, 6, 50, 30)]),
        Case("batch_norm_divided", norm(lambda: nn.BatchNorm2d(3)), [(4, 3, 300, 301)], divided),
    ]


def shaped_cases() -> list[Case]:
    cases = []
    for shape in ((70, 33), (3, 5000), (2, 3, 4, 40), (5, 70001)):
        name = "x".join(map(str, shape))
        cases += [
            several(f"rows_{name}", ROWS, shape),
            several(f"columns_{name}", COLUMNS, shape),
            several(f"all_{name}", ALL, shape),
            several(f"back_{name}", BACK, shape),
        ]
    return cases


def divided_cases() -> list[Case]:
    cases = []
    for split in ("on", "off"):
        divided = {"split": split, "longest": 1024, "block": 1024, "tile": 1024}
        cases += [
            several(f"rows_{split}", ROWS, (6, 9001), knobs=divided),
            several(f"rows_special_{split}", ROWS, (6, 9001), knobs=divided, special=True),
            several(f"columns_{split}", COLUMNS, (9001, 12), knobs=divided),
            several(f"all_{split}", ALL, (90, 1001), knobs=divided),
            several(f"back_{split}", BACK, (6, 9001), knobs=divided),
        ]
    cases += [
        several("rows_special", ROWS, (5, 40), special=True),
        several("columns_special", COLUMNS, (40, 5), special=True),
        several("rows_half", ROWS[:3] + ROWS[5:], ((40, 700), HALF)),
        several("back_brain", BACK, ((40, 700), BRAIN)),
        several("back_wide", BACK, ((40, 700), WIDE)),
        several("rows_wide", ROWS, ((40, 700), WIDE)),
    ]
    return cases


def plain(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def right_products() -> list[Case]:
    cases = []
    for scheme in ("planes", "tf32x3", "bf16x6", "bf16x3", "ieee"):
        for loads in ("pointers", "descriptors") if scheme == "planes" else ("pointers",):
            more = {"scheme": scheme, "loads": loads}
            cases += [
                several(f"odd_{scheme}_{loads}", [plain], (300, 177), (177, 233), knobs=more),
                several(f"special_{scheme}_{loads}", [plain], (300, 177), (177, 233), knobs=more, special=True),
                several(f"turned_{scheme}_{loads}", [lambda a, b: a.t() @ b.t()], (177, 300), (233, 177), knobs=more),
                several(f"batch_{scheme}_{loads}", [torch.bmm], (3, 100, 70), (3, 70, 90), knobs=more),
                several(f"tril_{scheme}_{loads}", [lambda a, b: torch.tril(a @ b)], (200, 200), (200, 200), knobs=more),
                Case(f"linear_{scheme}_{loads}", lambda: Linear(200, 150), [(130, 200)], more),
            ]
    cases += [
        several("product_half", [lambda a, b: a @ b], ((100, 200), HALF), ((200, 300), HALF)),
        several("product_wide", [lambda a, b: a @ b], ((100, 200), WIDE), ((200, 90), WIDE)),
        several("prologue", [lambda a, b: torch.relu(a) @ b.exp()], (100, 200), (200, 90), knobs={"scheme": "planes"}),
        several("scales", [lambda a, b: (a * 1e-20) @ (b * 1e18)], (128, 128), (128, 128), knobs={"scheme": "planes"}),
    ]
    return cases


def rms_norm(x: torch.Tensor) -> torch.Tensor:
    return x / torch.sqrt((x * x).mean(1, keepdim=True) + 1e-5)


def timed_cases() -> list[Case]:
    """Large ones, as KernelBench has them."""
    big = (16384, 8192)
    cases = [
        several("t_relu", [torch.relu], big, timed=True),
        several("t_relu_streamed", [torch.relu], big, timed=True, knobs={"stores": "streaming", "loads": "once"}),
        several("t_relu_2048", [torch.relu], big, timed=True, knobs={"block": 2048}),
        several("t_chain", [lambda x, b: functional.gelu(x * 2 + b) * torch.sigmoid(x)], big, (8192,), timed=True),
        several("t_softmax_4096", [lambda x: x.softmax(-1)], (16384, 4096), timed=True),
        several("t_softmax_16384", [lambda x: x.softmax(-1)], (4096, 16384), timed=True),
        several("t_softmax_65536", [lambda x: x.softmax(-1)], (2048, 65536), timed=True),
        several("t_softmax_1m", [lambda x: x.softmax(-1)], (64, 1 << 20), timed=True),
        several("t_sum_rows", [lambda x: x.sum(-1)], big, timed=True),
        several("t_argmax_rows", [lambda x: x.argmax(-1)], big, timed=True),
        several("t_sum_columns", [lambda x: x.sum(1)], (128, 4096, 255), timed=True),
        several("t_mse", [lambda a, b: functional.mse_loss(a, b)], big, big, timed=True),
        several("t_cross_entropy", [functional.cross_entropy], (32768, 4096), ((32768,), torch.int64), timed=True),
        Case("t_layer_norm", norm(lambda: nn.LayerNorm((64, 256, 256))), [(16, 64, 256, 256)], timed=True),
        Case("t_batch_norm", norm(lambda: nn.BatchNorm2d(64)), [(16, 64, 256, 256)], timed=True),
        Case("t_group_norm", norm(lambda: nn.GroupNorm(8, 64)), [(16, 64, 256, 256)], timed=True),
        several("t_rms_norm", [rms_norm], (16, 64, 256, 256), timed=True),
    ]
    return cases + timed_products()


def timed_products() -> list[Case]:
    cases = []
    for scheme, knobs in (
        ("planes", {}),
        ("planes", {"loads": "descriptors"}),
        ("planes", {"warps": 4}),
        ("planes", {"block_n": 256, "block_k": 32, "stages": 4}),
        ("planes", {"stages": 2}),
        ("tf32x3", {"block_k": 32}),
        ("tf32x3", {"block_k": 32, "warps": 4, "block_m": 64}),
        ("bf16x3", {"block_k": 32}),
        ("bf16x6", {"block_k": 32}),
        ("ieee", {"block_k": 16, "warps": 4}),
    ):
        ending = "_".join(str(x) for x in knobs.values())
        cases.append(product(f"t_mm_{scheme}_{ending}", 4096, 4096, 4096, scheme, **knobs))
    cases.append(product("t_mm_deep", 1024, 8192, 8192, "planes"))
    cases.append(product("t_mm_auto_1024", 1024, 1024, 1024, "auto"))
    return cases


def write(case: Case, folder: Path, program: Path) -> str:
    """The candidate's files; what was said, empty where all is well."""
    sys.path.insert(0, str(ROOT / "devices" / "worker"))
    from kernelmesh_worker.trace import trace_model

    torch.manual_seed(1)
    graph = trace_model(case.model(), case.tensors("meta"), case.name)
    folder.mkdir(parents=True, exist_ok=True)
    asked = {"language": "triton", "graph": in_json(graph), "others": [], "knobs": case.knobs, "recipes": case.recipes}
    asked |= {"allow_library_calls": False, "reference": None, "device": H100}
    done = subprocess.run(
        [program, ROOT / "dsl", folder], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 and (folder / "export.py").exists() else done.stdout + done.stderr


def in_json(x: Any) -> Any:
    """Infinities as the op graph's form has them."""
    if isinstance(x, dict):
        return {key: in_json(value) for key, value in x.items()}
    if isinstance(x, list):
        return [in_json(value) for value in x]
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
    return x


def writer() -> Path | None:
    """The program in $KERNELMESH_BUILD, else in the build folder that was written last."""
    folders = [Path(os.environ["KERNELMESH_BUILD"])] if "KERNELMESH_BUILD" in os.environ else ROOT.glob("build/*")
    programs = [folder / "kernel_writer" for folder in folders if (folder / "kernel_writer").exists()]
    return max(programs, key=lambda program: program.stat().st_mtime, default=None)


def main() -> None:
    program = writer()
    if program is None:
        sys.exit("kernel_writer is not built")
    for case in right_cases() + timed_cases():
        said = write(case, Path(sys.argv[1], case.name), program)
        if said:
            print(f"{case.name}: {said.strip()}")


if __name__ == "__main__":
    main()
