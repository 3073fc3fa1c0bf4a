"""A task with several shapes: right on one of them is not right."""

from __future__ import annotations

import pytest

from bench import Bench
from corpus import HERE, read


@pytest.mark.parametrize("name", ["D_first_shape_only.py", "D_columns_of_first_shape.cpp"])
def test_right_on_the_first_shape_and_wrong_on_the_second_is_rejected_with_the_shape_named(
    bench: Bench, name: str
) -> None:
    candidate = read(HERE / "cheats" / name)
    verdict = bench.verdict(candidate, time=False)
    assert verdict.kind in candidate.expect and verdict.stage == "verify", str(verdict)
    assert verdict.details["shape"] == "[64, 1000]"
    assert verdict.message.endswith("(inputs of shape [64, 1000])."), verdict.message
    assert verdict.judging["shapes"] == ["[64, 1000]"]


def test_the_speedup_is_the_mean_over_all_shapes(bench: Bench) -> None:
    verdict = bench.verdict(read(HERE / "honest" / "any_shape.cpp"))
    assert verdict.kind == "passed", str(verdict)
    assert verdict.judging["shapes"] == [x["shape"] for x in verdict.timing["shapes"]]
    assert verdict.judging["shapes"] == ["[128, 256]", "[64, 1000]", "[500, 333]"]
    product = 1.0
    for shape in verdict.timing["shapes"]:
        product *= shape["speedup_eager"]["value"]
    assert verdict.timing["speedup_eager"]["value"] == pytest.approx(product ** (1 / 3))
