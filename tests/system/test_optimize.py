"""The main job on real input: a task goes in, a verified kernel comes out that runs without kernelmesh."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exported import run_without_kernelmesh
from home import Ended, Home
from task_files import ELEMENTWISE, task

IN_EVERY_RUN = {"gelu"}
SIDE = 1024  # 4 MiB in float32
CHECK = """
dtype, tolerance = getattr(torch, sys.argv[3]), float(sys.argv[4])
torch.manual_seed(1)
model = task.Model(*task.get_init_inputs()).to(dtype).eval()
new = made.ModelNew(*task.get_init_inputs()).to(dtype).eval()
new.load_state_dict(model.state_dict())
inputs = [x.to(dtype) for x in task.get_inputs()]
with torch.no_grad():
    torch.testing.assert_close(new(*inputs), model(*inputs), rtol=tolerance, atol=tolerance)
print("the same")
"""


def check_without_kernelmesh(home: Home, files: tuple[Path, Path], dtype: str, tolerance: float) -> None:
    assert run_without_kernelmesh(home, files, CHECK, dtype, str(tolerance)) == "the same\n"


def optimize_and_check(
    home: Home, name: str, text: str, dtype: str = "float32", tolerance: float = 1e-4, flags: tuple[str, ...] = ()
) -> Ended:
    """What verify says of the export."""
    file = home.write(f"{name}.py", text)
    ended = home.run("optimize", file, "--dtype", dtype, "--evaluations", "2", "--out", "out", "--json", *flags)
    assert ended.code == 0, ended.err
    document = ended.document("kernelmesh.optimize/1")
    best = document["best"]
    assert (best["dsl"], best["origin"], best["verify"]["verdict"]) == ("cpp", "rules", "passed")
    assert document["candidates"]["tried"] == document["candidates"]["correct"]
    assert best["verify"]["timing"]["speedup_eager"]["value"] > 0
    export = home.work / "out" / f"{name}.py"
    assert Path(best["file"]) == export
    assert {x.name for x in export.parent.iterdir()} == {f"{name}.py", "report.html", "result.json"}

    judged = home.run("verify", file, export, "--dtype", dtype, "--no-time", "--json", *flags)
    assert judged.code == 0, judged.err
    assert judged.document("kernelmesh.verify/1")["verdict"] == "passed"
    check_without_kernelmesh(home, (file, export), dtype, tolerance)
    return judged


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_what_algebra_makes_smaller_is_said_and_the_kernel_is_judged_against_the_task_as_it_is(home: Home) -> None:
    text = task("folded", "torch.relu(nn.functional.hardtanh(x * 2 / 2, 0.0, 4.0).clone())", rows=SIDE, columns=SIDE)
    file = home.write("folded.py", text)
    ended = home.run("optimize", file, "--evaluations", "1", "--out", "out")
    assert ended.code == 0, ended.err
    assert "simplified by" in ended.out and "scales in a row" in ended.out
    result = (home.work / "out" / "result.json").read_text()
    for rule in ("multiplication or division by one", "clamp to what the argument can be anyhow", "copy of a tensor"):
        assert rule in result
        assert rule in (home.work / "out" / "report.html").read_text()
    check_without_kernelmesh(home, (file, home.work / "out" / "folded.py"), "float32", 1e-6)


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "name", [x if x in IN_EVERY_RUN else pytest.param(x, marks=pytest.mark.long) for x in ELEMENTWISE]
)
def test_an_elementwise_task_becomes_a_verified_kernel(home: Home, name: str) -> None:
    optimize_and_check(home, name, task(name, rows=SIDE, columns=SIDE))


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.long
@pytest.mark.parametrize(("dtype", "tolerance"), [("bfloat16", 5e-2), ("float16", 1e-2), ("float32", 1e-4)])
def test_a_chain_with_a_broadcast_parameter_becomes_a_verified_kernel(home: Home, dtype: str, tolerance: float) -> None:
    expression = "torch.tanh((x + self.bias) * 0.5) * torch.sigmoid(self.bias) + 1"
    optimize_and_check(home, "chain", task("chain", expression, SIDE, SIDE, bias=True), dtype, tolerance)


AS_IT_IS = """
inputs = task.get_inputs()
assert {x.dtype for x in inputs} == {getattr(torch, sys.argv[3])}
torch.manual_seed(3)
model = task.Model(*task.get_init_inputs())
torch.manual_seed(3)
new = made.ModelNew(*task.get_init_inputs())
with torch.no_grad():
    close = dict.fromkeys(("rtol", "atol"), float(sys.argv[4]))
    torch.testing.assert_close(new(*inputs), model(*inputs), **close)
    torch.testing.assert_close(new(x=inputs[0]), model(*inputs), **close)
