"""Reductions through tracing, planning and g++ against torch in float64: no worse than four times eager's error."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import map_kernels
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(map_kernels.ROOT / "devices" / "worker"))
from kernelmesh_worker.trace import trace_model  # noqa: E402

pytestmark = pytest.mark.skipif(map_kernels.writer() is None, reason="kernel_writer is not built")
Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    torch.manual_seed(11)


class Several(nn.Module):
    """Functions of the same tensors, all their results in one tuple."""

    def __init__(self, functions: list[Function]) -> None:
        super().__init__()
        self.functions = functions

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(flat(function(*inputs) for function in self.functions))


def flat(results: Any) -> Iterator[Tensor]:
    if isinstance(results, Tensor):
        yield results
        return
    for x in results:
        yield from flat(x)


def in_json(x: Any) -> Any:
    """Infinities as FORMS.md has them."""
    if isinstance(x, dict):
        return {key: in_json(value) for key, value in x.items()}
    if isinstance(x, list):
        return [in_json(value) for value in x]
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
    return x


def kernel(folder: Path, model: nn.Module, inputs: list[Tensor], knobs: dict[str, Any] | None = None) -> Any:
    said = map_kernels.write(folder, in_json(trace_model(model, inputs, "test")), knobs)
    assert (folder / "export.py").exists(), said
    made = map_kernels.load(folder).ModelNew()
    made.load_state_dict(model.state_dict())
    return made


def wide(x: Tensor) -> Tensor:
    return x.double() if x.is_floating_point() else x


def agree(got: Tensor, eager: Tensor, exact: Tensor) -> bool:
    """As near to the exact result as eager is, by a factor of four and two steps of the type (float64: of what torch
    gives, by some steps)."""
    if got.dtype != eager.dtype or got.shape != eager.shape:
        return False
    if not got.is_floating_point():
        return torch.equal(got, eager)
    finite = torch.isfinite(eager)
    if not torch.equal(got[~finite].nan_to_num(7), eager[~finite].nan_to_num(7)):
        return False
    error = (got.double() - exact.double()).abs()[finite]
    allowed = 4 * (eager.double() - exact.double()).abs()[finite].max() if finite.any() else torch.zeros(())
    few = 64 if got.dtype == torch.float64 else 2
    steps = few * torch.finfo(got.dtype).eps * exact.double().abs()[finite].max() if finite.any() else allowed
    return bool((error <= allowed + steps).all())


def check(folder: Path, model: nn.Module, inputs: list[Tensor], knobs: dict[str, Any] | None = None) -> None:
    exact_model, eager_model = copy.deepcopy(model).double(), copy.deepcopy(model)
    made = kernel(folder, model, inputs, knobs)
    with torch.no_grad():
        got = list(flat(made(*inputs)))
        exact = list(flat(exact_model(*map(wide, inputs))))
        eager = list(flat(eager_model(*inputs)))
    for i, results in enumerate(zip(got, eager, exact, strict=True)):
        assert agree(*results), (i, results)
    for name, buffer in made.named_buffers():
        assert torch.allclose(buffer, eager_model.get_buffer(name), rtol=1e-5, atol=1e-6), name


SHAPES = [
    (4, 6, 5, 3),
    (70, 33),
    (1,),
    *(pytest.param(x, marks=pytest.mark.long) for x in ((3, 300), (2, 1, 40), (2, 2, 1, 3, 2, 9))),
]
LAST: list[Function] = [
    lambda x: x.sum(-1),
    lambda x: x.mean(-1, keepdim=True),
    lambda x: x.amax(-1),
    lambda x: x.max(-1),
    lambda x: x.argmin(-1),
    lambda x: x.prod(-1),
    lambda x: x.logsumexp(-1),
    lambda x: x.var(-1, unbiased=False),
    lambda x: (x > 0).sum(-1),
    lambda x: (x > 0.5).any(-1),
]
FIRST: list[Function] = [
    lambda x: x.sum(0),
    lambda x: (x * 2 + 1).mean(0),
    lambda x: x.amin(0),
    lambda x: x.min(0)[1],
    lambda x: x.argmax(0, keepdim=True),
    lambda x: torch.linalg.vector_norm(x, 3, 0),
    lambda x: torch.linalg.vector_norm(x, math.inf, 0),
    lambda x: (x < 2).all(0),
    lambda x: torch.count_nonzero(x, 0),
]
EVERYTHING: list[Function] = [
    lambda x: x.sum(),
    lambda x: x.mean(),
    lambda x: x.max(),
    lambda x: x.argmax(),
    lambda x: x.norm(),
    lambda x: x.norm(p=1),
    lambda x: x.std(unbiased=False),
]
BACK: list[Function] = [
    lambda x: x.softmax(-1),
    lambda x: x.log_softmax(0),
    lambda x: functional.softmin(x, -1),
    lambda x: functional.normalize(x, dim=-1),
    lambda x: x / x.norm(p=1, dim=0, keepdim=True),
    lambda x: functional.layer_norm(x, x.shape[-1:]),
    lambda x: x - x.mean(),
]


@pytest.mark.parametrize("functions", [LAST, FIRST, EVERYTHING, BACK], ids=["last", "first", "everything", "back"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reductions_agree_with_torch(functions: list[Function], shape: tuple[int, ...], tmp_path: Path) -> None:
    check(tmp_path / "kernel", Several(functions), [torch.randn(shape)])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_types_are_accumulated_wider(dtype: torch.dtype, tmp_path: Path) -> None:
    functions: list[Function] = [
        lambda x: x.sum(-1),
        lambda x: x.mean(0),
        lambda x: x.softmax(-1),
        lambda x: x.var(-1),
        lambda x: x.argmax(-1),
    ]
    check(tmp_path / "kernel", Several(functions), [torch.randn(40, 700).to(dtype)])


def test_integers_and_bools_are_reduced_exactly(tmp_path: Path) -> None:
    functions: list[Function] = [lambda n: n.sum(), lambda n: n.sum(1), lambda n: n.amax(0), lambda n: n.argmin(1)]
    check(tmp_path / "integers", Several(functions), [torch.randint(-(2**60), 2**60, (30, 50))])
    check(
        tmp_path / "bools",
        Several([lambda b: b.sum(1), lambda b: b.any(0), lambda b: b.all()]),
        [torch.rand(9, 20) > 0.1],
    )


def test_ties_nan_and_infinities_come_out_as_in_torch(tmp_path: Path) -> None:
    nan, inf = math.nan, math.inf
    x = torch.tensor([[1, 3, 3, 2], [nan, 5, nan, 1], [inf, 1, inf, -inf], [-inf] * 4, [0.0, -0.0, 0.0, 0.0]]).repeat(
        1, 33
    )
    functions: list[Function] = [
        lambda x: x.max(1),
        lambda x: x.min(1),
        lambda x: x.argmax(0),
        lambda x: x.amin(0),
        lambda x: x.softmax(1),
        lambda x: x.logsumexp(1),
        lambda x: x.nansum(1),
        lambda x: x.mean(1),
        lambda x: x.var(1),
        lambda x: x.argmax(),
    ]
    check(tmp_path / "kernel", Several(functions), [x])


def test_reductions_over_nothing(tmp_path: Path) -> None:
    functions: list[Function] = [lambda x: x.sum(1), lambda x: x.prod(1), lambda x: x.mean(1), lambda x: x.logsumexp(1)]
    check(tmp_path / "inner", Several(functions), [torch.randn(3, 0)])
    functions = [lambda x: x.amax(1), lambda x: x.softmax(1), lambda x: x.sum(0), lambda x: x.norm(dim=1).mean()]
    check(tmp_path / "outer", Several(functions), [torch.randn(0, 5)])


MODULES: list[tuple[nn.Module, tuple[int, ...]]] = [
    (nn.LayerNorm((5, 30)), (4, 6, 5, 30)),
    (nn.GroupNorm(2, 6), (4, 6, 5, 30)),
    (nn.GroupNorm(3, 6), (40, 6)),
    (nn.InstanceNorm2d(6), (4, 6, 5, 30)),
    (nn.RMSNorm(30), (4, 6, 30)),
    (nn.BatchNorm2d(6), (4, 6, 5, 30)),
    (nn.BatchNorm1d(33, momentum=0.3), (50, 33)),
    (nn.BatchNorm2d(6).eval(), (4, 6, 5, 30)),
    (nn.Sequential(nn.ReLU(), nn.BatchNorm2d(6, affine=False), nn.GELU()), (4, 6, 5, 30)),
]


@pytest.mark.parametrize(("module", "shape"), MODULES, ids=lambda x: str(x).split("(", 1)[0])
def test_norms_agree_with_torch_and_update_their_statistics(
    module: nn.Module, shape: tuple[int, ...], tmp_path: Path
) -> None:
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    for name, buffer in module.named_buffers():
        if "running" in name:
            buffer.uniform_(0.5, 2)
    check(tmp_path / "kernel", module, [torch.randn(shape) * 3 + 5])


def test_losses_of_two_tensors_agree_with_torch(tmp_path: Path) -> None:
    a, b, sign = torch.randn(60, 90), torch.randn(60, 90), torch.randn(60).sign()
    losses: list[Function] = [
        lambda a, b, s: functional.mse_loss(a, b),
        lambda a, b, s: functional.mse_loss(a, b, reduction="none"),
        lambda a, b, s: functional.smooth_l1_loss(a, b, reduction="sum", beta=0.5),
        lambda a, b, s: functional.huber_loss(a, b, delta=0.7),
        lambda a, b, s: functional.l1_loss(a, b),
        lambda a, b, s: functional.kl_div(a, b.softmax(1), reduction="batchmean"),
        lambda a, b, s: functional.binary_cross_entropy(a.sigmoid(), b.sigmoid()),
        lambda a, b, s: functional.binary_cross_entropy_with_logits(a, b.sigmoid()),
        lambda a, b, s: functional.cosine_similarity(a, b),
        lambda a, b, s: functional.cosine_embedding_loss(a, b, s),
        lambda a, b, s: functional.triplet_margin_loss(a, b, a * b),
        lambda a, b, s: torch.clamp(1 - a * s[:, None], min=0).mean(),
        lambda a, b, s: functional.cross_entropy(a, b.softmax(1)),
    ]
    check(tmp_path / "kernel", Several(losses), [a, b, sign])


def test_cross_entropy_picks_classes_and_ignores_some(tmp_path: Path) -> None:
    target = torch.randint(0, 90, (60,))
    target[7] = -100
    losses: list[Function] = [
        lambda x, t, w: functional.cross_entropy(x, t),
        lambda x, t, w: functional.cross_entropy(x, t, weight=w),
        lambda x, t, w: functional.cross_entropy(x, t, reduction="sum", label_smoothing=0.1),
        lambda x, t, w: functional.nll_loss(x, t, reduction="none"),
    ]
    check(tmp_path / "rows", Several(losses), [torch.randn(60, 90), target, torch.rand(90)])
    images = [torch.randn(2, 10, 6, 40), torch.randint(0, 10, (2, 6, 40))]
    check(tmp_path / "images", Several([lambda x, t: functional.cross_entropy(x, t)]), images)


def test_products_with_a_vector_are_row_reductions(tmp_path: Path) -> None:
    functions: list[Function] = [lambda m, v: m @ v, lambda m, v: m @ v[:, None], lambda m, v: v[None] @ m.t()]
    check(tmp_path / "kernel", Several(functions), [torch.randn(50, 3000), torch.randn(3000)])


def test_positions_make_triangles_and_masks(tmp_path: Path) -> None:
    functions: list[Function] = [
        lambda x: torch.triu(x, 1).sum(-1),
        lambda x: torch.tril(x),
        lambda x: (x * torch.arange(30)).sum(0),
        lambda x: x.masked_fill(torch.ones(30, 30, dtype=torch.bool).triu(1), -math.inf).softmax(-1),
    ]
    check(tmp_path / "kernel", Several(functions), [torch.randn(30, 30)])


@pytest.mark.parametrize("knobs", [{"split": "on"}, {"split": "off"}, {"partial": 16, "schedule": "dynamic"}], ids=str)
def test_knobs_change_no_result(knobs: dict[str, Any], tmp_path: Path) -> None:
    rows: list[Function] = [lambda x: x.exp().sum(1), lambda x: x.argmax(1)]
    check(tmp_path / "rows", Several(rows), [torch.randn(3, 70001)], knobs)
    check(tmp_path / "norm", Several([lambda x: x.softmax(1)]), [torch.randn(3, 70001)], knobs)
    check(tmp_path / "columns", Several([lambda x: x.var(0), lambda x: x.sum(0)]), [torch.randn(7001, 30)], knobs)


def test_sums_of_a_million_elements_are_as_exact_as_torch(tmp_path: Path) -> None:
    functions: list[Function] = [lambda x: x.sum(), lambda x: x.mean(0), lambda x: x.var(), lambda x: x.norm(dim=1)]
    check(tmp_path / "ones", Several(functions), [torch.rand(1 << 10, 1 << 10)])
    check(tmp_path / "far", Several(functions), [torch.randn(1 << 10, 1 << 10) + 1000])


def test_arguments_with_other_strides_are_taken(tmp_path: Path) -> None:
    x = torch.randn(20, 30, 40)
    functions: list[Function] = [lambda x: x.sum(1), lambda x: x.softmax(2)]
    made = kernel(tmp_path / "kernel", Several(functions), [x])
    for other in (x.permute(2, 0, 1).contiguous().permute(1, 2, 0), torch.randn(20, 30, 80)[:, :, ::2]):
        total, back = made(other)
        assert torch.allclose(total, other.sum(1), atol=1e-5)
        assert torch.allclose(back, other.softmax(2), atol=1e-6)
    turned = x.permute(2, 0, 1)
    check(tmp_path / "turned", Several([lambda x: x.sum(0), lambda x: x.amax(2), lambda x: x.mean()]), [turned])
    check(tmp_path / "expanded", Several([lambda x: x.sum(1), lambda x: x.sum(0)]), [torch.randn(30, 1).expand(30, 50)])
