"""What a judge finds out about candidates: right ones, wrong ones, ones that break."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from family import Family, build, is_bad, spec, work

TASK = """
import torch
import torch.nn as nn

ROWS = 64

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 8)

    def forward(self, x):
        return torch.relu(self.linear(x))

def get_inputs():
    return [torch.rand(ROWS, 16)]

def get_init_inputs():
    return [16]
"""

ANSWERED = TASK.replace("class Model", "class ModelNew")


def candidate(forward: str, before: str = "") -> str:
    return f"""
import ctypes, os, sys, time
import torch
import torch.nn as nn
{before}

class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 8)

    def forward(self, x):
        y = torch.relu(self.linear(x))
        {forward}
"""


def verified(answer: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    kind, record = answer
    assert kind == "verified", record
    return record["figures"]


def plain(draws: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that are neither probes nor made with other weights."""
    return [x for x in draws if not x.get("probe") and x.get("weights", "given") == "given"]


def fate(answer: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return verified(answer)["fate"]


def test_a_right_candidate_passes_all_draws(family: Family) -> None:
    figures = verified(family.judge_python(TASK, ANSWERED))
    assert figures["fate"] == {"end": "finished", "phase": "call", "code": 0, "message": ""}
    assert [x["kind"] for x in plain(figures["draws"])] == ["own", "signed", "scaled_down", "scaled_up", "shifted"]
    assert len({x["seed"] for x in plain(figures["draws"])}) == 5
    assert {x.get("probe") for x in figures["draws"]} >= {"", "one_changed", "permuted"}
    assert [x.get("weights", "given") for x in figures["draws"]][-2:] == ["other_seed", "perturbed"]
    for draw in figures["draws"]:
        (output,) = draw["outputs"]
        assert draw["finite"] and not draw["inputs_changed"]
        assert output["elements"] == 64 * 8
        assert output["rms"] <= 4 * output["eager_rms"] + 1e-12
        assert output["got"] == output["expected"] == spec(64, 8)
    assert figures["environment"]["torch"]


def test_seeds_are_new_each_time(family: Family) -> None:
    first, second = (verified(family.judge_python(TASK, ANSWERED, options={"draws": 1})) for _ in range(2))
    assert first["draws"][0]["seed"] != second["draws"][0]["seed"]


def test_a_wrong_value_is_found_with_its_place(family: Family) -> None:
    figures = verified(family.judge_python(TASK, candidate("y[3, 5] = 7.0; return y")))
    (output,) = figures["draws"][0]["outputs"]
    assert output["over_tolerance"] == 1
    assert output["first_index"] == [3, 5]
    assert output["first_got"] == 7.0
    assert output["max_abs"] == pytest.approx(7.0 - output["first_want"])


def test_ranges_of_the_own_draw_can_not_be_relied_on(family: Family) -> None:
    code = candidate("return torch.relu(self.linear(x.clamp(0, 1)))")
    draws = verified(family.judge_python(TASK, code))["draws"]
    assert not is_bad(draws[0])
    assert any(is_bad(x) for x in draws[1:])


def test_nan_in_a_wrong_place_is_counted(family: Family) -> None:
    draws = verified(family.judge_python(TASK, candidate("y[0, 1] = float('nan'); return y")))["draws"]
    assert draws[0]["outputs"][0]["non_finite_mismatch"] == 1
    assert draws[0]["outputs"][0]["first_index"] == [0, 1]


@pytest.mark.parametrize(
    ("forward", "part", "got"),
    [
        ("return y.double()", "dtype", "float64"),
        ("return y.reshape(8, 64)", "shape", [8, 64]),
        ("return y.t().contiguous().t()", "strides", [1, 64]),
    ],
)
def test_another_tensor_than_wanted_is_reported(family: Family, forward: str, part: str, got: Any) -> None:
    (output,) = verified(family.judge_python(TASK, candidate(forward)))["draws"][0]["outputs"]
    assert output["got"][part] == got
    assert output["expected"] == spec(64, 8)


def test_what_is_no_tensor_is_named(family: Family) -> None:
    draw = verified(family.judge_python(TASK, candidate("return [y, 3]")))["draws"][0]
    assert (draw["expected_outputs"], draw["got_outputs"]) == (1, 2)
    draw = verified(family.judge_python(TASK, candidate("return [y]")))["draws"][0]
    assert (draw["expected_structure"], draw["got_structure"]) == ("Tensor", "[Tensor]")
    (output,) = verified(family.judge_python(TASK, candidate("return {'y': y}")))["draws"][0]["outputs"]
    assert output["got_type"] == "builtins.dict"


def test_a_changed_input_is_seen(family: Family) -> None:
    draws = verified(family.judge_python(TASK, candidate("x.zero_(); return y")))["draws"]
    assert all(x["inputs_changed"] for x in draws)


@pytest.mark.parametrize(
    ("forward", "end", "code"),
    [
        ("ctypes.string_at(0)", "killed", signal.SIGSEGV),
        ("os._exit(0)", "exited", 0),
        ("os.kill(os.getpid(), 9)", "killed", signal.SIGKILL),
        ("raise ValueError('no\\x1b[31m way')", "raised", 0),
        ("sys.exit(5)", "raised", 0),
    ],
)
def test_a_call_that_breaks_is_a_fate(family: Family, forward: str, end: str, code: int) -> None:
    answer = fate(family.judge_python(TASK, candidate(forward)))
    assert (answer["end"], answer["phase"], answer["code"]) == (end, "call", code)
    assert "\x1b" not in answer["message"]


def test_the_text_of_what_was_raised_comes_first(family: Family) -> None:
    answer = fate(family.judge_python(TASK, candidate("raise ValueError('no way')")))
    assert answer["message"].splitlines()[0] == "ValueError: no way"
    assert "model.py" in answer["message"]


def test_an_endless_call_ends_at_its_limit(family: Family) -> None:
    code = candidate("\n        while True: pass")
    answer = fate(family.judge_python(TASK, code, options={"call_limit_ms": 500}))
    assert (answer["end"], answer["phase"]) == ("timed_out", "call")


def test_an_endless_import_ends_at_its_limit(family: Family) -> None:
    code = candidate("return y", before="while True: pass")
    answer = fate(family.judge_python(TASK, code, options={"call_limit_ms": 500}))
    assert (answer["end"], answer["phase"]) == ("timed_out", "load")


def test_too_much_memory_ends_a_candidate(family: Family) -> None:
    answer = fate(family.judge_python(TASK, candidate("return torch.ones(1 << 50)")))
    assert answer["end"] == "raised"


@pytest.mark.parametrize(
    ("code", "said"), [("class Model: pass", "ModelNew"), ("import nothing_of_that_name", "nothing"), ("x =", "Syntax")]
)
def test_a_file_that_does_not_load_is_a_fate(family: Family, code: str, said: str) -> None:
    answer = fate(family.judge_python(TASK, code))
    assert (answer["end"], answer["phase"]) == ("raised", "load")
    assert said in answer["message"]


def test_a_forged_answer_is_not_believed(family: Family) -> None:
    forged = candidate("os.write(3, b'\\x81\\xa4done\\x01'); return y")
    answer = fate(family.judge_python(TASK, forged))
    assert (answer["end"], answer["message"]) == ("raised", "it answered what it was not asked")


def test_a_candidate_has_no_descriptor_but_its_own(family: Family) -> None:
    links = "{os.readlink(f'/proc/self/fd/{x}').split(':')[0] for x in os.listdir('/proc/self/fd')[:-1]}"
    listed = fate(family.judge_python(TASK, candidate(f"raise ValueError(sorted({links}))")))["message"]
    assert listed.splitlines()[0] == "ValueError: ['/dev/null', '/memfd', 'socket']"


def test_processes_that_a_candidate_leaves_behind_are_ended(family: Family) -> None:
    leave = "\n        if os.fork() == 0:\n            os.setsid()\n            time.sleep(600)\n        return y"
    before = family.descendants()
    assert fate(family.judge_python(TASK, candidate(leave), options={"draws": 1}))["end"] in ("finished", "raised")
    assert family.descendants() == before


def test_a_draw_without_a_finite_reference_is_replaced(family: Family) -> None:
    task = TASK.replace("torch.relu(self.linear(x))", "torch.log(x)")
    draws = verified(family.judge_python(task, task.replace("class Model", "class ModelNew")))["draws"]
    finite = [x["kind"] for x in plain(draws) if x["finite"]]
    assert len(finite) >= 5
    assert {x["kind"] for x in plain(draws) if not x["finite"]} == {"signed", "scaled_down", "scaled_up"}


def test_weights_come_by_name_and_else_by_shape(family: Family) -> None:
    renamed = ANSWERED.replace("self.linear", "self.other")
    assert not any(is_bad(x) for x in verified(family.judge_python(TASK, renamed))["draws"])


def test_half_precision_is_held_to_its_own_tolerance(family: Family) -> None:
    figures = verified(family.judge_python(TASK, ANSWERED, task_fields={"dtype": "bfloat16"}))
    assert figures["tolerance"] == 1e-2
    assert figures["draws"][0]["outputs"][0]["expected"] == spec(64, 8, dtype="bfloat16")
    assert not is_bad(figures["draws"][0])


def test_overrides_shrink_a_task(family: Family) -> None:
    figures = verified(family.judge_python(TASK, ANSWERED, task_fields={"overrides": {"ROWS": 3}}))
    assert figures["draws"][0]["outputs"][0]["expected"] == spec(3, 8)


def test_plain_inputs_reach_a_candidate(family: Family) -> None:
    task = """
import torch
class Model(torch.nn.Module):
    def forward(self, xs, factor, name):
        return [xs[0] * factor, xs[1] + len(name)]
def get_inputs():
    return [[torch.rand(3), torch.rand(4)], 2.5, "abc"]
"""
    figures = verified(family.judge_python(task, task.replace("Model", "ModelNew")))
    assert [x["elements"] for x in plain(figures["draws"])[4]["outputs"]] == [3, 4]
    assert not any(is_bad(x) for x in figures["draws"])


# -- c_abi ------------------------------------------------------------------------------------------------------------

ROW_TASK = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(16))
    def forward(self, x):
        return x * self.weight
