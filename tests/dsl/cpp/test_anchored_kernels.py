"""Pools, scans, depthwise convolutions and products with what stands around them, against torch in float64."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import map_kernels
import pytest
import torch
import torch.nn.functional as F
import traced_kernels
from torch import nn

pytestmark = pytest.mark.skipif(map_kernels.writer() is None, reason="kernel_writer is not built")

Make = Callable[[], list[torch.Tensor]]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    torch.manual_seed(3)


def special(*shape: int) -> torch.Tensor:
    """Random numbers with NaN, both infinities and negative zeros among them."""
    x = torch.randn(*shape)
    flat = x.view(-1)
    flat[5], flat[17], flat[40] = float("nan"), float("inf"), float("-inf")
    flat[50:60] = -0.0
    return x


def shifted(x: torch.Tensor, axis: int) -> torch.Tensor:
    """KernelBench's exclusive sum."""
    head = torch.cumsum(x.narrow(axis, 0, x.size(axis) - 1), axis)
    return torch.cat((torch.zeros_like(x.select(axis, 0).unsqueeze(axis)), head), axis)


SCANS: dict[str, tuple[Callable[..., Any], Make]] = {
    "rows with special values": (lambda x: x.cumsum(-1), lambda: [special(6, 7, 133)]),
    "columns": (lambda x: x.cumsum(1), lambda: [special(6, 70, 33)]),
    "narrow columns": (lambda x: x.cumsum(0), lambda: [special(300, 5)]),
    "short rows": (lambda x: x.cumsum(-1), lambda: [special(300, 5)]),
    "a product of rows longer than a tile": (lambda x: x.cumprod(1), lambda: [torch.rand(3, 1500) * 0.2 + 0.9]),
    "a maximum": (lambda x: x.cummax(-1)[0], lambda: [special(4, 60)]),
    "a minimum of columns": (lambda x: x.cummin(0)[0], lambda: [special(10, 60)]),
    "a log-sum-exp": (lambda x: x.logcumsumexp(-1), lambda: [special(4, 60)]),
    "reversed": (lambda x: x.flip(1).cumsum(1).flip(1), lambda: [special(3, 700)]),
    "exclusive": (lambda x: shifted(x, 1), lambda: [torch.randn(3, 700)]),
    "exclusive columns": (lambda x: shifted(x, 0), lambda: [torch.randn(30, 70)]),
    "shifted afterwards": (
        lambda x: torch.cat([torch.zeros(3, 1), x.cumsum(1)[:, :-1]], 1) * 2,
        lambda: [torch.randn(3, 700)],
    ),
    "masked": (lambda x, m: (x * m).cumsum(1), lambda: [torch.randn(3, 700), torch.randn(3, 700) > 0]),
    "surrounded": (
        lambda x, w: F.relu((x.exp() * w).cumsum(1) - 3) * w,
        lambda: [torch.randn(3, 700), torch.randn(700)],
    ),
    "a view": (
        lambda x: x.view(5, 10, 20).transpose(1, 2).cumsum(1).reshape(5, -1),
        lambda: [torch.randn(5, 200)],
    ),
    "few long rows": (lambda x: x.cumsum(0), lambda: [torch.randn(100003)]),
    "wide integers": (lambda x: x.cumsum(1), lambda: [torch.randint(-(2**60), 2**60, (3, 99))]),
    "small integers": (lambda x: x.cumprod(1), lambda: [torch.randint(-4, 4, (3, 99), dtype=torch.int32)]),
    "truths": (lambda x: (x > 0).cumsum(1), lambda: [torch.randn(3, 99)]),
    "float64": (lambda x: x.cumsum(1), lambda: [torch.randn(3, 99, dtype=torch.float64)]),
    "float16": (lambda x: x.cumsum(1), lambda: [torch.randn(3, 99).half()]),
    "bfloat16": (lambda x: x.cumsum(0), lambda: [torch.randn(30, 99).bfloat16()]),
    "to float64": (lambda x: x.cumsum(1, dtype=torch.float64), lambda: [torch.randn(3, 99)]),
    "nothing": (lambda x: x.cumsum(1), lambda: [torch.randn(0, 9)]),
    "gaps": (lambda x: x.cumsum(1), lambda: [torch.randn(40, 50)[:, ::3]]),
    "repeated elements": (lambda x: x.cumsum(1), lambda: [torch.randn(40, 1).expand(40, 50)]),
    "a shuffled order": (lambda x: x.cumsum(2), lambda: [torch.randn(2, 3, 4, 5, 6).permute(3, 1, 0, 4, 2)]),
}