print("the same")
"""


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(("dtype", "tolerance"), [("bfloat16", 5e-2), ("float64", 1e-12)])
def test_a_task_without_dtype_ends_in_an_export_that_takes_its_own_inputs_and_has_its_weights(
    home: Home, dtype: str, tolerance: float
) -> None:
    own = f"COLUMNS, dtype=torch.{dtype})"
    text = task("own", "torch.tanh(x * self.bias) + x", SIDE, SIDE, bias=True).replace("COLUMNS)", own)
    file = home.write("own.py", text)
    ended = home.run("optimize", file, "--evaluations", "1", "--out", "out")
    assert ended.code == 0, ended.err
    assert f"judged in   {dtype}" in ended.out
    result = json.loads((home.work / "out" / "result.json").read_text())
    assert result["best"]["verify"]["dtype"] == dtype
    assert dtype in (home.work / "out" / "report.html").read_text()
    export = home.work / "out" / "own.py"
    assert run_without_kernelmesh(home, (file, export), AS_IT_IS, dtype, str(tolerance)) == "the same\n"
    judged = home.run("verify", file, export, "--no-time", "--json")
    document = judged.document("kernelmesh.verify/1")
    assert (judged.code, document["dtype"], document["library"]) == (0, dtype, []), judged.err


PRODUCT = "torch.relu(torch.mm(torch.softmax(x, 1), x.t())) * 0.5 + 1"


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_a_product_is_left_to_torch_where_that_is_allowed(home: Home) -> None:
    judged = optimize_and_check(home, "product", task("product", PRODUCT, 256, 512), flags=("--allow-library-calls",))
    assert judged.document("kernelmesh.verify/1")["library"]  # what is refused without leave: test_cli.py


@pytest.mark.usefixtures("measured")
def test_without_leave_what_has_no_recipe_is_not_covered_and_the_flag_is_named(home: Home) -> None:
    file = home.write("sorted.py", task("sorted", "torch.sort(torch.relu(x) * 2).values + 1"))
    ended = home.run("optimize", file, "--evaluations", "2", "--out", "out")
    assert ended.code == 1
    said = "not covered: aten.sort; --allow-library-calls would leave this to the library"
    assert said in " ".join((ended.out + ended.err).split())


@pytest.mark.long
@pytest.mark.usefixtures("measured")
def test_what_was_found_with_leave_for_a_library_is_no_start_without_it(home: Home) -> None:
    file = home.write("sorted.py", task("sorted", "torch.sort(torch.relu(x) * 2).values + 1"))
    found = home.run("optimize", file, "--evaluations", "1", "--out", "with", "--allow-library-calls")
    assert found.code == 0, found.err
    ended = home.run("optimize", file, "--evaluations", "2", "--out", "without")
    assert ended.code == 1
    assert "not covered: aten.sort" in " ".join((ended.out + ended.err).split())


@pytest.mark.usefixtures("measured")
def test_a_task_with_complex_numbers_is_not_covered_and_no_bad_input(home: Home) -> None:
    file = home.write("fft.py", task("fft", "torch.fft.rfft(torch.relu(x)).abs()"))
    ended = home.run("optimize", file, "--evaluations", "2", "--out", "out")
    assert ended.code == 1
    assert "not covered: aten._fft_r2c, aten.abs" in " ".join((ended.out + ended.err).split())
    assert (home.work / "out" / "report.html").exists()
