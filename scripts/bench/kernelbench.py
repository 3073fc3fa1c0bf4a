"""KernelBench problems for the benches: read, shrunk, optimized and verified by the kernelmesh that was built."""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from figures import ROOT, default_python

MEASURE = """
import json
import sys
import torch

def size(code):
    names = {}
    exec(compile(code, "task", "exec"), names)
    inputs = names["get_inputs"]()
    outputs = names["Model"](*names["get_init_inputs"]())(*inputs)
    return sum(x.nbytes for x in [*inputs, outputs] if isinstance(x, torch.Tensor))

with torch.device("meta"):
    for line in sys.stdin:
        try:
            print(size(json.loads(line)), flush=True)
        except Exception as problem:
            print(type(problem).__name__, str(problem).replace(chr(10), " ")[:200], flush=True)
"""


class Problem(NamedTuple):
    number: int
    name: str
    code: str


class Tools(NamedTuple):
    kernelmesh: Path
    python: str
    evaluations: int
    limit_bytes: int
    flags: tuple[str, ...]  # of optimize and verify


def numbers(text: str) -> set[int]:
    """Of "19-22,25"."""
    ends = [part.partition("-") for part in text.split(",")]
    return {x for first, _, last in ends for x in range(int(first), int(last or first) + 1)}


def read_problems(data: Path, level: int, wanted: set[int]) -> list[Problem]:
    """Of one level, by number."""
    rows = [json.loads(line) for line in data.read_text().splitlines() if line.strip()]
    found = [Problem(x["problem_id"], x["name"], x["code"]) for x in rows if x["level"] == level]
    found = sorted(x for x in found if x.number in wanted)
    if missing := wanted - {x.number for x in found}:
        sys.exit(f"{data} lacks problems {sorted(missing)} of level {level}")
    return found


# -- shrinking --------------------------------------------------------------------------------------------------------


def names_in(code: str, function: str) -> set[str]:
    found = [x for x in ast.parse(code).body if isinstance(x, ast.FunctionDef) and x.name == function]
    return {x.id for top in found for x in ast.walk(top) if isinstance(x, ast.Name)}


class Whole(NamedTuple):
    """A module global that is a whole number."""

    value: int
    line: int  # the last one of its assignment