POOLS: dict[str, tuple[Callable[..., Any], Make]] = {
    "long dilated windows": (lambda x: F.max_pool1d(x, 8, 1, 4, 3), lambda: [special(2, 3, 701)]),
    "a batch of none": (lambda x: F.max_pool1d(x, 2), lambda: [special(3, 64)]),
    "stride 1": (lambda x: F.max_pool2d(x, 4, 1, 1), lambda: [special(2, 3, 33, 47)]),
    "stride 2": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), lambda: [special(2, 3, 32, 47)]),
    "three dimensions": (lambda x: F.max_pool3d(x, (2, 3, 3), 2, 1, 2), lambda: [special(2, 3, 9, 10, 21)]),
    "an average": (lambda x: F.avg_pool2d(x, 11), lambda: [torch.randn(2, 3, 40, 70)]),
    "an average without padding": (
        lambda x: F.avg_pool3d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
        lambda: [torch.randn(2, 3, 9, 10, 20)],
    ),
    "a divisor": (lambda x: F.avg_pool2d(x, 3, 2, 1, divisor_override=5), lambda: [torch.randn(2, 3, 9, 70)]),
    "an adaptive average": (lambda x: F.adaptive_avg_pool2d(x, (11, 47)), lambda: [torch.randn(2, 3, 33, 47)]),
    "surrounded": (
        lambda x, w: F.relu(F.avg_pool2d(x.tanh() * w, 3, 1, 1) + w[:, :, :1, :1]),
        lambda: [torch.randn(2, 3, 20, 47), torch.randn(1, 3, 1, 47)],
    ),
    "channels last": (
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda: [special(2, 3, 20, 30).to(memory_format=torch.channels_last)],
    ),
    "a transposed view": (lambda x: F.avg_pool2d(x.transpose(2, 3), 3, 2, 1) * 2, lambda: [torch.randn(2, 3, 20, 30)]),
    "float64": (lambda x: F.avg_pool2d(x, 3, 2, 1), lambda: [torch.randn(2, 3, 9, 30, dtype=torch.float64)]),
    "float16": (lambda x: F.avg_pool2d(x, 3, 2, 1), lambda: [torch.randn(2, 3, 9, 30).half()]),
    "bfloat16": (lambda x: F.max_pool2d(x, 3, 2, 1), lambda: [torch.randn(2, 3, 9, 30).bfloat16()]),
    "nothing": (lambda x: F.avg_pool2d(x, 3, 2, 1), lambda: [torch.randn(0, 3, 9, 30)]),
}


class Surrounded(nn.Module):
    """A depthwise convolution between pointwise operators with a parameter for each channel."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(6, 6, 3, 1, 1, groups=6)
        self.scale = nn.Parameter(torch.randn(6, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu6(self.conv(torch.sin(x) * self.scale) + self.scale) * 2


def image(*shape: int) -> torch.Tensor:
    return torch.randn(*(shape or (2, 6, 33, 47)))


CONVOLUTIONS: dict[str, tuple[Callable[[], nn.Module], Make]] = {
    "no padding": (lambda: nn.Conv2d(6, 6, 3, groups=6, bias=False), lambda: [image()]),
    "several channels of one": (lambda: nn.Conv2d(6, 12, 3, padding=1, groups=6), lambda: [image()]),
    "an oblong window": (lambda: nn.Conv2d(6, 6, (3, 7), groups=6), lambda: [image()]),
    "stride and dilation": (lambda: nn.Conv2d(6, 6, 5, 3, 2, 2, groups=6), lambda: [image()]),
    "one dimension": (lambda: nn.Conv1d(3, 3, 5, padding=2, groups=3), lambda: [image(2, 3, 1501)]),
    "three dimensions": (lambda: nn.Conv3d(3, 6, 3, 1, 1, groups=3), lambda: [image(2, 3, 7, 9, 21)]),
    "one channel": (lambda: nn.Conv2d(1, 4, 3, 1, 1), lambda: [image(2, 1, 9, 21)]),
    "float64": (lambda: nn.Conv2d(6, 6, 3, 2, 1, groups=6).double(), lambda: [image().double()]),
    "float16": (lambda: nn.Conv2d(6, 6, 3, 1, 1, groups=6).half(), lambda: [image().half()]),
    "bfloat16": (lambda: nn.Conv2d(6, 6, 3, 1, 1, groups=6).bfloat16(), lambda: [image().bfloat16()]),
    "channels last": (
        lambda: nn.Conv2d(6, 6, 3, 1, 1, groups=6),
        lambda: [image().to(memory_format=torch.channels_last)],
    ),
    "surrounded": (Surrounded, lambda: [image()]),
    "nothing": (lambda: nn.Conv2d(6, 6, 3, groups=6), lambda: [image(0, 6, 9, 9)]),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_a_depthwise_convolution_is_as_right_as_torch(case: str, tmp_path: Path) -> None:
    make_model, make = CONVOLUTIONS[case]
    traced_kernels.check(tmp_path / "conv", make_model(), *make())


class Layer(nn.Module):
    """A linear layer between pointwise operators."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(40, 50)
        self.scale = nn.Parameter(torch.randn(50))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.linear(torch.tanh(x))) * self.scale + torch.sigmoid(self.scale)