def get_inputs():
    return [torch.rand(16, 8).t()]
"""

KERNEL = """
#include <kernelmesh_abi.h>
#include <unistd.h>
extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t n, const kernelmesh_tensor* out, int32_t m,
                              int32_t threads, void*) {
  if (n != 2 || m != 1 || threads < 1 || in[0].rank != 2 || in[0].dtype != kernelmesh_float32) return 9;
  float *x = (float*)in[0].data, *w = (float*)in[1].data, *y = (float*)out[0].data;
  for (int64_t i = 0; i < out[0].shape[0]; ++i)
    for (int64_t j = 0; j < out[0].shape[1]; ++j)
      y[i * out[0].strides[0] + j * out[0].strides[1]] = x[i * in[0].strides[0] + j * in[0].strides[1]] * w[j];
  AND_THEN;
  return 0;
}
"""


def c_work(family: Family, and_then: str, **more: Any) -> dict[str, Any]:
    strided = {"dtype": "float32", "shape": [8, 16], "strides": [1, 8]}
    manifest = {
        "arguments": [
            {"origin": "input", "index": 0, "path": "", "spec": strided},
            {"origin": "parameter", "index": 0, "path": "weight", "spec": spec(16)},
        ],
        "outputs": [more.pop("output", strided)],
    }
    entry = {"c_abi": {"abi": 1, "function": more.pop("function", "kernelmesh_run")}}
    library = build(family.files, KERNEL.replace("AND_THEN", and_then))
    return work(ROW_TASK, entry, {}, manifest=manifest, artifact=library, **more)


COUNTING_TASK = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("level", torch.ones(4))

    def forward(self, x):
        self.calls += 1
        self.level.mul_(0.5)
        return x * 2

def get_inputs():
    return [torch.randn(8, 16)]
"""
COUNTING_KERNEL = """
#include "kernelmesh_abi.h"
extern "C" int kernelmesh_run(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t,
                              void*) {
  for (int i = 0; i < 128; ++i) static_cast<float*>(out->data)[i] = 2 * static_cast<float*>(in->data)[i];
  ++*static_cast<int64_t*>(in[1].data);
  for (int i = 0; i < 4; ++i) static_cast<float*>(in[2].data)[i] *= 0.5f;
  return 0;
}
"""


