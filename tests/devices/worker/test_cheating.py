"""What a judge looks for beyond values: answers from memory, late writes, other weights, libraries, empty tasks."""

from __future__ import annotations

from textwrap import indent

from family import Family, is_bad
from test_judging import TASK, verified

POINTWISE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return x * 2

def get_inputs():
    return [torch.rand(64, 64)]
"""


def answers(forward: str, before: str = "") -> str:
    return f"""
import threading, time
import torch
import torch.nn as nn
{before}

class ModelNew(nn.Module):
    def forward(self, x):
{indent(forward, " " * 8)}
"""


def test_an_answer_from_memory_is_told_from_a_wrong_one(family: Family) -> None:
    first_only = answers("ModelNew.kept = getattr(ModelNew, 'kept', x * 2); return ModelNew.kept.clone()")
    draws = verified(family.judge_python(POINTWISE, first_only))["draws"]
    assert not draws[0]["replayed"]
    assert all(x["replayed"] for x in draws[1:])
    wrong = verified(family.judge_python(POINTWISE, answers("return x * 3")))["draws"]
    assert not any(x["replayed"] for x in wrong)


def test_a_memory_of_a_few_elements_does_not_see_a_probe(family: Family) -> None:
    """It knows the same contents again by samples: only one element is another one."""
    code = answers(
        "key = tuple(x[::16, ::16].flatten().tolist()); return memo.setdefault(key, x * 2).clone()", before="memo = {}"
    )
    draws = verified(family.judge_python(POINTWISE, code))["draws"]
    probed = [x for x in draws if x["probe"] == "one_changed"]
    assert len(probed) == 2
    assert any(x["replayed"] for x in probed)
    assert not any(is_bad(x) for x in draws if x["probe"] != "one_changed")


def test_outputs_that_are_written_after_the_call_are_seen(family: Family) -> None:
    late = """y = x * 2
def spoil():
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        y.add_(1)
threading.Thread(target=spoil).start()
return y"""
    draws = verified(family.judge_python(POINTWISE, answers(late)))["draws"]
    assert any(x["written_later"] or is_bad(x) for x in draws)
    own_buffer = answers("torch.mul(x, 2, out=kept); return kept", before="kept = torch.empty(64, 64)")
    assert not any(x["written_later"] for x in verified(family.judge_python(POINTWISE, own_buffer))["draws"])


PACKED = """
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 8)
        self.packed = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        return torch.relu(x @ self.packed + self.linear.bias)
"""


def test_weights_that_were_packed_at_construction_miss_later_ones_only(family: Family) -> None:
    code = "import torch\nimport torch.nn as nn\nclass ModelNew(nn.Module):" + PACKED
    draws = verified(family.judge_python(TASK, code))["draws"]
    assert {x.get("weights", "given") for x in draws if is_bad(x)} == {"perturbed"}


NORM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(x)

def get_inputs():
    return [torch.rand(8, 4, 16, 16)]
"""

BY_HAND = """
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
        y = (x - mean.view(1, 4, 1, 1)) / torch.sqrt(var + 1e-5).view(1, 4, 1, 1)
        {then}
        return y
"""
SCALE = "y = y * self.norm.weight.view(1, 4, 1, 1) + self.norm.bias.view(1, 4, 1, 1)"
MEAN = "self.norm.running_mean.mul_(0.9).add_(0.1 * mean)"
VAR = "self.norm.running_var.mul_(0.9).add_(0.1 * x.var((0, 2, 3)))"


def test_a_scale_of_ones_that_is_left_out_is_found_with_other_weights(family: Family) -> None:
    draws = verified(family.judge_python(NORM, BY_HAND.format(then=f"{MEAN}; {VAR}")))["draws"]
    assert {x.get("weights", "given") for x in draws if is_bad(x)} == {"other_seed", "perturbed"}
    whole = verified(family.judge_python(NORM, BY_HAND.format(then=f"{SCALE}; {MEAN}; {VAR}")))["draws"]
    assert not any(is_bad(x) for x in whole)


def test_buffers_that_the_reference_changes_are_compared(family: Family) -> None:
    output, mean, var = verified(family.judge_python(NORM, BY_HAND.format(then=f"{SCALE}; {MEAN}")))["draws"][0][
        "outputs"
    ]
    assert (mean["name"], var["name"]) == ("norm.running_mean", "norm.running_var")
    assert not output["over_tolerance"] and not mean["over_tolerance"]
    assert var["over_tolerance"] == 4


def test_work_of_libraries_is_named(family: Family) -> None:
    library = verified(family.judge_python(POINTWISE, answers("return x * 2")))["library"]
    assert (library["calls"], library["changed"]) == (["aten::mul.Tensor"], True)
    falls_back = answers("""try:
    return x * 2
except RuntimeError:
    return torch.tensor([[2 * a for a in row] for row in x.tolist()])""")
    assert verified(family.judge_python(POINTWISE, falls_back))["library"]["calls"] == ["aten::mul.Tensor"]
    by_numpy = answers("return torch.from_numpy(numpy.multiply(x.numpy(), 2))", before="import numpy")
    assert verified(family.judge_python(POINTWISE, by_numpy))["library"]["calls"] == ["numpy.multiply"]


def test_looking_at_tensors_and_copying_them_is_no_library_work(family: Family) -> None:
    task = POINTWISE.replace("return x * 2", "return x.t().contiguous()")
    library = verified(family.judge_python(task, task.replace("class Model", "class ModelNew")))["library"]
    assert library == {"calls": [], "changed": False, "message": ""}


def test_a_task_that_a_constant_or_an_echo_passes_is_marked(family: Family) -> None:
    for forward, kind in (("x * 0 + 3", "constant"), ("x + 0", "echo"), ("x * 2", "")):
        task = POINTWISE.replace("x * 2", forward)
        figures = verified(family.judge_python(task, task.replace("class Model", "class ModelNew")))
        assert figures["degenerate"] == kind