def parts_of(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is assigned to what in `a, b = 1, 2`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def whole_globals(code: str) -> dict[str, Whole]:
    """Those above 1 that no constructor gets: batch sizes first, then the largest."""
    found = {}
    for x in (x for x in ast.parse(code).body if isinstance(x, ast.Assign)):
        for target, value in (pair for t in x.targets for pair in parts_of(t, x.value)):
            if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and type(value.value) is int:
                found[target.id] = Whole(value.value, x.end_lineno or x.lineno)
    fixed = names_in(code, "get_init_inputs")
    order = sorted(found, key=lambda name: ("batch" not in name.lower(), -found[name].value))
    return {name: found[name] for name in order if name not in fixed and found[name].value > 1}


def with_global(code: str, name: str, line: int, value: int) -> str:
    """Assigned again at once, so that what is computed from it follows."""
    lines = code.splitlines()
    lines.insert(line, f"{name} = {value}")
    return "\n".join(lines) + "\n"


class Unshrinkable(Exception):
    pass


class Sizes:
    """Bytes of a task's inputs and outputs, without making them: asked of one process, since torch loads slowly."""

    def __init__(self, python: str) -> None:
        command = [python, "-c", MEASURE]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def of(self, code: str) -> int:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(code) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if not answer.isdigit():
            raise Unshrinkable(f"its size can't be found out: {answer or 'the interpreter ended'}")
        return int(answer)

    def close(self) -> None:
        self._process.communicate()


def shrink(code: str, sizes: Sizes, limit_bytes: int) -> str:
    """Batch sizes as small as need be, but 2; then the largest of the others is halved until it fits."""
    while (size := sizes.of(code)) > limit_bytes:
        left = [(name, x) for name, x in whole_globals(code).items() if smaller(name, x.value, 0) < x.value]
        if not left:
            raise Unshrinkable("its module globals don't make it small enough")
        name, at = left[0]
        code = with_global(code, name, at.line, smaller(name, at.value, limit_bytes / size))
    return code


def smaller(name: str, value: int, share: float) -> int:
    """Of a batch size that share, where the task's size is in proportion to it; half of another."""
    return max(2, int(value * share)) if "batch" in name.lower() else max(4, value // 2)


# -- measuring --------------------------------------------------------------------------------------------------------


def ask(tools: Tools, folder: Path, *arguments: str) -> dict[str, Any]:
    """What a command answers; empty if it found no kernel or refused the task."""
    argv = [str(tools.kernelmesh), *arguments, *tools.flags, "--json", "--python", tools.python]
    environment = {**os.environ, "KERNELMESH_HOME": str(folder / "home")}
    ran = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        said = ran.stderr.strip().splitlines() or [f"ended with code {ran.returncode}"]
        print(f"{arguments[0]} of {arguments[1]}: {said[-1]}", file=sys.stderr)
    return json.loads(ran.stdout) if ran.returncode == 0 else {}


def speedup_of(problem: Problem, tools: Tools, sizes: Sizes, folder: Path) -> float:
    """Of the best kernel over eager; not a number if there is none, or its export does not pass."""
    task = folder / f"{problem.name}.py"
    try:
        task.write_text(shrink(problem.code, sizes, tools.limit_bytes))
    except Unshrinkable as why:
        print(f"{problem.name}: {why}", file=sys.stderr)
        return math.nan
    found = ask(tools, folder, "optimize", task.name, "--evaluations", str(tools.evaluations), "--out", "out")
    if not found.get("best"):
        return math.nan
    judged = ask(tools, folder, "verify", task.name, found["best"]["file"], "--no-time")
    return found["best"]["verify"]["timing"]["speedup_eager"]["value"] if judged else math.nan


def speedups_of(problems: list[Problem], tools: Tools) -> dict[str, float]:
    """By name; each is told on stderr when it is known."""
    speedups = {}
    sizes = Sizes(tools.python)
    with tempfile.TemporaryDirectory(prefix="kernelmesh-bench-") as folder:
        for problem in problems:
            speedups[problem.name] = speedup_of(problem, tools, sizes, Path(folder))
            print(f"{problem.name}: {speedups[problem.name]:.3g}", file=sys.stderr, flush=True)
    sizes.close()
    return speedups


# -- options and figures ----------------------------------------------------------------------------------------------


def parser_of(description: str, problems: str, limit_mib: int) -> argparse.ArgumentParser:
    """@param problems: those that are taken where none are named"""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--problem", type=numbers, default=problems)
    parser.add_argument("--evaluations", type=int, default=8)
    parser.add_argument("--mib", type=int, default=limit_mib, help="of inputs and outputs, at most")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--python", default=default_python())
    return parser


def tools_of(options: argparse.Namespace, *flags: str) -> Tools:
    if not options.data.is_file():
        sys.exit(f"there is no file {options.data}")
    if not (options.build / "kernelmesh").exists():
        sys.exit(f"{options.build}/kernelmesh is not built; run scripts/quickstart --no-run first")
    program = (options.build / "kernelmesh").resolve()
    return Tools(program, options.python, options.evaluations, options.mib << 20, flags)


def figures_of(speedups: dict[str, float], goal: int | None = None) -> dict[str, dict[str, Any]]:
    """One a problem, how many are correct (at least `goal`, else all), and the geometric mean of those."""
    right = [x for x in speedups.values() if x > 0]
    wanted = len(speedups) if goal is None else min(goal, len(speedups))
    figures: dict[str, dict[str, Any]] = {
        name: {"value": x if x > 0 else None, "unit": "x", "goal": {}, "ok": x > 0} for name, x in speedups.items()
    }
    mean = math.exp(sum(map(math.log, right)) / len(right)) if right else None
    figures["correct"] = {
        "value": len(right),
        "unit": "problems",
        "goal": {"min": wanted},
        "ok": len(right) >= wanted,
    }
    figures["geomean_speedup"] = {"value": mean, "unit": "x", "goal": {}, "ok": bool(right)}
    return figures


def print_figures(figures: dict[str, dict[str, Any]], as_json: bool) -> None:
    """One a line, or one document."""
    if as_json:
        print(json.dumps({"schema": "kernelmesh.figures/1", "figures": figures}, indent=2))
        return
    for name, x in figures.items():
        print(f"{name} {'none' if x['value'] is None else format(x['value'], '.4g')} {x['unit']}")
