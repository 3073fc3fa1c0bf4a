"""Tasks with several shapes: every one is judged and timed, in processes that see them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from family import Family, build, is_bad, spec, work
from test_judging import verified

TASK = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(16))

    def forward(self, x):
        return torch.relu(x * self.scale)

def get_inputs_dyn_list():
    return [[torch.rand(64, 16)], [torch.rand(1, 16)], [torch.rand(300, 16)]]
"""
SHAPES = ["[64, 16]", "[1, 16]", "[300, 16]"]
LISTS = "[[torch.rand(64, 16)], [torch.rand(1, 16)], [torch.rand(300, 16)]]"
OWN_DRAWS = 5


def candidate(forward: str) -> str:
    return f"""
import torch
import torch.nn as nn

KEPT = {{}}

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(16))

    def forward(self, x):
        {forward}
"""


RIGHT = candidate("return torch.relu(x * self.scale)")


def all_verified(answer: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    kind, record = answer
    assert kind == "verified", record
    assert record["shapes"] == 3
    return [record["figures"], *record["others"]]


def test_a_right_candidate_is_asked_about_every_shape(family: Family) -> None:
    found = all_verified(family.judge_python(TASK, RIGHT))
    assert [x["shape"] for x in found] == SHAPES
    for figures, rows in zip(found, (64, 1, 300), strict=True):
        assert figures["fate"]["end"] == "finished"
        kinds = [x["kind"] for x in figures["draws"] if x.get("weights", "given") == "given" and not x.get("probe")]
        assert kinds == ["own", "signed", "scaled_down", "scaled_up", "shifted", "own"]  # the last one after the others
        assert [x.get("weights", "given") for x in figures["draws"]][-2:] == ["other_seed", "perturbed"]
        assert not any(is_bad(x) for x in figures["draws"])
        assert all(x["outputs"][0]["got"] == spec(rows, 16) for x in figures["draws"])
        assert "library" in figures


def test_a_candidate_that_is_wrong_on_a_further_shape_is_not_asked_beyond_it(family: Family) -> None:
    code = candidate("return torch.relu(x * self.scale) + (x.shape[0] == 1)")
    first, second = all_verified(family.judge_python(TASK, code))
    assert not any(is_bad(x) for x in first["draws"])
    assert second["shape"] == "[1, 16]"
    assert is_bad(second["draws"][0])


@pytest.mark.long
def test_what_is_kept_of_one_shape_is_found_when_another_comes(family: Family) -> None:
    code = candidate("rows = KEPT.setdefault('rows', x.shape[0]); return torch.relu(x * self.scale)[:rows]")
    found = all_verified(family.judge_python(TASK, code))
    (output,) = found[2]["draws"][0]["outputs"]
    assert output["got"]["shape"] == [64, 16]


def test_what_is_kept_of_a_later_shape_is_found_when_an_earlier_one_comes_again(family: Family) -> None:
    code = candidate(
        "KEPT['most'] = max(KEPT.get('most', 0), x.shape[0]); "
        "return torch.relu(x * self.scale) + (x.shape[0] == 64 and KEPT['most'] > 64)"
    )
    found = all_verified(family.judge_python(TASK, code))
    own = [x for x in found[0]["draws"] if x["kind"] == "own" and not x.get("probe")]
    assert not is_bad(own[0]) and is_bad(own[1])


@pytest.mark.long
def test_a_candidate_that_ends_on_a_further_shape_ends_there(family: Family) -> None:
    code = candidate("assert x.shape[0] != 300; return torch.relu(x * self.scale)")
    *right, last = all_verified(family.judge_python(TASK, code))
    assert [x["fate"]["end"] for x in right] == ["finished"] * 2
    assert (last["shape"], last["fate"]["end"]) == ("[300, 16]", "raised")


def test_every_shape_is_timed_with_pairs_of_its_own(family: Family) -> None:
    kind, record = family.judge_python(TASK, RIGHT, time=True)
    assert (kind, record["shapes"]) == ("timed", 3)
    found = [record["figures"], *record["others"]]
    assert [x["shape"] for x in found] == SHAPES
    for figures in found:
        assert figures["fate"]["end"] == "finished"
        assert len(figures["candidate_ns"]) == len(figures["baseline_ns"]["eager"]) >= 10
        assert not any(is_bad(x) for x in figures["checked"])
    assert [x["floor_bytes"] for x in found] == [64 * 64 * 2, 64 * 2, 64 * 300 * 2]


GENERIC = """
#include <kernelmesh_abi.h>

static int64_t most = 0;

static int relu(const kernelmesh_tensor* in, const kernelmesh_tensor* out, float more) {{
  const float* x = static_cast<const float*>(in[0].data);
  const float* scale = static_cast<const float*>(in[1].data);
  float* y = static_cast<float*>(out[0].data);
  int64_t rows = in[0].shape[0], columns = in[0].shape[1];
  most = rows > most ? rows : most;
  for (int64_t i = 0; i < rows * columns; ++i) {{
    float z = x[i] * scale[i % columns];
    y[i] = (z > 0 ? z : 0) + more;
  }}
  return 0;
}}

#define FUNCTION(name, more) \\
  extern "C" int name(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t, void*) {{ \\
    return relu(in, out, more); \\
  }}
FUNCTION(first, 0)
FUNCTION(other, {more})
"""


def native_work(family: Family, folder: Path, more: str, functions: list[str], **asked: Any) -> dict[str, Any]:
    library = build(folder, GENERIC.format(more=more))
    place = family.files / "kernel.so"
    place.write_bytes(Path(library).read_bytes())
    variants = [
        {
            "function": function,
            "arguments": [
                {"origin": "input", "index": 0, "path": "", "spec": spec(rows, 16)},
                {"origin": "parameter", "index": 0, "path": "scale", "spec": spec(16)},
            ],
            "outputs": [spec(rows, 16)],
        }
        for function, rows in zip(functions, (64, 1, 300), strict=False)
    ]
    entry = {"c_abi": {"abi": 1, "function": functions[0]}}
    return work(TASK, entry, {}, manifest={"variants": variants}, artifact=str(place), **asked)


@pytest.mark.parametrize("more", ["0", pytest.param("1", marks=pytest.mark.long), "most > 64 ? 1 : 0"])
def test_each_shape_has_its_own_c_function(family: Family, tmp_path: Path, more: str) -> None:
    """The last one is right until the largest shape has been there."""
    found = all_verified(family.ask("judge", native_work(family, tmp_path, more, ["first", "other", "first"])))
    wrong = [any(is_bad(x) for x in figures["draws"]) for figures in found]
    assert wrong == {"0": [False] * 3, "1": [False, True], "most > 64 ? 1 : 0": [False, True, False]}[more]


@pytest.mark.long
def test_c_functions_of_every_shape_are_timed(family: Family, tmp_path: Path) -> None:
    kind, record = family.ask("judge", native_work(family, tmp_path, "0", ["first", "other", "first"], time=True))
    assert kind == "timed", record
    assert [x["fate"]["end"] for x in [record["figures"], *record["others"]]] == ["finished"] * 3


def test_c_functions_for_other_shapes_than_the_tasks_are_no_candidate(family: Family, tmp_path: Path) -> None:
    kind, record = family.ask("judge", native_work(family, tmp_path, "0", ["first", "other"]))
    assert (kind, record["message"]) == ("failed", "the candidate has variants for 2 shapes, the task has 3")


@pytest.mark.long
def test_least_bytes_are_told_shape_by_shape(family: Family) -> None:
    kind, record = family.judge_python(TASK, RIGHT, time=True, input_bytes=[64, 0, 128])
    assert kind == "timed", record
    found = [record["figures"], *record["others"]]
    assert [x["floor_bytes"] for x in found] == [64 + 64 * 64, 64, 128 + 64 * 300]


def test_every_shape_is_traced(family: Family) -> None:
    kind, record = family.ask("trace", {"task": {"name": "task", "code": TASK}, "device": "cpu:0"})
    assert kind == "traced", record
    graphs = [record["graph"], *record["others"]]
    assert [x["values"][0]["spec"]["shape"] for x in graphs] == [[64, 16], [1, 16], [300, 16]]
    assert len({tuple(node["name"] for node in x["nodes"]) for x in graphs}) == 1


@pytest.mark.long
def test_a_list_of_one_is_a_task_with_one_shape(family: Family) -> None:
    task = TASK.replace(LISTS, "[[torch.rand(64, 16)]]")
    kind, record = family.judge_python(task, RIGHT)
    assert (kind, record["shapes"], record["others"], record["figures"]["shape"]) == ("verified", 1, [], "")


@pytest.mark.long
def test_the_list_counts_where_get_inputs_is_there_as_well(family: Family) -> None:
    task = TASK + "\ndef get_inputs():\n    return [torch.rand(5, 16)]\n"
    assert [x["shape"] for x in all_verified(family.judge_python(task, RIGHT))] == SHAPES


REFUSED = {
    "[[torch.rand(i + 1, 16)] for i in range(17)]": "returns 17 argument lists: a task may have at most 16 shapes",
    "[]": "returns no argument list",
    "5": "returns a int, not a list of argument lists",
    "[torch.rand(64, 16)]": "returns a list with a Tensor in it, not argument lists",
    "[[torch.rand(2, 16)], [torch.rand(2, 16)]]": "returns the shape [2, 16] twice",
    "[[torch.rand(2, 16)], [torch.rand(2, 16), 1]]": "returns lists of different numbers of arguments",
}


@pytest.mark.parametrize("lists", REFUSED)
def test_lists_that_are_no_shapes_of_a_task_are_refused(family: Family, lists: str) -> None:
    kind, record = family.judge_python(TASK.replace(LISTS, lists), RIGHT)
    assert (kind, record["message"]) == ("task_refused", f"get_inputs_dyn_list {REFUSED[lists]}")


def test_a_task_with_shapes_is_not_shrunk(family: Family) -> None:
    task = {"name": "task", "code": TASK, "shrink_to_bytes": 1024}
    kind, record = family.ask("trace", {"task": task, "device": "cpu:0"})
    assert kind == "task_refused"
    assert record["message"] == "a task with get_inputs_dyn_list can't be shrunk: its shapes are what it is judged on"


@pytest.mark.long
def test_one_shape_is_still_judged_as_before(family: Family) -> None:
    task = TASK.replace("get_inputs_dyn_list", "get_inputs").replace(LISTS, "[torch.rand(64, 16)]")
    figures = verified(family.judge_python(task, RIGHT))
    own = [x for x in figures["draws"] if not x.get("probe") and x.get("weights", "given") == "given"]
    assert (figures["shape"], len(own)) == ("", OWN_DRAWS)
