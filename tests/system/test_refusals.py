"""What can't be done is refused before anything starts: the exit code of the contract, one sentence, the way out."""

from __future__ import annotations

import json
import os

import pytest
from home import PYTHON, Home
from simulated_run import SIMULATED, simulated
from task_files import CANDIDATE, task

REFUSED = [
    (["frobnicate"], 2, 'no command "frobnicate"; see kernelmesh --help'),
    (["optimise", "relu.py"], 2, 'no command "optimise"; did you mean "optimize"? See kernelmesh --help'),
    (["bench", "kernelbenhc"], 2, 'no command "bench kernelbenhc"; did you mean "kernelbench"?'),
    ([], 2, "subcommand is required"),
    (["optimize"], 2, "TASK is required"),
    (["optimize", "relu.py", "--frobnicate"], 2, "kernelmesh optimize has no flag --frobnicate; see"),
    (["optimize", "relu.py", "--sede=3"], 2, "kernelmesh optimize has no flag --sede; did you mean --seed? See"),
    (["optimize", "relu.py", "other.py"], 2, 'takes no further argument "other.py"'),
    (["status", "--system"], 2, "--system needs a value"),
    (["optimize", "relu.py", "--seed", "abc"], 2, '--seed: "abc" is no whole number from 0 to 18446744073709551615'),
    (["optimize", "relu.py", "--evaluations", "x"], 2, '--evaluations: "x" is no whole number from 1 to 1000000'),
    (["optimize", "none.py"], 2, "does not exist"),
    (["optimize", "."], 2, "is a folder"),
    (["optimize", "binary.py"], 2, "binary"),
    (["optimize", "latin.py"], 2, "is not UTF-8: byte 7, in line 2, is 0xe9"),
    (["optimize", "empty.py"], 2, "empty"),
    (["optimize", "no_model.py"], 2, 'no class "Model"'),
    (["optimize", "no_inputs.py"], 2, 'no function "get_inputs"'),
    (["optimize", "candidate.py"], 2, "looks like a candidate"),
    (["optimize", "relu.py", "--dtype", "float99"], 2, "float99"),
    (["optimize", "relu.py", "--evaluations", "0"], 2, "--evaluations"),
    (["optimize", "relu.py", "--for", "soon"], 2, "--for"),
    (["optimize", "relu.py", "--for", ""], 2, "--for"),
    (["optimize", "relu.py", "--for", "1ms"], 2, "--for"),
    (["optimize", "relu.py", "--dsl", "cobol"], 2, 'no DSL "cobol"; known: "cpp", "cuda_c" or "triton"'),
    (["optimize", "relu.py", "--dsl", "triton"], 2, '--dsl: no kernel in "triton" runs on "cpu:0"; those in "cpp" do'),
    (["optimize", "relu.py", "--dsl", "cpp,cuda_c"], 2, '--dsl: no kernel in "cuda_c" runs on "cpu:0"; they run on'),
    (["optimize", "relu.py", "--device", "toaster"], 2, 'kernels that run on "toaster"; they run on "cpu:0"'),
    (["optimize", "relu.py", "--strategy", "luck"], 2, "--strategy"),
    (["optimize", "relu.py", "--system", "none"], 2, "no system config"),
    (["optimize", "relu.py", "--strategy", "tuen"], 2, '; did you mean "tune"?'),
    (["optimize", "relu.py", "--device", "cpu:7"], 2, '--device: no device "cpu:7" in the system config; it has'),
    (["optimize", "relu.py", "--device", "cuda:7"], 3, "--device: there is no cuda:7: "),
    (["optimize", "relu.py", "--device", "cuda:-1"], 2, "--device: cuda:-1 is no name of a GPU"),
    (["optimize", "--dsl", "cobol", "relu.py"], 2, 'no DSL "cobol"'),
    (["optimize", "--device", "toaster", "relu.py"], 2, '--device: no DSL has kernels that run on "toaster"'),
    (["doctor", "--device", "cpu:0", "none"], 2, 'there is no run "none"'),
    (["optimize", "syntax.py"], 2, "syntax.py:3: it is no valid Python: "),
    (["optimize", "only_syntax.py"], 2, "only_syntax.py:1: it is no valid Python: "),
    (["optimize", "package.py"], 2, "package.py:2: it needs the package no_such_package, which "),
    (["optimize", "mentions.py"], 2, 'the task mentions.py: it has no class "Model"'),
    (["optimize", "pipe.py"], 2, "pipe.py"),
    (["optimize", "relu.py", "--out", "relu.py"], 2, "; name another folder with --out"),
    (["optimize", "relu.py", "--out", "relu.py/deeper"], 2, "--out"),
    (["optimize", "relu.py", "--out", "/proc/none"], 2, "--out"),
    (["verify", "relu.py"], 2, "CANDIDATE is required"),
    (["verify", "relu.py", "none.py"], 2, "does not exist"),
    (["verify", "relu.py", "relu.py"], 2, 'no class "ModelNew"'),
    (["verify", "relu.py", "folder"], 2, "no manifest.json"),
    (["verify", "relu.py", "binary.py"], 2, "binary"),
    (["verify", "relu.py", "candidate.py", "--draws", "1"], 2, "--draws"),
    (["verify", "relu.py", "candidate.py", "--policy", "lax"], 2, "--policy"),
    (["verify", "relu.py", "candidate.py", "--device", "cuda:7"], 3, "--device: there is no cuda:7"),
    (["verify", "syntax.py", "candidate.py"], 2, "syntax.py:3: it is no valid Python: "),
    (["bench", "kernelbench", "--data", "problems.jsonl", "--device", "cuda:7"], 3, "--device: there is no cuda:7"),
    (["run", "tasks.yaml"], 2, "package.py:2: it needs the package no_such_package, which "),
    (["run", "none.yaml"], 2, "does not exist"),
    (["run", "empty.yaml"], 2, "empty"),
    (["run", "binary.py"], 2, "binary"),
    (["run", "dsl.yaml"], 2, 'dsl.yaml:3: "targets[0].dsl" is "cobol"'),
    (["run", "device.yaml"], 2, 'device.yaml:3: no device "toaster:0" in the system config; it has "cpu:0"'),
    (["run", "language.yaml"], 2, 'language.yaml:3: no kernel in "triton" runs on "cpu:0"; those in "cpp" do'),
    (["run", "gpu.yaml"], 2, "gpu.yaml:3: there is no cuda:7: "),
    (["run", "model.yaml"], 2, 'model.yaml:4: "agents.planner" is "gpt-99"'),
    (["resume", "none"], 2, 'no run "none"'),
    (["resume", "../none"], 2, "is not the id of a run"),
    (["status", "none"], 2, 'no run "none"'),
    (["report", "none"], 2, 'no run "none"'),
    (["export", "none", "relu"], 2, 'no run "none"'),
    (["doctor", "none"], 2, "none"),
]


