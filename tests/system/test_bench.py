"""`bench kernelbench`: a suite is solved problem by problem, stopped and gone on with, and summed up."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import pytest
from home import Ended, Home, wait_until
from journal import assert_whole
from task_files import task

NAMES = ["relu", "sigmoid", "tanh", "swish", "softsign"]
FAST = ("--evaluations", "2", "--baseline", "eager")


def problem(number: int, name: str, text: str = "", level: int = 1) -> dict[str, Any]:
    return {"level": level, "problem_id": number, "name": f"{number}_{name}", "code": text or task(name)}


def suite(home: Home, problems: list[dict[str, Any]] | None = None) -> Path:
    chosen = problems or [problem(i + 1, x) for i, x in enumerate(NAMES)]
    return home.write("suite.jsonl", "".join(json.dumps(x) + "\n" for x in chosen))


def bench(home: Home, data: Path, *more: str, json_wanted: bool = True) -> Ended:
    flags = ["--json"] if json_wanted else []
    return home.run("bench", "kernelbench", "--data", data, "--out", "out", *more, *flags)


def results(home: Home) -> list[dict[str, Any]]:
    return [json.loads(x) for x in (home.work / "out" / "results.jsonl").read_text().splitlines()]


def simulated(home: Home, ms: int = 4) -> str:
    """A system config whose device is simulated, as --system takes it."""
    home.write("simulated.yaml", (
        "devices:\n  - name: simulated:0\n"
        f"    simulated: {{latency_ms: {{trace: {ms}, compile: {ms}, verify: {ms}, time: {ms}}}}}\n"
        f"compilers:\n  - {{dsl: cpp, simulated: {{latency_ms: {{compile: {ms}}}}}}}\n"
    ))  # fmt: skip
    return "./simulated.yaml"


def on_simulated(home: Home, ms: int = 4) -> tuple[str, ...]:
    return ("--system", simulated(home, ms), "--device", "simulated:0")


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.usefixtures("measured")
def test_problems_of_a_suite_are_solved_and_summed_up(home: Home) -> None:
    mixed = [problem(19, "relu"), problem(22, "tanh"), problem(1, "sort", task("sort", "torch.sort(x).values")),
             problem(2, "odd", task("odd", "x.no_such_member"), level=2)]  # fmt: skip
    ended = bench(home, suite(home, mixed), *FAST)
    assert ended.code == 0, ended.err
    document = ended.document("kernelmesh.bench_kernelbench/1")
    assert document["correct"] == {"count": 2, "of": 4}
    assert [x["problem"] for x in document["not_covered"]] == ["kernelbench:1/1"]
    assert document["not_covered"][0]["remark"].startswith("not covered: aten.")
    assert document["failures"] == {"task_error": 1}
    assert document["degenerate"] == []
    lines = {x["problem"]: x for x in results(home)}
    assert {x: y["status"] for x, y in lines.items()} == {
        "kernelbench:1/19": "correct",
        "kernelbench:1/22": "correct",
        "kernelbench:1/1": "not_covered",
        "kernelbench:2/2": "task_error",
    }
    speedups = [lines[f"kernelbench:1/{x}"]["speedup"]["eager"] for x in (19, 22)]
    assert math.isclose(document["geomean"]["eager"], math.sqrt(math.prod(speedups)), rel_tol=1e-6)
    assert document["fast_p"]["1"] == sum(x > 1 for x in speedups) / 4
    page = Path(document["report"]).read_text()
    assert all(x["name"] in page for x in mixed)
    assert Path(document["results"]) == home.work / "out" / "results.jsonl"
    assert_whole(home.only_journal())
    home.assert_nothing_runs()


def test_a_checkout_is_read_like_the_lines(home: Home) -> None:
    for number, name in ((19, "relu"), (20, "tanh"), (40, "gelu")):
        home.write(f"checkout/KernelBench/level1/{number}_{name}.py", task(name))
    ended = bench(home, home.work / "checkout", "--level", "1", "--problem", "19-25", *on_simulated(home))
    assert ended.code == 0, ended.err
    assert [x["problem"] for x in results(home)] == ["kernelbench:1/19", "kernelbench:1/20"]


def test_a_bench_that_is_killed_goes_on_where_it_was(home: Home) -> None:
    data, more = suite(home), on_simulated(home, 20)
    node = home.start("bench", "kernelbench", "--data", data, "--out", "out", *more)
    file = home.work / "out" / "results.jsonl"
    wait_until(lambda: file.exists() and file.read_text().count("\n") >= 2, "two results")
    node.kill()
    assert home.end(node).code == -9
    before = home.only_journal().rows()
    with file.open("a") as out:
        out.write('{"problem": "kernelb')  # as a line that a crash cut
    ended = bench(home, data, *more)
    assert ended.code == 0, ended.err
    assert re.search(r"run \S+, [2-5] of 5 jobs done before", ended.err)
    assert len(home.runs()) == 1
    assert home.only_journal().rows()[: len(before)] == before
    assert_whole(home.only_journal())
    assert [x["problem"] for x in results(home)] == [f"kernelbench:1/{i}" for i in range(1, 6)]
    assert ended.document("kernelmesh.bench_kernelbench/1")["correct"] == {"count": 5, "of": 5}


def test_a_bench_that_has_ended_is_only_summed_up_again(home: Home) -> None:
    data, more = suite(home), on_simulated(home)
    first, rows = bench(home, data, *more), home.only_journal().rows()
    second = bench(home, data, *more)
    assert (first.code, second.code, second.out) == (0, 0, first.out)
    assert home.only_journal().rows() == rows
    assert "finished before" in second.err


@pytest.mark.long
def test_a_bench_that_another_process_drives_is_left_alone(home: Home) -> None:
    data, more = suite(home), on_simulated(home, 60)
    node = home.start("bench", "kernelbench", "--data", data, "--out", "out", *more)
    file = home.work / "out" / "results.jsonl"
    wait_until(lambda: file.exists() and file.read_text().count("\n") >= 1, "a result")
    second = bench(home, data, *more)
    assert second.code == 3 and "another process drives this run" in second.sentence()
    assert file.read_text().count("\n") >= 1
    assert home.end(node).code == 0
    assert len(results(home)) == 5


def test_resume_ends_a_bench_as_a_bench(home: Home) -> None:
    node = home.start("bench", "kernelbench", "--data", suite(home), "--out", "out", *on_simulated(home, 20))
    wait_until(lambda: home.only_journal().count() > 6, "facts")
    node.kill()
    home.end(node)
    ended = home.run("resume", home.runs()[0], "--system", "./simulated.yaml", "--json")
    assert ended.code == 0, ended.err
    assert ended.document("kernelmesh.bench_kernelbench/1")["correct"]["count"] == len(results(home)) == 5


def test_other_problems_want_another_folder(home: Home) -> None:
    data, more = suite(home), on_simulated(home)
    assert bench(home, data, "--problem", "1", *more).code == 0
    ended = bench(home, data, "--problem", "1-2", *more)
    assert ended.code == 2
    assert "another bench" in ended.sentence() and "--out" in ended.sentence()


def test_each_problem_is_repeated_with_other_seeds(home: Home) -> None:
    ended = bench(home, suite(home), "--problem", "1-2", "--repeat", "3", *on_simulated(home))
    assert ended.code == 0, ended.err
    assert [len(x["repeats"]) for x in results(home)] == [3, 3]
    jobs = home.only_journal().of_kind("run_started")[0].content["spec"]["jobs"]
    assert len({x["seed"] for x in jobs}) == 6
    assert ended.document("kernelmesh.bench_kernelbench/1")["correct"] == {"count": 2, "of": 2}


def test_progress_says_how_much_is_left(home: Home) -> None:
    ended = bench(home, suite(home), *on_simulated(home), json_wanted=False)
    assert re.search(r"\(\d of 5 jobs, about .* left\)", ended.err)
    assert "(5 of 5 jobs)" in ended.err
    assert ended.out.startswith("bench of run ") and "5 of 5" in ended.out


def test_a_task_may_be_a_problem_of_the_suite(home: Home) -> None:
    ended = home.run(
        "optimize", "kernelbench:1/2", "--data", suite(home), "--out", "out", "--json", *on_simulated(home)
    )
    assert ended.code == 0, ended.err
    assert ended.document("kernelmesh.optimize/1")["task"] == "2_sigmoid"
    assert (home.work / "out" / "2_sigmoid.py").is_file()
    unknown = home.run("optimize", "kernelbench:1/2")
    assert unknown.code == 2 and "--data" in unknown.sentence()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--data", "nowhere"), "nowhere"),
        (("--data", "suite.jsonl", "--problem", "one"), "--problem"),
        (("--data", "suite.jsonl", "--level", "7"), "no such problem"),
        (("--data", "suite.jsonl", "--dsl", "fortran"), "fortran"),
        (("--data", "suite.jsonl", "--dtype", "int4"), "int4"),
        (("--data", "suite.jsonl", "--shrink-to", "small"), "--shrink-to"),
        (("--data", "suite.jsonl", "--repeat", "0"), "--repeat"),
        ((), "--data"),
    ],
)
def test_wrong_flags_are_refused_with_one_sentence(home: Home, flags: tuple[str, ...], words: str) -> None:
    suite(home)
    ended = home.run("bench", "kernelbench", *flags, "--json")
    assert ended.code == 2
    assert words in ended.sentence()
    assert not home.runs()


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.long
def test_problems_are_shrunk_and_the_results_say_how(home: Home) -> None:
    large = problem(19, "relu", task("relu", rows=65536, columns=1024))
    ended = bench(home, suite(home, [large]), "--shrink-to", "4MiB", *FAST)
    assert ended.code == 0, ended.err
    (line,) = results(home)
    assert line["shrunk"] == {"ROWS": 512}
    assert line["status"] == "correct"
    (trace,) = home.only_journal().stages("trace")
    assert trace.result["outcome"]["verdict"]["finding"]["traced"]["shrunk"] == {"ROWS": 512}
    exported = (home.work / "out" / "19_relu.py").read_text()
    assert "524288" in exported or "512" in exported


@pytest.mark.alone
@pytest.mark.usefixtures("measured")
@pytest.mark.long
@pytest.mark.skipif("KERNELMESH_KERNELBENCH" not in os.environ, reason="KERNELMESH_KERNELBENCH names no KernelBench")
def test_elementwise_problems_of_kernelbench_are_solved(home: Home) -> None:
    data = Path(os.environ["KERNELMESH_KERNELBENCH"])
    ended = bench(home, data, "--level", "1", "--problem", "19-22,25-32", "--shrink-to", "16MiB", *FAST)
    assert ended.code == 0, ended.err
    counts = ended.document("kernelmesh.bench_kernelbench/1")["correct"]
    assert counts["count"] == counts["of"] > 0
