"""Commands that look: watch, trace, run --estimate, completion, and what doctor advises."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from home import PYTHON, Home, wait_until
from simulated_run import simulated
from test_cli import commands

# -- watch ------------------------------------------------------------------------------------------------------------


def test_watch_follows_a_run_of_another_process_to_its_end(home: Home) -> None:
    node = home.start("run", simulated(home, ms=150))
    wait_until(lambda: home.only_journal().count() > 2, "facts")
    watching = home.start("watch", "--json")
    assert home.end(node).code == 0
    ended = home.end(watching)
    assert ended.code == 0, ended.err
    (run,) = ended.document("kernelmesh.status/1")["runs"]
    assert (run["run"], run["phase"]) == (home.runs()[0], "finished")
    assert re.search(r"^relu\.\S+: searching, \d/\d correct", ended.err, re.MULTILINE), ended.err
    assert "\x1b" not in ended.err


def test_watch_says_how_a_run_has_ended(home: Home) -> None:
    assert home.run("run", simulated(home)).code == 0
    ended = home.run("watch", home.runs()[0])
    assert (ended.code, ended.err) == (0, "")
    assert home.runs()[0] in ended.out and "finished" in ended.out


def test_watch_needs_a_run(home: Home) -> None:
    nothing = home.run("watch")
    assert nothing.code == 2 and "no run is under way" in nothing.sentence()
    unknown = home.run("watch", "none", "--json")
    assert unknown.code == 2 and 'no run "none"' in unknown.sentence()


# -- trace ------------------------------------------------------------------------------------------------------------


def test_a_trace_has_a_span_for_each_stage(home: Home) -> None:
    assert home.run("run", simulated(home)).code == 0
    ended = home.run("trace", home.runs()[0])
    assert ended.code == 0, ended.err
    document = ended.document("kernelmesh.trace/1")
    spans = [x for x in document["traceEvents"] if x["ph"] == "X" and x["cat"] != "wait"]
    journaled = home.only_journal().of_kind("stage_finished", "stage_failed")
    assert sorted(x["cat"] for x in spans) == sorted(x.result["kind"] for x in journaled)
    assert all(x["ts"] >= 0 and x["dur"] >= 0 for x in spans)
    names = {x["tid"]: x["args"]["name"] for x in document["traceEvents"] if x["ph"] == "M"}
    assert {names[x["tid"]] for x in spans} == {x.result["resource"] for x in journaled}

    to_file = home.run("trace", home.runs()[0], "--out", "trace.json")
    assert (to_file.code, to_file.out) == (0, f"{home.work}/trace.json\n")
    assert json.loads((home.work / "trace.json").read_text()) == document


# -- estimate ---------------------------------------------------------------------------------------------------------


def test_an_estimate_starts_nothing_and_learns_from_earlier_runs(home: Home) -> None:
    config = simulated(home, ms=40)
    first = home.run("run", config, "--estimate", "--json").document("kernelmesh.estimate/1")
    assert (first["jobs"], first["evaluations"], first["stages"]) == (1, 8, 25)
    assert set(first["measured"].values()) == {0}
    assert home.runs() == []
    assert home.run("run", config).code == 0
    second = home.run("run", config, "--estimate", "--json").document("kernelmesh.estimate/1")
    assert second["measured"]["compile"] > 0
    assert 0 < second["seconds"] < first["seconds"]
    said = home.run("run", config, "--estimate")
    assert (said.code, len(home.runs())) == (0, 1)
    assert said.out.startswith("estimate for simulated, nothing was started") and "at most" in said.out


# -- completion -------------------------------------------------------------------------------------------------------

SHELLS = ["bash", "zsh", "fish"]


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_every_command(home: Home, shell: str) -> None:
    ended = home.run("completion", shell)
    assert ended.code == 0, ended.err
    assert all(
        x in ended.out for x in [*commands(), "kernelbench", "shrink-to", "--json" if shell != "fish" else "json"]
    )
    document = home.run("completion", shell, "--json").document("kernelmesh.completion/1")
    assert (document["shell"], document["script"]) == (shell, ended.out)
    if shutil.which(shell):
        file = home.write(f"script.{shell}", ended.out)
        assert subprocess.run([shell, "-n", str(file)], capture_output=True, check=False).returncode == 0


def completed(home: Home, *words: str) -> list[str]:
    file = home.write("completion.bash", home.run("completion", "bash").out)
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kernelmesh; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    argv = ["bash", "-c", script, "bash", str(file), "kernelmesh", *words]
    return subprocess.run(argv, capture_output=True, text=True, check=True, cwd=home.work).stdout.split()


def test_bash_completes_commands_flags_and_files(home: Home) -> None:
    home.write("task.py", "")
    assert completed(home, "opt") == ["optimize"]
    assert completed(home, "optimize", "--eval") == ["--evaluations"]
    assert completed(home, "optimize", "ta") == ["task.py"]
    assert completed(home, "bench", "ker") == ["kernelbench"]
    assert completed(home, "bench", "kernelbench", "--shr") == ["--shrink-to"]


def test_completion_of_an_unknown_shell_is_refused(home: Home) -> None:
    ended = home.run("completion", "cmd.exe")
    assert ended.code == 2 and '"bash", "zsh" or "fish"' in ended.sentence()


# -- doctor -----------------------------------------------------------------------------------------------------------


def test_doctor_advises_wherever_something_is_missing(home: Home) -> None:
    bare = home.write("python", f'#!/bin/sh\nexec "{PYTHON}" -I -S "$@"\n')
    bare.chmod(0o755)
    checked = home.run("doctor", "--json", python=str(bare))
    assert checked.code == 3
    assert checked.err == "starting the workers of cpu:0: they import torch\n"  # what takes a while is said before
    checks = checked.document("kernelmesh.doctor/1")["checks"]
    assert any(x["state"] == "missing" for x in checks)
    assert all(bool(x["remedy"]) == (x["state"] in ("missing", "problem")) for x in checks)


def test_doctor_shows_the_events_of_a_start_only_when_asked(home: Home) -> None:
    config = home.write("system.yaml", "devices:\n  - name: simulated:0\n    simulated: {}\ncompilers: [cpp]\n")
    quiet = home.run("doctor", "--system", config)
    assert quiet.code == 0 and quiet.err == ""
    assert "resource_joined local/simulated:0" in home.run("doctor", "--system", config, "--verbose").err


@pytest.mark.long
def test_a_device_is_measured_once_and_again_when_asked(home: Home) -> None:
    first = home.run("doctor", "--json")
    assert first.code == 0, first.out
    (check,) = [x for x in first.document("kernelmesh.doctor/1")["checks"] if x["name"] == "calibration of cpu:0"]
    assert re.match(r"copies [\d.]+ GB/s, multiplies and adds \d+ GFLOP/s, measured 20\d\d-", check["text"])
    file = home.state / "calibrations" / "cpu_0.json"
    written = file.read_text()
    kept = json.loads(written) | {"copy_bytes_per_second": 5e9}
    file.write_text(json.dumps(kept))
    second = home.run("doctor")
    assert "copies 5.0 GB/s" in second.out
    assert json.loads(file.read_text()) == kept
    assert home.run("doctor", "--measure").code == 0
    again = json.loads(file.read_text())
    assert again["copy_bytes_per_second"] != 5e9 and again["at_ms"] > kept["at_ms"]