WHERE = [
    (["optimize", "relu.py", "--frobnicate"], 2, "--frobnicate"),
    (["optimize", "relu.py", "--for", "soon"], 2, "--for"),
    (["optimize", "relu.py", "--device", "cuda:7"], 3, "--device"),
    (["optimize", "relu.py", "--sede=3"], 2, "--sede"),
    (["optimise", "relu.py"], 2, ""),
    (["optimize", "syntax.py"], 2, "syntax.py:3"),
    (["verify", "relu.py", "none.py"], 2, "verify"),
    (["run", "wrong.yaml"], 2, "wrong.yaml:3"),
    (["report", "none"], 2, "report"),
]


@pytest.fixture(scope="module")
def odd_files(shared_home: Home) -> Home:
    shared_home.write("relu.py", task("relu"))
    shared_home.write("candidate.py", CANDIDATE.format(expression="torch.relu(x)"))
    shared_home.write("empty.py", "")
    shared_home.write("empty.yaml", "")
    shared_home.write("no_model.py", "def get_inputs():\n    return []\n")
    shared_home.write("no_inputs.py", "class Model:\n    pass\n")
    (shared_home.work / "binary.py").write_bytes(b"\x7fELF\0\0" + bytes(range(256)))
    (shared_home.work / "latin.py").write_bytes(b"#\n# caf\xe9\n")
    shared_home.write("wrong.yaml", "name: a\ntasks: [relu.py]\ntargets: [{device: cpu, dsl: cpp}]\n")
    targets = {
        "dsl": "{device: cpu:0, dsl: cobol}",
        "device": "{device: toaster:0, dsl: cpp}",
        "language": "{device: cpu:0, dsl: triton}",
        "gpu": "{device: cuda:7, dsl: triton}",
    }
    for name, target in targets.items():
        shared_home.write(f"{name}.yaml", f"name: a\ntasks: [relu.py]\ntargets: [{target}]\n")
    text = "name: a\ntasks: [relu.py]\ntargets: [{device: cpu:0, dsl: cpp}]\nagents: {planner: gpt-99}\n"
    shared_home.write("model.yaml", text)
    (shared_home.work / "folder").mkdir()
    os.mkfifo(shared_home.work / "pipe.py")
    shared_home.write("syntax.py", "class Model:\n    pass\ndef get_inputs(:\n    return []\n")
    shared_home.write("only_syntax.py", "def f(:\n")
    shared_home.write("package.py", "import torch\nimport no_such_package\n" + task("relu"))
    shared_home.write("mentions.py", "# Model\ndef get_inputs():\n    return []\n")
    shared_home.write("tasks.yaml", "name: a\ntasks: [package.py, relu.py]\ntargets: [{device: cpu:0, dsl: cpp}]\n")
    problem = {"level": 1, "problem_id": 1, "name": "relu", "code": task("relu")}
    shared_home.write("problems.jsonl", json.dumps(problem) + "\n")
    return shared_home