def matrices(*shapes: tuple[int, ...]) -> Make:
    return lambda: [torch.randn(*shape) for shape in shapes]


PRODUCTS: dict[str, tuple[Callable[..., Any], Make]] = {
    "several blocks": (lambda a, b: a @ b, matrices((301, 700), (700, 513))),
    "the left one transposed": (lambda a, b: a.T @ b, matrices((70, 65), (70, 81))),
    "the right one transposed": (lambda a, b: a @ b.T, matrices((65, 70), (81, 70))),
    "both transposed": (lambda a, b: a.T @ b.T, matrices((70, 65), (81, 70))),
    "a batch": (lambda a, b: a @ b.transpose(-1, -2), matrices((2, 3, 30, 40), (2, 3, 50, 40))),
    "a batch of rows": (lambda a, b: a @ b, matrices((3, 30, 40), (40, 50))),
    "an einsum": (lambda a, b: torch.einsum("bijl,lk->bijk", a, b), matrices((2, 3, 4, 5), (5, 6))),
    "something added": (
        lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2),
        matrices((50,), (30, 40), (40, 50)),
    ),
    "nothing added": (
        lambda c, a, b: torch.addmm((-c.exp()).log(), a, b, beta=0, alpha=2),
        matrices((50,), (30, 40), (40, 50)),
    ),
    "a batch added": (lambda c, a, b: torch.baddbmm(c, a, b), matrices((3, 30, 50), (3, 30, 40), (3, 40, 50))),
    "an upper triangle": (lambda a, b: torch.triu(a @ b), matrices((300, 300), (300, 300))),
    "a lower triangle": (lambda a, b: torch.tril(a @ b, -3), matrices((300, 200), (200, 310))),
    "one row": (lambda a, b: a @ b, matrices((1, 70), (70, 81))),
    "one column": (lambda a, b: a @ b, matrices((65, 70), (70, 1))),
    "a sum of one": (lambda a, b: a @ b, matrices((65, 1), (1, 81))),
    "a sum of none": (lambda a, b: a @ b, matrices((65, 0), (0, 81))),
    "nothing": (lambda a, b: a @ b, matrices((0, 5), (5, 81))),
    "a deep sum": (lambda a, b: a @ b, matrices((20, 20000), (20000, 30))),
    "special values": (lambda a, b: a @ b, lambda: [special(65, 70), torch.randn(70, 81)]),
    "float64": (lambda a, b: a @ b, lambda: [torch.randn(65, 70).double(), torch.randn(70, 81).double()]),
    "float16": (lambda a, b: a @ b, lambda: [torch.randn(65, 70).half(), torch.randn(70, 81).half()]),
    "bfloat16": (lambda a, b: a @ b, lambda: [torch.randn(65, 70).bfloat16(), torch.randn(70, 81).bfloat16()]),
}


@pytest.mark.parametrize("case", PRODUCTS)
def test_a_product_is_as_right_as_torch(case: str, tmp_path: Path) -> None:
    function, make = PRODUCTS[case]
    traced_kernels.check(tmp_path / "product", traced_kernels.Function(function), *make())


def test_a_linear_layer_takes_what_stands_around_it(tmp_path: Path) -> None:
    traced_kernels.check(tmp_path / "layer", Layer(), torch.randn(33, 40))


