"""What can be said of candidates without judging them: those for a GPU can't be here."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from corpus import HERE, candidates

ON_GPU = HERE.parent / "gpu" / "judge"
FEWEST = {"cheats": 40, "honest": 15, "crashes": 15}
KINDS = frozenset(re.findall(r'"(\w+)"', re.search(
    r"enum_names\(failure_kind\) {(.+?)}\);", (HERE.parents[1] / "messages/records/verdict.hpp").read_text(), re.DOTALL
)[1]))  # fmt: skip


@pytest.mark.parametrize("of", [HERE, ON_GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("folder", FEWEST)
def test_every_candidate_says_what_is_expected_of_it(folder: str, of: Path) -> None:
    for one in (x.values[0] for x in candidates(folder, of)):
        assert one.expect <= KINDS | {"passed"}, one.file
        assert one.classes <= {*"ABCDEF", "none"}, one.file
        assert "class Model" in one.task_code, one.file
        assert folder != "cheats" or "passed" not in one.expect or one.slow or one.degenerate, one.file
        if not one.is_native:
            compile(one.file.read_text(encoding="utf-8"), one.name, "exec")


def test_a_gpu_meets_enough_candidates_of_every_class() -> None:
    assert all(len(candidates(folder, ON_GPU)) >= count for folder, count in FEWEST.items())
    by_class = Counter(x.values[0].name[0] for x in candidates("cheats", ON_GPU))
    assert all(by_class[name] >= 4 for name in "ABCDEF")