@pytest.mark.parametrize(("arguments", "code", "words"), REFUSED, ids=[" ".join(x[0]) for x in REFUSED])
def test_what_can_not_be_done_is_refused_in_one_sentence(
    odd_files: Home, arguments: list[str], code: int, words: str
) -> None:
    ended = odd_files.run(*arguments)
    assert (ended.code, ended.out) == (code, ""), ended.err
    assert words in ended.sentence()
    assert ended.err.count("\n") == 1
    assert odd_files.runs() == []


@pytest.mark.parametrize(("arguments", "code", "where"), WHERE, ids=[" ".join(x[0]) for x in WHERE])
def test_an_error_is_a_document_too(odd_files: Home, arguments: list[str], code: int, where: str) -> None:
    ended = odd_files.run(*arguments, "--json")
    error = ended.document("kernelmesh.error/1")["error"]
    assert (ended.code, error["exit_code"], error["where"]) == (code, code, where)
    assert ended.err == f"kernelmesh: {error['message']}\n"


def test_a_run_is_refused_with_all_that_its_tasks_texts_say(home: Home) -> None:
    home.write("relu.py", task("relu"))
    home.write("odd_a.py", "class Model(:\n    get_inputs = 1\n")
    home.write("odd_b.py", "import no_such_package\n" + task("relu"))
    text = 'name: a\ntasks: [relu.py, "odd_*.py"]\ntargets: [{device: cpu:0, dsl: cpp}]\nrepeats: 3\n'
    ended = home.run("run", home.write("run.yaml", text))
    assert (ended.code, ended.out) == (2, "")
    first, second = ended.err.splitlines()
    assert first.startswith("kernelmesh: odd_a.py:1: it is no valid Python: ")
    assert second.startswith("odd_b.py:1: it needs the package no_such_package, which ") and "install" in second
    assert home.runs() == []


def test_a_config_is_refused_with_all_that_is_wrong_in_it(home: Home) -> None:
    simulated(home)
    text = SIMULATED.format(ms=2).replace("targets:", "tragets:").replace("evaluations: 8", "evaluations: many")
    ended = home.run("run", home.write("bad.yaml", text))
    ended.sentence()
    assert ended.code == 2
    line = text.splitlines().index(next(x for x in text.splitlines() if x.startswith("tragets"))) + 1
    assert f'bad.yaml:{line}: unknown key "tragets"; did you mean "targets"?' in ended.err
    assert '"limits.evaluations" is "many"' in ended.err
    assert home.runs() == []


def test_a_python_without_torch_is_refused(home: Home) -> None:
    home.write("relu.py", task("relu"))
    bare = home.write("python", f'#!/bin/sh\nexec "{PYTHON}" -I -S "$@"\n')
    bare.chmod(0o755)
    ended = home.run("optimize", "relu.py", python=str(bare))
    assert ended.code == 2
    assert "no torch" in ended.sentence() and "scripts/quickstart" in ended.sentence()
    assert "--python" in ended.sentence()
    assert home.run("optimize", "relu.py", python="/none/python").code == 2
    assert "--device" in home.run("optimize", "relu.py", "--device", "cuda:7", python="/none/python").sentence()
    checked = home.run("doctor", "--json", python=str(bare))
    assert checked.code == 3
    assert checked.document("kernelmesh.doctor/1")["fit"] is False
