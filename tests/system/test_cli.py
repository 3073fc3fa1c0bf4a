"""The command line as a contract: exit codes, one document on stdout, one sentence for what is wrong."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import new_home
from home import BINARY, PYTHON, ROOT, Home
from journal import assert_whole
from simulated_run import SIMULATED, simulated
from task_files import task

CANDIDATE = """
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        return {expression}
"""
VERIFY_FIELDS = (
    "task candidate dsl device verdict failure tier sandbox policy precision weights degenerate_task seeds "
    "library draws "
    "environment.device_model environment.driver environment.torch environment.toolchain environment.kernelmesh "
    "error.max_abs error.max_rel error.reference_max_abs error.tolerance "
    "seconds.queue seconds.compile seconds.verify seconds.time seconds.total"
).split()
TIMING_FIELDS = (
    "candidate_ms.median candidate_ms.low candidate_ms.high candidate_ms.samples eager_ms.median compile_ms "
    "speedup_eager.value speedup_eager.low speedup_eager.high speedup_compile roofline_share own_kernel_share "
    "aa_noise clock"
).split()


def assert_has(document: dict[str, Any], fields: list[str]) -> None:
    for field in fields:
        at: Any = document
        for part in field.split("."):
            assert part in at, f"{field} is missing"
            at = at[part]


@pytest.fixture
def finished(home: Home) -> str:
    """Id of a run that has ended well."""
    ended = home.run("run", simulated(home), "--json")
    assert ended.code == 0, ended.err
    return ended.document("kernelmesh.run/1")["run"]


# -- help -------------------------------------------------------------------------------------------------------------


def commands() -> list[str]:
    return ["optimize", "verify", "run", "resume", "status", "report", "export", "doctor"]


def test_help_lists_every_command(home: Home) -> None:
    shown = home.run("--help")
    assert (shown.code, shown.err) == (0, "")
    listed = re.findall(r"^  (\w+)  ", shown.out.partition("Subcommands:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(commands())


@pytest.mark.parametrize("command", commands())
def test_help_of_a_command_has_an_example_of_it(home: Home, command: str) -> None:
    shown = home.run(command, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert re.search(rf"^Example:\n  kernelmesh {command}\b", shown.out, re.MULTILINE)
    assert "\x1b" not in shown.out


def test_files_of_the_examples_are_there() -> None:
    with new_home() as home:
        shown = "".join(home.run(x, "--help").out for x in commands())
    named = set(re.findall(r"configs/[\w/.]+\.(?:py|yaml)", shown))
    assert len(named) >= 2
    assert all((ROOT / x).is_file() for x in named)


# -- what is refused before anything starts ---------------------------------------------------------------------------

REFUSED = [
    (["frobnicate"], 2, 'no command "frobnicate"'),
    ([], 2, "subcommand is required"),
    (["optimize"], 2, "TASK is required"),
    (["optimize", "relu.py", "--frobnicate"], 2, "--frobnicate"),
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
    (["optimize", "relu.py", "--dsl", "cobol"], 2, 'no DSL "cobol"; known: "cpp"'),
    (["optimize", "relu.py", "--strategy", "luck"], 2, "--strategy"),
    (["optimize", "relu.py", "--system", "none"], 2, "no system config"),
    (["optimize", "relu.py", "--device", "cuda:7"], 3, 'no device "cuda:7"'),
    (["optimize", "relu.py", "--out", "relu.py/deeper"], 3, "--out"),
    (["optimize", "relu.py", "--out", "/proc/none"], 3, "--out"),
    (["verify", "relu.py"], 2, "CANDIDATE is required"),
    (["verify", "relu.py", "none.py"], 2, "does not exist"),
    (["verify", "relu.py", "relu.py"], 2, 'no class "ModelNew"'),
    (["verify", "relu.py", "folder"], 2, "no manifest.json"),
    (["verify", "relu.py", "candidate.py", "--draws", "1"], 2, "--draws"),
    (["verify", "relu.py", "candidate.py", "--policy", "lax"], 2, "--policy"),
    (["verify", "relu.py", "candidate.py", "--device", "cuda:7"], 3, 'no device "cuda:7"'),
    (["run", "none.yaml"], 2, "does not exist"),
    (["run", "empty.yaml"], 2, "empty"),
    (["run", "binary.py"], 2, "binary"),
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
    (["optimize", "relu.py", "--device", "cuda:7"], 3, "optimize"),
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
    (shared_home.work / "folder").mkdir()
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
    assert home.run("optimize", "relu.py", python="/none/python").code == 2
    checked = home.run("doctor", "--json", python=str(bare))
    assert checked.code == 3
    assert checked.document("kernelmesh.doctor/1")["fit"] is False


# -- the state folder -------------------------------------------------------------------------------------------------


def test_a_state_folder_that_can_not_be_made_is_refused(home: Home) -> None:
    config = simulated(home)
    for folder in ("/proc/kernelmesh", f"{home.work}/relu.py", f"{home.work}/relu.py/deeper"):
        ended = home.run("run", config, KERNELMESH_HOME=folder)
        assert ended.code == 3
        assert folder in ended.sentence() and "KERNELMESH_HOME" in ended.sentence()


def test_a_state_folder_on_a_read_only_disk_is_refused(home: Home) -> None:
    home.state.mkdir(mode=0o700)
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 77; exec "$2" run "$3"'
    argv = ["unshare", "-m", "sh", "-c", script, "sh", str(home.state), str(BINARY), str(simulated(home))]
    ended = subprocess.run(argv, capture_output=True, text=True, env=home.environment(), check=False, timeout=60)
    if ended.returncode in (1, 77, 127):
        pytest.skip("nothing may be mounted here")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "can't be written" in ended.stderr and len(ended.stderr.splitlines()) == 1


def everything(folder: Path) -> dict[str, bytes]:
    """But for what SQLite puts beside a journal while it is read."""
    return {
        str(x): x.read_bytes() for x in sorted(folder.rglob("*")) if x.is_file() and x.suffix in (".sqlite", ".json")
    }


@pytest.mark.parametrize("damage", ["newer", "garbage", "empty"])
def test_a_journal_that_can_not_be_read_is_left_as_it_is(home: Home, finished: str, damage: str) -> None:
    bad = home.state / "runs" / "bad"
    bad.mkdir()
    file = bad / "journal.sqlite"
    file.write_bytes((home.state / "runs" / finished / "journal.sqlite").read_bytes())
    if damage == "newer":
        with sqlite3.connect(file) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
    else:
        file.write_bytes(random.Random(1).randbytes(8192) if damage == "garbage" else b"")
    before = everything(home.state / "runs")
    words = {"newer": "newer kernelmesh", "garbage": "not a database", "empty": "never began"}[damage]
    for arguments in (["resume", "bad"], ["status", "bad"], ["report", "bad"], ["export", "bad", "relu"]):
        ended = home.run(*arguments)
        assert ended.code == 3, arguments
        assert words in ended.sentence()
    assert home.run("doctor", "bad").code == 3
    listed = home.run("status", "--json")
    assert [x["run"] for x in listed.document("kernelmesh.status/1")["runs"]] == [finished]
    assert words in listed.err
    assert everything(home.state / "runs") == before


# -- answers ----------------------------------------------------------------------------------------------------------


def test_what_is_known_of_a_finished_run(home: Home, finished: str) -> None:
    (run,) = home.run("status", "--json").document("kernelmesh.status/1")["runs"]
    assert (run["run"], run["phase"]) == (finished, "finished")
    assert finished in home.run("status").out

    reported = home.run("report", finished, "--out", "r.html", "--json")
    assert reported.code == 0, reported.err
    assert reported.document("kernelmesh.run/1")["report"] == str(home.work / "r.html")
    assert "<html" in (home.work / "r.html").read_text()

    exported = home.run("export", finished, "relu", "--out", "best.py")
    assert (exported.code, exported.out) == (0, f"{home.work}/best.py\n")
    assert "class ModelNew" in (home.work / "best.py").read_text()
    document = home.run("export", finished, "relu", "--json").document("kernelmesh.export/1")
    assert_has(document, ["run", "task", "candidate", "file"])
    assert document["file"] == str(home.work / "relu_kernel.py")
    assert home.run("export", finished, "none").code == 2

    again = home.run("resume", finished, "--json")
    assert (again.code, again.document("kernelmesh.run/1")["phase"]) == (0, "finished")
    assert home.run("doctor", finished, "--json").document("kernelmesh.doctor/1")["fit"] is True


def test_an_export_takes_no_other_file_s_place(home: Home, finished: str) -> None:
    before = (home.work / "relu.py").read_text()
    ended = home.run("export", finished, "relu", "--out", "relu.py")
    assert ended.code == 2
    assert "relu.py" in ended.sentence() and "--out" in ended.sentence()
    assert (home.work / "relu.py").read_text() == before
    assert home.run("export", finished, "relu").code == 0
    assert home.run("export", finished, "relu").code == 0  # its own


def test_doctor_finds_the_blobs_that_a_run_lacks(home: Home, finished: str) -> None:
    made = next(x for x in home.journal(finished).facts() if x.kind == "candidate_created")
    lost = made.content["manifest"]["sources"][0]["blob"]
    home.blob(lost).unlink()
    ended = home.run("doctor", finished, "--json")
    assert ended.code == 3
    document = ended.document("kernelmesh.doctor/1")
    (missing,) = [x for x in document["checks"] if x["name"] == "blobs"]
    assert (document["fit"], missing["state"]) == (False, "missing")
    assert missing["text"].startswith("1 of ") and lost in missing["text"]
    assert "copy" in missing["remedy"]


def test_a_run_says_what_it_does_on_stderr_and_gives_its_answer_on_stdout(home: Home) -> None:
    ended = home.run("run", simulated(home), NO_COLOR="1")
    assert ended.code == 0
    assert "verify" in ended.err and "verify" not in ended.out
    assert "relu" in ended.out
    assert "\x1b" not in ended.out + ended.err


def test_a_result_that_can_not_be_written_loses_nothing(home: Home, finished: str) -> None:
    ended = home.run("report", finished, "--out", "relu.py/r.html")
    assert ended.code == 3
    assert "relu.py/r.html" in ended.sentence()
    assert home.run("export", finished, "relu", "--out", "/proc/none.py").code == 3
    assert_whole(home.journal(finished))


def test_verify_answers_with_the_document_of_the_contract(home: Home) -> None:
    home.write("relu.py", task("relu"))
    home.write("good.py", CANDIDATE.format(expression="x.clamp_min(0)"))
    home.write("bad.py", CANDIDATE.format(expression="x * 2"))
    passed = home.run("verify", "relu.py", "good.py", "--allow-library-calls", "--json")
    assert passed.code == 0, passed.err
    document = passed.document("kernelmesh.verify/1")
    assert_has(document, VERIFY_FIELDS)
    assert_has(document["timing"], TIMING_FIELDS)
    assert (document["verdict"], document["failure"], document["device"]) == ("passed", None, "cpu:0")
    assert (document["task"], document["candidate"]) == ("relu", "good.py")
    assert len(document["seeds"]) >= 5
    assert document["library"] == ["aten::clamp_min"]
    assert {"own", "signed"} < set(document["draws"])
    times = document["timing"]["candidate_ms"]
    assert 0 < times["low"] <= times["median"] <= times["high"]

    refused = home.run("verify", "relu.py", "good.py", "--json", "--no-time")
    assert refused.code == 1, refused.err
    failure = refused.document("kernelmesh.verify/1")["failure"]
    assert (failure["kind"], failure["cheat_class"]) == ("library_calls", "E")

    failed = home.run("verify", "relu.py", "bad.py", "--json", "--no-time")
    assert failed.code == 1, failed.err
    document = failed.document("kernelmesh.verify/1")
    assert_has(document, VERIFY_FIELDS)
    assert (document["verdict"], document["timing"]) == ("failed", None)
    assert_has(document["failure"], ["stage", "kind", "cheat_class", "message", "details"])
    assert (document["failure"]["stage"], document["failure"]["kind"]) == ("verify", "wrong_values")