def test_a_c_function_may_change_what_forward_changes_counters_too(family: Family) -> None:
    buffers = [
        {"origin": "buffer", "index": 0, "path": "calls", "spec": spec(dtype="int64")},
        {"origin": "buffer", "index": 0, "path": "level", "spec": spec(4)},
    ]
    given = {"origin": "input", "index": 0, "path": "", "spec": spec(8, 16)}
    manifest = {"arguments": [given, *buffers], "outputs": [spec(8, 16)]}
    entry = {"c_abi": {"abi": 1, "function": "kernelmesh_run"}}
    library = build(family.files, COUNTING_KERNEL)
    order = work(COUNTING_TASK, entry, {}, manifest=manifest, artifact=library)
    draws = verified(family.ask("judge", order))["draws"]
    assert not any(is_bad(x) for x in draws)


def test_a_right_c_function_passes(family: Family) -> None:
    figures = verified(family.ask("judge", c_work(family, "")))
    assert figures["fate"]["end"] == "finished"
    assert len(plain(figures["draws"])) == 5
    assert not any(is_bad(x) for x in figures["draws"])
    assert figures["draws"][0]["outputs"][0]["got"] == figures["draws"][0]["outputs"][0]["expected"]


def test_a_c_function_that_leaves_out_an_element_leaves_poison(family: Family) -> None:
    task = c_work(family, "")
    source = KERNEL.replace("AND_THEN", "").replace("int64_t i = 0", "int64_t i = 1")
    build(family.files, source)
    draws = verified(family.ask("judge", task))["draws"]
    assert {x["outputs"][0]["non_finite_mismatch"] for x in draws} == {16}


