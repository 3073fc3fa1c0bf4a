"""Tasks with several shapes: one candidate for all of them, and one file that chooses by shape."""

from __future__ import annotations

import json

import pytest
from exported import run_without_kernelmesh
from home import Home
from task_files import task

SHAPES = [(512, 512), (1, 65536), (300, 1000)]
NAMES = [f"[{rows}, {columns}]" for rows, columns in SHAPES]
CHECK = """
model, new = task.Model(), made.ModelNew()
for inputs in task.get_inputs_dyn_list():
    torch.testing.assert_close(new(*inputs), model(*inputs), rtol=1e-5, atol=1e-5)
try:
    new(torch.randn(7,))
except ValueError as error:
    print(error)
"""
WRONG = """
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * (2 if x.shape[0] > 1 else 3)
"""
UNKNOWN = "no kernel was written for inputs of shape (7,); there are kernels for (512, 512); (1, 65536); (300, 1000)\n"


def several(name: str, expression: str) -> str:
    lists = f"def get_inputs_dyn_list() -> list:\n    return [[torch.randn(*x)] for x in {SHAPES}]"
    text = task(name, expression)
    begin, end = text.index("def get_inputs()"), text.index("def get_init_inputs()")
    return text[:begin] + lists + "\n\n\n" + text[end:]


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("name", "expression"), [("softmax", "torch.softmax(x, dim=1)"), ("gelu", "nn.functional.gelu(x) * 2")]
)
def test_a_task_with_several_shapes_becomes_one_file_with_a_kernel_for_each(
    home: Home, name: str, expression: str
) -> None:
    file = home.write(f"{name}.py", several(name, expression))
    ended = home.run("optimize", file, "--evaluations", "2", "--out", "out", "--json")
    assert ended.code == 0, ended.err
    best = ended.document("kernelmesh.optimize/1")["best"]["verify"]
    assert (best["verdict"], best["shapes"]) == ("passed", NAMES)
    shapes = best["timing"]["shapes"]
    assert [x["shape"] for x in shapes] == NAMES
    product = 1.0
    for x in shapes:
        product *= x["speedup_eager"]["value"]
    assert best["timing"]["speedup_eager"]["value"] == pytest.approx(product ** (1 / 3))
    export = home.work / "out" / f"{name}.py"
    result = json.loads((home.work / "out" / "result.json").read_text())
    assert "[1, 65536]" in json.dumps(result) and "[1, 65536]: " in (home.work / "out" / "report.html").read_text()
    assert run_without_kernelmesh(home, (file, export), CHECK) == UNKNOWN
    judged = home.run("verify", file, export, "--no-time")
    assert judged.code == 0, judged.err
    assert "shapes      [512, 512]; [1, 65536]; [300, 1000]" in judged.out


@pytest.mark.long
@pytest.mark.usefixtures("measured")
def test_a_candidate_that_is_right_on_the_first_shape_only_fails_with_the_shape_named(home: Home) -> None:
    file = home.write("scaled.py", several("scaled", "x * 2"))
    ended = home.run("verify", file, home.write("wrong.py", WRONG), "--no-time", "--allow-library-calls", "--json")
    failure = ended.document("kernelmesh.verify/1")["failure"]
    assert (ended.code, failure["kind"], failure["details"]["shape"]) == (1, "wrong_values", "[1, 65536]")
    assert "(inputs of shape [1, 65536])" in failure["message"]


@pytest.mark.usefixtures("measured")
def test_too_many_shapes_are_refused_with_one_sentence(home: Home) -> None:
    text = several("many", "x * 2").replace(f"for x in {SHAPES}", "for x in [(i + 1, 4) for i in range(40)]")
    ended = home.run("optimize", home.write("many.py", text), "--out", "out")
    assert ended.code == 2
    assert "get_inputs_dyn_list returns 40 argument lists: a task may have at most 16 shapes" in " ".join(
        (ended.out + ended.err).split()
    )