@pytest.mark.parametrize("seed", range(5))
def test_random_products_are_as_right_as_torch(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    m, n, k = (choose.randint(1, 150) for _ in range(3))
    left = torch.randn(k, m).T if choose.random() < 0.5 else torch.randn(m, k)
    right = torch.randn(n, k).T if choose.random() < 0.5 else torch.randn(k, n)
    model = traced_kernels.Function(lambda a, b: (a.abs() @ b).relu())
    knobs = {"block_m": 48, "block_n": 64, "block_k": 64, "streaming_stores": choose.choice(["on", "off"])}
    traced_kernels.check(tmp_path / "product", model, left, right, knobs=knobs)


@pytest.mark.parametrize("case", SCANS)
def test_a_scan_is_as_right_as_torch(case: str, tmp_path: Path) -> None:
    function, make = SCANS[case]
    traced_kernels.check(tmp_path / "scan", traced_kernels.Function(function), *make())


@pytest.mark.parametrize("case", POOLS)
def test_a_pool_is_as_right_as_torch(case: str, tmp_path: Path) -> None:
    function, make = POOLS[case]
    traced_kernels.check(tmp_path / "pool", traced_kernels.Function(function), *make())


def random_window(choose: random.Random) -> tuple[list[int], dict[str, Any]]:
    """A shape and the arguments of a pool that torch accepts."""
    rank = choose.choice([1, 2, 3])
    sizes = [choose.randint(8, 30) for _ in range(rank)]
    window = [choose.randint(1, min(7, size // 2)) for size in sizes]
    arguments: dict[str, Any] = {
        "kernel_size": window,
        "stride": [choose.randint(1, 4) for _ in sizes],
        "padding": [choose.randint(0, size // 2) for size in window],
        "ceil_mode": choose.random() < 0.5,
    }
    return [choose.randint(1, 3), choose.randint(1, 3), *sizes], arguments


@pytest.mark.parametrize("seed", range(8))
def test_random_windows_are_as_right_as_torch(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    shape, arguments = random_window(choose)
    kind = choose.choice(["max", "avg"])
    if kind == "avg":
        arguments["count_include_pad"] = choose.random() < 0.5
    pool = getattr(F, f"{kind}_pool{len(shape) - 2}d")
    knobs = {"tile": choose.choice([64, 128]), "rows": 4}
    model = traced_kernels.Function(lambda x: pool(x, **arguments))
    traced_kernels.check(tmp_path / "pool", model, torch.randn(*shape), knobs=knobs)


@pytest.mark.parametrize("seed", range(6))
def test_random_depthwise_convolutions_are_as_right_as_torch(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    rank, channels, multiplier = choose.choice([1, 2, 3]), choose.randint(1, 4), choose.randint(1, 3)
    each = [[choose.randint(low, high) for _ in range(rank)] for low, high in ((1, 5), (1, 3), (0, 4), (1, 2))]
    model = getattr(nn, f"Conv{rank}d")(channels, channels * multiplier, *each, groups=channels)
    x = torch.randn(choose.randint(1, 3), channels, *[choose.randint(12, 40) for _ in range(rank)])
    traced_kernels.check(tmp_path / "conv", model, x, knobs={"tile": choose.choice([64, 256]), "rows": 4})


@pytest.mark.parametrize("seed", range(6))
def test_random_scans_are_as_right_as_torch(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    shape = [choose.randint(1, 40) for _ in range(choose.randint(1, 4))]
    order = choose.sample(range(len(shape)), len(shape))
    axis = choose.randrange(len(shape))
    operator = choose.choice([torch.cumsum, torch.cumprod])
    model = traced_kernels.Function(lambda x: operator(x.permute(order).sin(), axis).abs())
    traced_kernels.check(tmp_path / "scan", model, torch.randn(*shape), knobs={"tile": 128})


@pytest.mark.parametrize("case", ["reversed", "columns", "surrounded"])
def test_streaming_stores_change_no_scan(case: str, tmp_path: Path) -> None:
    function, make = SCANS[case]
    knobs = {"streaming_stores": "on", "tile": 256}
    traced_kernels.check(tmp_path / "scan", traced_kernels.Function(function), *make(), knobs=knobs)


def test_other_strides_than_planned_are_copied_first(tmp_path: Path) -> None:
    function = traced_kernels.Function(lambda x: F.max_pool2d(x, 3, 2, 1))
    x = torch.randn(2, 3, 20, 30)
    made = traced_kernels.kernel(tmp_path / "pool", function, x)
    turned = torch.randn(30, 3, 20, 2).permute(3, 1, 2, 0)
    assert torch.equal(made(turned), function(turned))


def test_indices_and_unequal_windows_are_not_covered(tmp_path: Path) -> None:
    x = torch.randn(2, 3, 9, 10)
    indices = traced_kernels.Function(lambda x: F.max_pool2d(x, 2, return_indices=True))
    assert traced_kernels.said(tmp_path / "indices", indices, x).startswith("not covered: aten.max_pool2d_with_indices")
    unequal = traced_kernels.Function(lambda x: F.adaptive_avg_pool2d(x, 4))
    assert traced_kernels.said(tmp_path / "unequal", unequal, x).startswith("not covered: aten._adaptive_avg_pool2d")
    groups = nn.Conv2d(4, 8, 3, groups=2)
    assert traced_kernels.said(tmp_path / "groups", groups, torch.randn(1, 4, 9, 9)).startswith(
        "not covered: aten.convolution"
    )
