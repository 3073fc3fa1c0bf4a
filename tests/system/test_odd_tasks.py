"""Tasks that only a worker can refuse: one sentence each, and the machinery goes on."""

from __future__ import annotations

import re

import pytest
from home import Home
from journal import assert_whole
from task_files import TASK

PLAIN = TASK.format(name="odd", rows=64, columns=64, bias="None", expression="torch.relu(x)")
ODD_TASKS = {
    "syntax": ("exec('class Model(:')\n" + PLAIN, "no valid Python"),
    "raises": (PLAIN.replace("torch.relu(x)", "x.no_such_member"), r"no_such_member.*\(line 16 of the task\)"),
    "inputs": (PLAIN.replace("torch.randn(ROWS, COLUMNS)", "torch.randn(-1)"), "get_inputs"),
    "package": ("if True:\n    import no_such_package\n" + PLAIN, r"install.* no_such_package` \(line 2 of the task\)"),
    "returns": (PLAIN.replace("torch.relu(x)", '{"y": torch.relu(x)}'), "dict"),
    "leaves": ("raise SystemExit(3)\n" + PLAIN, "SystemExit"),
}
ENDING_TASKS = {
    "ends": ("import os\nos._exit(3)\n" + PLAIN, r"ended its process \(exit code 3\) while importing"),
    "crashes": ("import ctypes\nctypes.string_at(0)\n" + PLAIN, r"crashed its process \(signal 11\) while importing"),
    "ends_later": (PLAIN.replace("torch.relu(x)", "__import__('os')._exit(0)"), r"ended .* while running forward"),
}


def assert_all_are_refused(home: Home, tasks: dict[str, tuple[str, str]]) -> None:
    """In one run, each with its sentence."""
    for name, (text, _) in tasks.items():
        home.write(f"odd_{name}.py", text)
    targets = 'targets: [{device: "cpu:0", dsl: cpp}]\n'
    ended = home.run("run", home.write("run.yaml", f'name: odd\ntasks: ["odd_*.py"]\n{targets}'), "--json")
    assert "Traceback" not in ended.err
    jobs = {x["task"]: x for x in ended.document("kernelmesh.run/1")["jobs"]}
    assert jobs.keys() == {f"odd_{x}" for x in tasks}
    for name, (_, words) in tasks.items():
        job = jobs[f"odd_{name}"]
        assert (job["best"], job["stopped_by"]) == (None, "task"), job
        assert re.search(words, job["remark"]), job["remark"]
        assert "\n" not in job["remark"]
    assert ended.code == 2
    assert_whole(home.only_journal())
    home.assert_nothing_runs()


@pytest.mark.usefixtures("measured")
def test_tasks_that_can_not_be_run_are_refused_and_the_others_are_not(home: Home) -> None:
    assert_all_are_refused(home, ODD_TASKS)


@pytest.mark.usefixtures("measured")
@pytest.mark.long
def test_tasks_that_end_the_process_they_run_in_are_refused_at_the_first_attempt(home: Home) -> None:
    assert_all_are_refused(home, ENDING_TASKS)
    stages = home.only_journal().of_kind("stage_finished", "stage_failed")  # the others wait, and lose no attempt
    assert [(x.kind, x.result["attempt"]) for x in stages] == [("stage_finished", 1)] * len(ENDING_TASKS)


@pytest.mark.usefixtures("measured")
def test_optimize_refuses_a_task_that_raises_with_one_sentence(home: Home) -> None:
    home.write("w/odd.py", ODD_TASKS["raises"][0])
    ended = home.run("optimize", "w/odd.py", "--json")
    assert ended.code == 2
    assert ended.sentence().startswith("kernelmesh: w/odd.py:16: ") and "no_such_member" in ended.sentence()
    assert ended.document("kernelmesh.error/1")["error"]["where"] == "w/odd.py:16"
    assert not (home.work / "kernelmesh-out").exists()  # nothing was written
    assert "starting the workers of cpu:0: they import torch\ntrace: the task's own code runs" in ended.err


@pytest.mark.usefixtures("measured")
def test_verify_refuses_a_task_that_ends_its_process_at_once(home: Home) -> None:
    task = home.write("odd.py", ENDING_TASKS["ends"][0])
    candidate = home.write("candidate.py", PLAIN.replace("class Model(", "class ModelNew("))
    ended = home.run("verify", task, candidate)
    assert (ended.code, ended.out) == (2, "")
    assert "the task ended its process (exit code 3) while importing" in ended.sentence()
    assert [x.kind for x in home.only_journal().stages("verify")] == ["stage_finished"]


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.long
def test_a_task_that_prints_a_gigabyte_is_solved_and_fills_no_disk(home: Home) -> None:
    # As many rows as can be timed.
    text = PLAIN.replace("ROWS = 64", 'for _ in range(1024):\n    print("x" * (1 << 20))\nROWS = 4096')
    ended = home.run("optimize", home.write("odd.py", text), "--evaluations", "1", "--json", limit_s=550)
    assert ended.code == 0, ended.err[-2000:]
    assert len(ended.err) < 1 << 20
    assert sum(x.stat().st_size for x in home.state.rglob("*") if x.is_file()) < 64 << 20


@pytest.mark.usefixtures("measured")
@pytest.mark.long
def test_a_task_whose_import_never_ends_is_refused(home: Home) -> None:
    home.write("odd.py", "x = 1\nwhile x:\n    pass\n" + PLAIN)
    system = "system:\n  scheduler: {run_limit: {trace: 12s}}\n"
    text = f'name: odd\n{system}tasks: [odd.py]\ntargets: [{{device: "cpu:0", dsl: cpp}}]\n'
    ended = home.run("run", home.write("run.yaml", text), "--json")
    assert ended.code == 2
    (job,) = ended.document("kernelmesh.run/1")["jobs"]
    assert job["remark"].startswith("the task did not finish importing within 12 s; if it needs longer, raise ")
    assert re.search(r"\(line [23] of the task\)$", job["remark"])
    (trace,) = home.only_journal().stages("trace")
    assert (trace.kind, trace.result["attempt"]) == ("stage_finished", 1)
    home.assert_nothing_runs()
