"""The command line as a contract: exit codes, one document on stdout, one sentence for what is wrong."""

from __future__ import annotations

import re
from typing import Any

import pytest
from conftest import new_home
from home import ROOT, Home
from journal import assert_whole
from simulated_run import simulated
from task_files import CANDIDATE, task

VERIFY_FIELDS = (
    "task candidate dsl device verdict failure tier why_hosted sandbox policy precision weights degenerate_task seeds "
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


# -- help -------------------------------------------------------------------------------------------------------------


def commands() -> list[str]:
    return [
        "optimize", "verify", "bench", "run", "resume", "status", "watch", "trace", "report", "export", "doctor",
        "node", "certs", "completion",
    ]  # fmt: skip


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
    assert home.run("export", finished, "relu").err == ""
    again = home.run("export", finished, "relu")
    assert (again.code, again.err) == (0, "an earlier export of relu in relu_kernel.py was replaced\n")


def test_of_several_jobs_of_a_task_the_fastest_is_exported_and_named(home: Home) -> None:
    config = simulated(home)
    config.write_text(config.read_text() + "repeats: 2\n")
    ended = home.run("run", config)
    assert ended.code == 0 and "repeat" in ended.out, ended.err
    (run,) = home.runs()
    exported = home.run("export", run, "relu")
    assert exported.code == 0
    assert exported.err.startswith("the fastest of 2 jobs of relu: relu.simulated_0.cpp.default.")
    assert home.run("export", run, "relu.simulated_0.cpp.default.2", "--out", "second.py").err == ""


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
    assert ended.code == 2
    assert "relu.py/r.html" in ended.sentence() and "--out" in ended.sentence()
    assert home.run("export", finished, "relu", "--out", "/proc/none.py").code == 2
    assert_whole(home.journal(finished))


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
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
