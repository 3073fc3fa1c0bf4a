"""Each rule of dsl/algebra: fires where it should, with the same results in float64 on random inputs and weights, and
does not fire where it must not."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent))

from op_graph_runs import agree, draw, run, same_outputs, simplified  # noqa: E402

INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, NAN, INF, -INF, 5e-324, -5e-324, 1e300, -1e300, 0.5, -0.5, 1.0, -1.0, 2.0, 3.0, -3.0, 7.5, -7.5]


# -- on any numbers, also NaN, infinities and both zeros ---------------------------------------------------------------

POINTWISE: dict[str, tuple[str, Callable[[Tensor], Any]]] = {
    "times one": ("multiplication or division by one", lambda x: torch.exp(x * 1.0) / 1),
    "minus zero": ("subtraction of zero", lambda x: torch.exp(x - 0.0)),
    "plus negative zero": ("subtraction of zero", lambda x: torch.exp(x + -0.0)),
    "power of one": ("first power", lambda x: torch.exp(x**1)),
    "double negation": ("negation of a negation", lambda x: torch.exp(x.neg().neg())),
    "negated difference": ("negation of a difference", lambda x: torch.exp(-(x - x.tanh()))),
    "absolute of negated": ("absolute value of a changed sign", lambda x: (-x).abs()),
    "absolute twice": ("absolute value of a changed sign", lambda x: x.abs().abs()),
    "added to itself": ("sum of a tensor with itself", lambda x: x.tanh() + x.tanh()),
    "scale twice": ("scales in a row", lambda x: x * 3 / 0.25),
    "scale and back": ("scales in a row", lambda x: torch.exp(x * 2 / 2)),
    "shift twice": ("shifts in a row", lambda x: x - 0.5 - 0.25),
    "clamps that meet": ("clamps in a row", lambda x: x.clamp(-2, 1).clamp(-1, 3)),
    "clamps that do not meet": ("clamps in a row", lambda x: x.clamp(2, 3).clamp(-1, 1)),
    "half clamps": ("clamps in a row", lambda x: x.clamp(min=-1).clamp(max=0.5)),
    "clamp_min and hardtanh": ("clamps in a row", lambda x: F.hardtanh(x.clamp_min(0.25), -3, 2)),
    "relu and clamp": ("clamps in a row", lambda x: torch.relu(x).clamp(max=1)),
    "relu twice": ("clamp to what the argument can be anyhow", lambda x: torch.relu(torch.relu(x))),
    "relu of sigmoid": ("clamp to what the argument can be anyhow", lambda x: torch.relu(torch.sigmoid(x))),
    "hardtanh of gelu of tanh": ("clamp to what the argument can be anyhow", lambda x: F.hardtanh(F.gelu(x.tanh()))),
    "clamp of scaled sigmoid": (
        "clamp to what the argument can be anyhow",
        lambda x: (torch.sigmoid(x) * -2 + 3).clamp(1, 3),
    ),
    "clamp scale clamp": ("clamp of a scaled clamp", lambda x: (x.clamp(-1, 1) * 2).clamp(0, 1) / 2),
    "leaky of relu": ("leaky ReLU of what is never negative", lambda x: F.leaky_relu(torch.relu(x), 0.1)),
    "elu of exp": ("leaky ReLU of what is never negative", lambda x: F.elu(torch.exp(x))),
    "clone": ("copy of a tensor", lambda x: x.clone() + x.tanh()),
    "conversion to its own type": ("copy of a tensor", lambda x: torch.exp(torch.ops.aten._to_copy(x))),
    "twice": ("computed twice", lambda x: torch.sigmoid(x) * 3 + torch.sigmoid(x)),
}


@pytest.mark.parametrize("name", POINTWISE)
def test_an_arithmetic_rule_holds_for_any_numbers(name: str) -> None:
    rule, function = POINTWISE[name]
    x = torch.tensor(SPECIAL, dtype=torch.float64)
    out = simplified(function, [x])
    assert rule in out.rules
    assert len(out.after["nodes"]) <= len(out.before["nodes"])
    same_outputs(out)
    (old,), (new,) = run(out.before, [x]), run(out.after, [x])
    torch.testing.assert_close(new, old, rtol=1e-14, atol=0, equal_nan=True)


# -- with weights as inputs --------------------------------------------------------------------------------------------


def conv(**options: Any) -> Callable[..., Tensor]:
    return lambda x, w, b: torch.conv2d(x, w, b, **options)


def instance_norm(x: Tensor) -> Tensor:
    return F.instance_norm(x)


CASES: dict[str, tuple[list[str], Callable[..., Any], list[tuple[int, ...]]]] = {
    "transpose of transpose": (["transposes in a row"], lambda x: x.mT.mT.exp(), [(2, 3, 4)]),
    "transposes": (
        ["transposes in a row"],
        lambda x: x.permute(2, 0, 1).transpose(0, 1).exp(),
        [(2, 3, 4)],
    ),
    "views": (["reshapes in a row"], lambda x: x.reshape(6, 4).reshape(3, 8).unsqueeze(0).exp(), [(2, 3, 4)]),
    "view and back": (["reshapes in a row"], lambda x: x.reshape(6, 4).reshape(2, 3, 4).exp(), [(2, 3, 4)]),
    "view to its shape": (
        ["change to the shape that is there"],
        lambda x: torch.ops.aten.view(x, [2, 3]).exp(),
        [(2, 3)],
    ),
    "flips": (["flip of a flip"], lambda x: x.flip(1, -3).flip(0, 1).exp(), [(2, 3, 4)]),
    "sum of one": (["reduction over a dimension of one element"], lambda x: x.exp().sum(1, keepdim=True), [(3, 1, 4)]),
    "logsumexp of one": (["reduction over a dimension of one element"], lambda x: x.exp().logsumexp(1), [(3, 1, 4)]),
    "max of one": (["reduction over a dimension of one element"], lambda x: x.exp().max(2)[0], [(3, 2, 1)]),
    "cumsum of one": (["scan or flip along a dimension of one element"], lambda x: x.exp().cumsum(1), [(3, 1)]),
    "flip of one": (["scan or flip along a dimension of one element"], lambda x: x.exp().flip(1), [(3, 1)]),
    "means with dimensions kept": (
        ["reductions in a row"],
        lambda x: x.mean(2, keepdim=True).mean([0, 3], keepdim=True),
        [(2, 3, 4, 5)],
    ),
    "sums": (["reductions in a row"], lambda x: x.sum([1, 3]).sum(1).sum(0), [(2, 3, 4, 5)]),
    "average pools": (["pools in a row"], lambda x: F.avg_pool2d(F.avg_pool2d(x, 2), (3, 2)), [(2, 3, 17, 14)]),
    "average pools in space": (["pools in a row"], lambda x: F.avg_pool3d(F.avg_pool3d(x, 2), 2), [(1, 2, 9, 8, 11)]),
    "max pools": (["pools in a row"], lambda x: F.max_pool2d(F.max_pool2d(x, 3, 2), 2, 1), [(2, 3, 17, 14)]),
    "diagonal from the left": (["product with a diagonal matrix"], lambda a, b: torch.diag(a) @ b, [(4,), (4, 5)]),
    "diagonal from the right": (["product with a diagonal matrix"], lambda a, b: b @ torch.diag(a), [(4,), (5, 4)]),
    "one column": (["product with one column"], lambda a, b: a @ b, [(5, 7), (7, 1)]),
    "linear, divided, summed": (
        ["sum of a scaled product", "sum over a product's columns", "scales in a row"],
        lambda x, w: ((x @ w.T) / 2).sum(1, keepdim=True) * 1.5,
        [(5, 6), (7, 6)],
    ),
    "linear with bias, summed": (
        ["sum over a product's columns"],
        lambda x, w, b: F.linear(x, w, b).sum(1),
        [(5, 6), (7, 6), (7,)],
    ),
    "linear with bias, mean": (
        ["sum over a product's columns"],
        lambda x, w, b: F.linear(x, w, b).mean(-1, keepdim=True),
        [(5, 6), (7, 6), (7,)],
    ),
    "product with one bias for all, summed": (
        ["sum over a product's columns"],
        lambda x, w, b: torch.addmm(b, x, w).sum(1),
        [(5, 6), (6, 7), (1,)],
    ),
    "linear of three dimensions": (
        ["sum of a reshaped product", "sum over a product's columns"],
        lambda x, w: F.linear(x, w).sum(-1),
        [(2, 5, 6), (7, 6)],
    ),
    "linear less a vector, mean": (
        ["sum of a shifted product", "sum over a product's columns", "reduction over a dimension of one element"],
        lambda x, w, b, s: (F.linear(x, w, b) - s).mean(1, keepdim=True).logsumexp(1, keepdim=True) + x,
        [(5, 6), (7, 6), (7,), (7,)],
    ),
    "linear plus a column, summed": (
        ["sum of a shifted product"],
        lambda x, w, s: (x @ w + s).sum(1, keepdim=True),
        [(5, 6), (6, 7), (5, 1)],
    ),
    "linear with bias, average pool along its columns": (
        ["average pool along a product's columns"],
        lambda x, w, b: F.avg_pool1d(F.linear(x, w, b).unsqueeze(1), 3).squeeze(1).exp(),
        [(5, 6), (14, 6), (14,)],
    ),
    "product, average pool along its columns": (
        ["average pool along a product's columns"],
        lambda x, w: F.avg_pool1d((x @ w).unsqueeze(1), 4).squeeze(1).exp(),
        [(5, 6), (6, 12)],
    ),
    "transposed convolution, mean over space": (
        ["mean over space of a transposed convolution"],
        lambda x, w, b: F.conv_transpose2d(x, w, b).mean([2, 3], keepdim=True),
        [(2, 3, 6, 5), (3, 4, 3, 2), (4,)],
    ),
    "strided and cropped, mean over space": (
        ["mean over space of a transposed convolution"],
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1).mean([2, 3]),
        [(2, 3, 6, 5), (3, 4, 3, 3), (4,)],
    ),
    "cropped on both sides, sum over space": (
        ["mean over space of a transposed convolution"],
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=(1, 3), padding=(2, 1), dilation=(2, 1)).sum([2, 3]),
        [(2, 3, 9, 5), (3, 4, 3, 4), (4,)],
    ),
    "in three dimensions, mean over space": (
        ["mean over space of a transposed convolution"],
        lambda x, w: F.conv_transpose3d(x, w, stride=2, padding=1, output_padding=1).mean([2, 3, 4]),
        [(2, 3, 5, 4, 6), (3, 2, 3, 3, 3)],
    ),
    "convolution, scaled, average pool": (
        ["average pool of a scaled convolution", "average pool of a convolution"],
        lambda x, w, b: F.avg_pool2d(torch.conv2d(x, w, b, padding=1) * 3, 4),
        [(2, 3, 19, 16), (4, 3, 3, 3), (4,)],
    ),
    "convolution, overlapping average pool": (
        ["average pool of a convolution"],
        lambda x, w, b: F.avg_pool2d(torch.conv2d(x, w, b, groups=3), (3, 4), (2, 4)),
        [(2, 3, 19, 16), (6, 1, 3, 3), (6,)],
    ),
    "transposed convolution, scaled by a parameter, average pool": (
        ["average pool of a scaled convolution", "average pool of a strided transposed convolution"],
        lambda x, w, b, s: F.avg_pool3d(F.conv_transpose3d(x, w, b, stride=2, padding=1) * s, 2),
        [(2, 3, 4, 5, 6), (3, 2, 3, 3, 3), (2,), ()],
    ),
    "transposed convolution of stride 3": (
        ["average pool of a strided transposed convolution"],
        lambda x, w, b: F.avg_pool2d(F.conv_transpose2d(x, w, b, stride=3, padding=2), 3),
        [(2, 3, 7, 5), (3, 4, 4, 4), (4,)],
    ),
    "instance norm": (
        ["bias before a norm that takes it away"],
        lambda x, w, b: instance_norm(torch.conv2d(x, w, b)) / 2,
        [(2, 3, 7, 8), (4, 3, 3, 3), (4,)],
    ),
    "scaled before an instance norm": (
        ["bias before a norm that takes it away"],
        lambda x, w, b, s: instance_norm(torch.conv2d(x, w, b) * s),
        [(2, 3, 7, 8), (4, 3, 3, 3), (4,), (4, 1, 1)],
    ),
    "batch norm without buffers": (
        ["bias before a norm that takes it away"],
        lambda x, w, b, s: F.batch_norm(torch.conv2d(x, w, b), None, None, s, b, training=True),
        [(2, 3, 7, 8), (4, 3, 3, 3), (4,), (4,)],
    ),
    "group norm of single channels": (
        ["bias before a norm that takes it away"],
        lambda x, w, b: F.group_norm(torch.conv2d(x, w, b), 4),
        [(2, 3, 7, 8), (4, 3, 3, 3), (4,)],
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_a_rule_holds_for_random_inputs_and_weights(name: str, seed: int) -> None:
    rules, function, shapes = CASES[name]
    torch.manual_seed(seed)
    inputs = [draw(*shape) + seed for shape in shapes]
    out = simplified(function, inputs)
    assert set(rules) <= set(out.rules)
    same_outputs(out)
    agree(out, inputs)
    agree(out, [draw(*shape) * 100 for shape in shapes])


@pytest.mark.parametrize("name", CASES)
def test_an_infinity_in_the_input_spoils_no_other_result(name: str) -> None:
    _, function, shapes = CASES[name]
    torch.manual_seed(7)
    inputs = [draw(*shape) for shape in shapes]
    out = simplified(function, inputs)
    for spoilt in (INF, NAN):
        inputs[0].reshape(-1)[1] = spoilt
        agree(out, inputs)


# -- where they must not ----------------------------------------------------------------------------------------------

LINEAR = [(5, 6), (7, 6), (7,)]
CONV = [(2, 3, 17, 16), (4, 3, 3, 3), (4,)]
UNTOUCHED: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "plus zero is not -0": (lambda x: torch.exp(x + 0.0), [(3,)]),
    "times one that is returned": (lambda x: x * 1, [(3,)]),
    "a copy that is returned": (lambda x: x.clone(), [(3,)]),
    "a copy in another layout": (lambda x: x.mT.contiguous().tanh(), [(2, 3)]),
    "a difference with another user": (lambda x, y: (x - y, -(x - y), torch.sub(x, y, alpha=2).neg()), [(3,), (3,)]),
    "shifts that cancel": (lambda x: x + 1000.0 - 999.0, [(3,)]),
    "scales out of range": (lambda x: x * 1e30 * 1e-30, [(3,)]),
    "a scale with another user": (lambda x: (x * 3, x * 3 * 2), [(3,)]),
    "a clamp with another user": (lambda x: (x.clamp(-1, 1), x.clamp(-1, 1).clamp(0, 2)), [(3,)]),
    "clamp narrower than the range": (lambda x: x.sigmoid().clamp(0.1, 1), [(3,)]),
    "clamp of a negatively scaled clamp": (lambda x: (x.clamp(-1, 1) * -2).clamp(0, 1), [(3,)]),
    "leaky of a gelu": (lambda x: F.leaky_relu(F.gelu(x)), [(3,)]),
    "elu with a scale": (lambda x: torch.selu(torch.relu(x)), [(3,)]),
    "a real transpose": (lambda x: x.permute(2, 0, 1).exp(), [(2, 3, 4)]),
    "flips of other dimensions": (lambda x: x.flip(0).flip(1), [(2, 3)]),
    "two noises": (lambda x: torch.bernoulli(x.sigmoid(), 0.5) + torch.bernoulli(x.sigmoid(), 0.5), [(3,)]),
    "softmax of one is NaN of inf": (lambda x: x.exp().softmax(1), [(3, 1)]),
    "mean of sum": (lambda x: x.sum(1).mean(0), [(2, 3)]),
    "max pool with gaps": (lambda x: F.max_pool2d(F.max_pool2d(x, 1, 2), 2), [(1, 1, 16, 16)]),
    "average pools that overlap": (lambda x: F.avg_pool2d(F.avg_pool2d(x, 3, 2), 2), [(1, 1, 17, 17)]),
    "average pools with padding": (lambda x: F.avg_pool2d(F.avg_pool2d(x, 2, padding=1), 2), [(1, 1, 16, 16)]),
    "average pools with a ceiling": (lambda x: F.avg_pool2d(F.avg_pool2d(x, 2, ceil_mode=True), 2), [(1, 1, 9, 9)]),
    "max pool whose indices are returned": (
        lambda x: F.max_pool2d(F.max_pool2d(x, 2, return_indices=True)[1].double(), 2),
        [(1, 1, 8, 8)],
    ),
    "average over maximum": (lambda x: F.avg_pool2d(F.max_pool2d(x, 2), 2), [(1, 1, 8, 8)]),
    "a linear layer that is returned too": (lambda x, w, b: (F.linear(x, w, b), F.linear(x, w, b).sum(1)), LINEAR),
    "a linear layer summed over its rows": (lambda x, w, b: F.linear(x, w, b).sum(0), LINEAR),
    "an overlapping average pool along columns": (
        lambda x, w, b: F.avg_pool1d(F.linear(x, w, b)[:, None, None, :].reshape(5, 1, 7), 3, 1),
        LINEAR,
    ),
    "an average pool along rows": (lambda x, w, b: F.avg_pool1d(F.linear(x, w, b).mT.unsqueeze(1), 2), LINEAR),
    "a sum after a sigmoid": (lambda x, w, b: F.linear(x, w, b).sigmoid().sum(1), LINEAR),
    "a maximum over a linear layer": (lambda x, w, b: F.linear(x, w, b).amax(1), LINEAR),
    "a matrix that is no diagonal": (lambda a, b: torch.diag_embed(a, 1)[:4, :4] @ b, [(4,), (4, 5)]),
    "mean over one dimension of space": (lambda x, w: F.conv_transpose2d(x, w).mean([2]), [(2, 3, 6, 5), (3, 4, 3, 2)]),
    "grouped, mean over space": (
        lambda x, w: F.conv_transpose2d(x, w, groups=3).mean([2, 3]),
        [(2, 3, 6, 5), (3, 4, 3, 2)],
    ),
    "average pool that saves nothing": (lambda x, w, b: F.avg_pool2d(torch.conv2d(x, w, b), 3, 1), CONV),
    "average pool of a strided convolution": (lambda x, w, b: F.avg_pool2d(torch.conv2d(x, w, b, stride=2), 2), CONV),
    "average pool after relu": (lambda x, w, b: F.avg_pool2d(torch.conv2d(x, w, b).relu(), 4), CONV),
    "average pool of another stride": (
        lambda x, w: F.avg_pool2d(F.conv_transpose2d(x, w, stride=2), 3),
        [(2, 3, 6, 5), (3, 4, 3, 3)],
    ),
    "group norm of groups": (lambda x, w, b: F.group_norm(torch.conv2d(x, w, b), 2), CONV),
    "an addend before the norm": (lambda x, w, b: instance_norm(torch.conv2d(x, w, b).relu()), CONV),
    "a convolution that is returned beside its norm": (
        lambda x, w, b: (torch.conv2d(x, w, b), instance_norm(torch.conv2d(x, w, b))),
        CONV,
    ),
}
ALLOWED = {"computed twice", "copy of a tensor", "reshapes in a row"}  # what tracing itself writes in pieces


@pytest.mark.parametrize("name", UNTOUCHED)
def test_a_rule_does_not_fire_where_it_must_not(name: str) -> None:
    function, shapes = UNTOUCHED[name]
    out = simplified(function, [draw(*shape) for shape in shapes])
    assert set(out.rules) <= ALLOWED
    assert out.rules or out.after == out.before


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64])
def test_no_arithmetic_is_put_in_another_order_in_narrow_types_and_integers(dtype: torch.dtype) -> None:
    x = torch.ones(2, 3, dtype=dtype)
    assert simplified(lambda x: (x * 3 * 5, x + 3 + 4, x.clamp(-1, 5).clamp(0, 3), x + x), [x]).rules == []
    if dtype.is_floating_point:
        y = torch.ones(3, 4, dtype=dtype)
        assert simplified(lambda x, y: (x @ y).sum(1), [x, y]).rules == []
        assert (
            simplified(lambda x: F.avg_pool2d(F.avg_pool2d(x, 2), 2), [x.reshape(1, 1, 2, 3).repeat(1, 1, 4, 4)]).rules
            == []
        )


def test_a_bias_stays_where_running_means_need_it() -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).double()
    out = simplified(model, [draw(2, 3, 7, 8)])
    assert out.rules == []


def test_a_copy_of_a_buffer_that_is_written_later_stays() -> None:
    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(3, dtype=torch.float64))

        def forward(self, x: Tensor) -> Tensor:
            before = self.count.clone()
            self.count += x
            return before * 3

    out = simplified(Counting(), [draw(3)])
    assert "copy of a tensor" not in out.rules


def test_a_result_is_never_returned_twice() -> None:
    out = simplified(lambda x: (x.exp(), x.exp(), x.exp() * 1), [draw(3)])
    assert len(set(out.after["outputs"])) == 3
    agree(out, [draw(3)])


def test_dead_operands_are_not_read() -> None:
    inputs = [draw(64, 32), draw(16, 32), draw(16)]
    out = simplified(lambda x, w, b: F.linear(x, w, b).mean(1), inputs)
    assert out.after["floor_bytes"] == 8 * (64 * 32 + 16 * 32 + 16 + 64)
    assert out.after["flops"] < out.before["flops"] / 8
    sliced = simplified(lambda x, y: (x.mT.mT[:8] * 1).exp(), [draw(64, 32), draw(3)])
    assert sliced.read == {"input_0": 8 * 8 * 32, "input_1": 0}
