"""The float64 oracle of a task too large for it is made in parts of the batch, where parts say the same."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from kernelmesh_worker import reference, rows
from kernelmesh_worker.reference import Reference
from kernelmesh_worker.task import Task

LAYER = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(24, 8)
    def forward(self, x, scale):
        return FORWARD
def get_inputs():
    return [torch.randn(10, 24), torch.rand(8)]
"""


def oracle(monkeypatch: pytest.MonkeyPatch, forward: str, limit: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """What is expected of one draw: by eager, and by the oracle where so many elements fit."""
    for module in (rows, reference):
        monkeypatch.setattr(module, "fits_in_double", lambda elements: elements <= limit)
    task = Task({"name": "task", "code": LAYER.replace("FORWARD", forward)})
    try:
        model = Reference(task, "secret")
        expected = model.expected(task.drawn("00").values)
        return expected.eager, expected.want
    finally:
        task.close()


ROWWISE = "torch.softmax(self.linear(x) * scale, 1)"


def test_an_oracle_in_parts_is_the_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = oracle(monkeypatch, ROWWISE, 1 << 20)
    _, parts = oracle(monkeypatch, ROWWISE, 200)
    assert parts[0].dtype is torch.float64
    torch.testing.assert_close(parts[0], whole[0], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    "forward", ["torch.softmax(self.linear(x), 0)", "self.linear(x).sum(0)", "self.linear(x).cumsum(0)"]
)
def test_eager_stands_where_rows_depend_on_each_other(monkeypatch: pytest.MonkeyPatch, forward: str) -> None:
    eager, want = oracle(monkeypatch, forward, 200)
    assert want[0] is eager[0]


def test_eager_stands_where_one_row_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    eager, want = oracle(monkeypatch, ROWWISE, 3)
    assert want[0] is eager[0]


def cut(inputs: list[Any], outputs: list[torch.Tensor]) -> rows.Rows | None:
    return rows.Rows.of(inputs, outputs)


def test_inputs_of_another_length_are_left_whole() -> None:
    found = cut([torch.zeros(6, 2), torch.zeros(2), 3], [torch.zeros(6)])
    assert found is not None
    assert [
        x if isinstance(x, int) else tuple(x.shape)
        for x in found.cut([torch.zeros(6, 2), torch.zeros(2), 3], slice(0, 3))
    ] == [
        (3, 2),
        (2,),
        3,
    ]
    assert found.parts(4) == [slice(0, 1), slice(1, 3), slice(3, 4), slice(4, 6)]


def test_a_scalar_output_has_no_rows() -> None:
    assert cut([torch.zeros(6)], [torch.zeros(())]) is None


def test_what_is_not_finite_is_the_same_where_it_is_in_place() -> None:
    x = torch.tensor([torch.nan, torch.inf, 1.0, 2.0])
    assert rows.close(x, x.clone())
    assert not rows.close(torch.tensor([torch.nan, torch.inf, 1.0, 9.0]), x)
    assert not rows.close(torch.tensor([torch.nan, 3.0, 1.0, 2.0]), x)
