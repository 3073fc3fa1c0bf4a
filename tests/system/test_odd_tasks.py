"""Tasks that only a worker can refuse: one sentence each, and the machinery goes on."""

from __future__ import annotations

import re

import pytest
from home import Home
from journal import assert_whole
from task_files import TASK

PLAIN = TASK.format(name="odd", rows=64, columns=64, bias="None", expression="torch.relu(x)")
ODD_TASKS = {
    "syntax": (PLAIN.replace("class Model(nn.Module):", "class Model(nn.Module:"), r"no valid Python.*\(line 10 "),
    "raises": (PLAIN.replace("torch.relu(x)", "x.no_such_member"), "no_such_member"),
    "inputs": (PLAIN.replace("torch.randn(ROWS, COLUMNS)", "torch.randn(-1)"), "get_inputs"),
    "package": ("import no_such_package\n" + PLAIN, "no_such_package"),
    "returns": (PLAIN.replace("torch.relu(x)", '{"y": torch.relu(x)}'), "dict"),
    "leaves": ("raise SystemExit(3)\n" + PLAIN, "SystemExit"),
}


def test_tasks_that_can_not_be_run_are_refused_and_the_others_are_not(home: Home) -> None:
    for name, (text, _) in ODD_TASKS.items():
        home.write(f"odd_{name}.py", text)
    targets = 'targets: [{device: "cpu:0", dsl: cpp}]\n'
    ended = home.run("run", home.write("run.yaml", f'name: odd\ntasks: ["odd_*.py"]\n{targets}'), "--json")
    assert "Traceback" not in ended.err
    jobs = {x["task"]: x for x in ended.document("kernelmesh.run/1")["jobs"]}
    assert jobs.keys() == {f"odd_{x}" for x in ODD_TASKS}
    for name, (_, words) in ODD_TASKS.items():
        job = jobs[f"odd_{name}"]
        assert (job["best"], job["stopped_by"]) == (None, "task"), job
        assert re.search(words, job["remark"]), job["remark"]
        assert "\n" not in job["remark"]
    assert ended.code == 2
    assert_whole(home.only_journal())
    home.assert_nothing_runs()


def test_optimize_refuses_a_task_that_raises_with_one_sentence(home: Home) -> None:
    ended = home.run("optimize", home.write("odd.py", ODD_TASKS["raises"][0]), "--json")
    assert ended.code == 2
    assert "task odd" in ended.sentence() and "no_such_member" in ended.sentence()


@pytest.mark.long
def test_a_task_that_prints_a_gigabyte_is_solved_and_fills_no_disk(home: Home) -> None:
    text = PLAIN.replace("ROWS = 64", 'for _ in range(1024):\n    print("x" * (1 << 20))\nROWS = 64')
    ended = home.run("optimize", home.write("odd.py", text), "--evaluations", "1", "--json", limit_s=550)
    assert ended.code == 0, ended.err[-2000:]
    assert len(ended.err) < 1 << 20
    assert sum(x.stat().st_size for x in home.state.rglob("*") if x.is_file()) < 64 << 20


@pytest.mark.long
def test_a_task_whose_import_never_ends_is_given_up(home: Home) -> None:
    home.write("odd.py", "while True:\n    pass\n" + PLAIN)
    system = "system:\n  scheduler: {attempts: 1, run_limit: {trace: 5s}}\n"
    text = f'name: odd\n{system}tasks: [odd.py]\ntargets: [{{device: "cpu:0", dsl: cpp}}]\n'
    ended = home.run("run", home.write("run.yaml", text), "--json")
    assert ended.code in (2, 3)
    assert ended.document("kernelmesh.run/1")["jobs"][0]["remark"]
    home.assert_nothing_runs()