@pytest.mark.parametrize(
    ("and_then", "end", "code"),
    [
        ("*(volatile int*)0 = 1", "killed", signal.SIGSEGV),
        ("_exit(0)", "exited", 0),
        ("return 3", "raised", 0),
        ("for (;;) usleep(1)", "timed_out", 0),
    ],
)
def test_a_c_function_that_breaks_is_a_fate(family: Family, and_then: str, end: str, code: int) -> None:
    answer = fate(family.ask("judge", c_work(family, and_then, options={"call_limit_ms": 1000})))
    assert (answer["end"], answer["phase"], answer["code"]) == (end, "call", code)


def test_a_c_function_that_writes_its_arguments_is_seen(family: Family) -> None:
    for and_then in ("x[5] = 1e9f", "w[3] = 1e9f"):
        draws = verified(family.ask("judge", c_work(family, and_then)))["draws"]
        assert all(x["inputs_changed"] for x in draws)
        assert not draws[1]["outputs"][0]["over_tolerance"]  # weights were restored in between


def test_a_c_function_that_is_not_there_is_a_fate(family: Family) -> None:
    answer = fate(family.ask("judge", c_work(family, "", function="other")))
    assert (answer["end"], answer["phase"]) == ("raised", "load")


def test_a_manifest_of_another_task_is_no_fate(family: Family) -> None:
    task = c_work(family, "")
    task["manifest"]["arguments"][1]["path"] = "bias"
    assert family.ask("judge", task) == (
        "failed",
        {"message": "the manifest has an argument that the task does not have: parameter bias"},
    )


def test_what_this_judge_can_not_run_is_a_failure(family: Family) -> None:
    kind, record = family.ask("judge", work(TASK, {"launch_record": {"record": "launches.json"}}, {}))
    assert kind == "failed" and "launch_record" in record["message"]
    kind, record = family.ask("probe", {"device": "cuda:0"})
    assert kind == "failed" and "cuda:0" in record["message"]
