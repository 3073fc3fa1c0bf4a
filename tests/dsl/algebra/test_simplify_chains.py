"""Chains of operators drawn at random mean the same before and after they are simplified."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent))

from op_graph_runs import agree, same_outputs, simplified  # noqa: E402

STEPS: list[Callable[[Tensor, float], Tensor]] = [
    lambda x, a: x * a,
    lambda x, a: x / a,
    lambda x, a: x + a,
    lambda x, a: x.clamp(-abs(a), abs(a) + 1),
    lambda x, a: torch.relu(x),
    lambda x, a: F.leaky_relu(x, 0.2),
    lambda x, a: torch.sigmoid(x),
    lambda x, a: F.gelu(x),
    lambda x, a: x.mT,
    lambda x, a: x.reshape(x.shape[1], -1),
    lambda x, a: x.clone() + x,
    lambda x, a: x.mean(0, keepdim=True),
    lambda x, a: x.sum(1, keepdim=True),
    lambda x, a: x @ (torch.ones_like(x).mT * a),
    lambda x, a: x.flip(0),
    lambda x, a: -x,
    lambda x, a: x.abs(),
]


@pytest.mark.parametrize("seed", range(60))
def test_random_chains_mean_the_same_before_and_after(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    steps = torch.randint(len(STEPS), (12,), generator=generator).tolist()
    numbers = (torch.rand(12, generator=generator) * 3 + 0.25).tolist()

    def chain(x: Tensor) -> Any:
        middle = x
        for place, (step, number) in enumerate(zip(steps, numbers, strict=True)):
            x = STEPS[step](x, number)
            middle = x if place == 5 else middle
        return x, middle * 2

    x = torch.randn(4, 6, dtype=torch.float64, generator=generator)
    out = simplified(chain, [x])
    same_outputs(out)
    agree(out, [x], 1e-8)
    agree(out, [torch.randn(4, 6, dtype=torch.float64, generator=generator) * 10], 1e-8)
