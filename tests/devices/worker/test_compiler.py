"""The compiler role with an adapter made for the test."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boxes import boxed, build_folder
from family import Hub, environment
from kernelmesh_worker.adapter import TOOL_OUTPUT_BYTES, ToolEnded, run_tool

ADAPTER = """
import sys, time, threading
from kernelmesh_worker.adapter import CompileResult

both = threading.Barrier(2)

def toolchain():
    return "cc 1.0"

def check(request):
    return [{"file": "a.c", "line": 2, "message": "a lead"}]

def compile(request):
    text = request.read("a.c")
    if text == "together":
        both.wait(20)
    if text == "torch":
        return CompileResult(ok=True, message=str("torch" in sys.modules), toolchain=str("torch" in sys.modules))
    if text == "bug":
        raise KeyError("bug")
    if text == "bad":
        found = [{"file": "a.c", "line": 1, "message": "no;"}]
        return CompileResult(ok=False, message="no;\\nnot at all", log="\\x1b[1mlong", warnings=found)
    if text == "elsewhere":
        return CompileResult(ok=True, artifact="../a.so")
    open(request.folder + "/a.so", "w").write(request.arch)
    return CompileResult(ok=True, artifact="a.so")
"""


class Worker:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.numbers = itertools.count()
        self.hub = Hub(folder)
        self.adapter = folder / "adapter.py"
        self.adapter.write_text(ADAPTER, encoding="utf-8")
        argv = [sys.executable, "-m", "kernelmesh_worker", "compiler", "--connect", self.hub.endpoint, "--id", "c"]
        command = boxed([*argv, "--adapter", str(self.adapter)], folder)
        self.process = subprocess.Popen(command, env=environment(folder), cwd=folder)
        self.hello = self.hub.receive()

    def send(self, text: str) -> int:
        source = self.folder / f"source {next(self.numbers)}"  # a build may still read an earlier one
        source.write_text(text, encoding="utf-8")
        work = {"manifest": {}, "files": {"a.c": str(source)}, "adapter": str(self.adapter)}
        return self.hub.send("c", "compile", work | {"arch": "x86-64-v3", "folder": str(self.folder)})

    def ask(self, text: str) -> tuple[str, dict[str, Any]]:
        return self.hub.reply(self.send(text))


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    worker = Worker(tmp_path_factory.mktemp("compiler"))
    yield worker
    worker.process.kill()
    worker.process.wait()
    worker.hub.close()


def test_hello_names_the_toolchain(worker: Worker) -> None:
    command, kind, record = worker.hello
    assert (command, kind, record["role"], record["version"]) == (0, "hello", "compiler", 1)
    assert record["environment"]["toolchain"] == "cc 1.0"
    assert record["pid"] == (2 if build_folder() else worker.process.pid)  # the second one in its pid namespace


def test_a_build_gives_its_artifact_and_leads(worker: Worker) -> None:
    lead = {"file": "a.c", "line": 2, "message": "a lead"}
    assert worker.ask("good") == ("compiled", {"artifact": "a.so", "toolchain": "cc 1.0", "warnings": [lead]})
    assert (worker.folder / "a.so").read_text(encoding="ascii") == "x86-64-v3"


def test_a_refusal_is_cleaned(worker: Worker) -> None:
    kind, record = worker.ask("bad")
    assert kind == "compile_refused"
    assert (record["kind"], record["message"], record["log"]) == ("compile_error", "no;", "?[1mlong")
    assert [x["message"] for x in record["findings"]] == ["a lead", "no;"]


def test_a_bug_of_the_adapter_is_a_failure(worker: Worker) -> None:
    assert worker.ask("bug") == ("failed", {"message": "the adapter could not build: KeyError: 'bug'"})


def test_an_artifact_outside_of_the_folder_is_a_failure(worker: Worker) -> None:
    assert worker.ask("elsewhere")[0] == "failed"


@pytest.mark.skipif(len(__import__("os").sched_getaffinity(0)) < 2, reason="one core builds one at a time")
def test_builds_run_side_by_side(worker: Worker) -> None:
    wanted = {worker.send("together") for _ in range(2)}
    answers = [worker.hub.receive() for _ in range(2)]
    assert {x[0] for x in answers} == wanted
    assert {x[1] for x in answers} == {"compiled"}


def test_a_compiler_loads_no_torch(worker: Worker) -> None:
    assert worker.ask("torch")[1]["toolchain"] == "False"


# -- run_tool ---------------------------------------------------------------------------------------------------------


def test_a_tool_gives_code_and_output(tmp_path: Path) -> None:
    assert run_tool(["sh", "-c", "echo out; echo err >&2; exit 3"], 20, str(tmp_path)) == (3, "out\nerr\n", False)


def test_a_tool_is_ended_at_its_limit_with_all_it_started(tmp_path: Path) -> None:
    start = time.monotonic()
    result = run_tool(["sh", "-c", "sleep 600 & echo begun; wait"], 0.5, str(tmp_path))
    assert (result.output, result.timed_out, result.code) == ("begun\n", True, -9)
    assert time.monotonic() - start < 20


def test_the_output_of_a_tool_is_bounded(tmp_path: Path) -> None:
    result = run_tool(["sh", "-c", "yes | head -c 1000000"], 20, str(tmp_path))
    assert (len(result.output), result.code) == (TOOL_OUTPUT_BYTES, 0)


def test_a_tool_that_somebody_kills_says_nothing_of_its_sources(tmp_path: Path) -> None:
    with pytest.raises(ToolEnded, match="sh was ended by signal 9"):
        run_tool(["sh", "-c", "kill -9 $$"], 20, str(tmp_path))


def test_a_tool_that_crashes_is_a_result(tmp_path: Path) -> None:
    assert run_tool(["sh", "-c", "kill -11 $$"], 20, str(tmp_path)).code == -11
