"""`kernelmesh bench kernelbench` for the benches: run, its results read, its exports verified."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures import ROOT, default_python

Figures = dict[str, dict[str, Any]]


def parser_of(description: str, problems: str, shrink_to: str) -> argparse.ArgumentParser:
    """@param problems: those that are taken where none are named"""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--problem", default=problems)
    parser.add_argument("--evaluations", type=int, default=8)
    parser.add_argument("--shrink-to", default=shrink_to)
    parser.add_argument("--out", type=Path, help="folder for results; the same one goes on")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--python", default=default_python())
    return parser


class Bench:
    """One bench of one level in a folder of results."""

    def __init__(self, options: argparse.Namespace, level: int, folder: Path) -> None:
        self._program = (options.build / "kernelmesh").resolve()
        if not options.data.is_file():
            sys.exit(f"there is no file {options.data}")
        if not self._program.exists():
            sys.exit(f"{self._program} is not built; run scripts/quickstart --no-run first")
        self._options, self._level, self._folder = options, level, folder
        self._data = str(options.data.resolve())

    def results(self, *flags: str) -> list[dict[str, Any]]:
        """One a problem, sorted by number. Each with a kernel has "verified": whether its export passes `verify`."""
        x = self._options
        which = ["--data", self._data, "--level", str(self._level), "--problem", x.problem]
        limits = ["--shrink-to", x.shrink_to, "--evaluations", str(x.evaluations)]
        self._ask(["bench", "kernelbench", *which, *limits, "--out", str(self._folder), *flags], quiet=False)
        lines = (self._folder / "results.jsonl").read_text().splitlines()
        found = sorted(map(json.loads, lines), key=lambda x: int(x["problem"].rpartition("/")[2]))
        codes = {x["name"]: x["code"] for x in self._problems()}
        for one in found:
            one["verified"] = one["status"] == "correct" and self._passes(one, codes[one["name"]], flags)
        return found

    def _problems(self) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in Path(self._data).read_text().splitlines() if line.strip()]
        return [x for x in rows if x["level"] == self._level]

    def _passes(self, result: dict[str, Any], code: str, flags: tuple[str, ...]) -> bool:
        task = self._folder / f"{result['name']}.task.py"
        task.write_text(code + "".join(map(assignment, result["shrunk"].items())))
        exports = list(self._folder.glob(f"L{self._level}_{result['name']}.*.py"))
        return all(self._ask(["verify", str(task), str(x), "--no-time", *flags], quiet=True) for x in exports or [task])

    def _ask(self, arguments: list[str], quiet: bool) -> bool:
        """Whether it ended with 0. What it says of its progress goes to stderr."""
        argv = [str(self._program), *arguments, "--python", self._options.python]
        environment = os.environ | {"KERNELMESH_HOME": str(self._folder / "home")}
        ran = subprocess.run(argv, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if not quiet or ran.returncode != 0:
            print(ran.stdout, file=sys.stderr)
        return ran.returncode == 0


def assignment(shrunk: tuple[str, int]) -> str:
    """Of a module global, or of the item of one ("shape.0"), after all that the task assigns."""
    name, value = shrunk
    owner, dot, item = name.partition(".")
    if not dot:
        return f"\n{name} = {value}\n"
    return f"\n{owner} = type({owner})([*{owner}][:{item}] + [{value}] + [*{owner}][{item} + 1 :])\n"


def in_folder(options: argparse.Namespace, work: Callable[[Path], int]) -> int:
    """With the folder of results; without --out it goes when it is done."""
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        return work(options.out.resolve())
    with tempfile.TemporaryDirectory(prefix="kernelmesh-bench-") as folder:
        return work(Path(folder))


# -- figures ----------------------------------------------------------------------------------------------------------


def figure(value: float | None, unit: str, **goal: float) -> dict[str, Any]:
    ok = value is not None and goal.get("min", value) <= value
    return {"value": value, "unit": unit, "goal": goal, "ok": ok}


def geomean(values: list[float]) -> float | None:
    return math.exp(sum(map(math.log, values)) / len(values)) if values and min(values) > 0 else None


def figures_of(results: list[dict[str, Any]]) -> Figures:
    """Each problem's speedup over eager, and how many have a kernel whose export passes."""
    found = {x["name"]: figure(speedup_of(x, "eager") or None, "x") for x in results}
    return found | {"correct": figure(sum(x["verified"] for x in results), "problems")}


def speedup_of(result: dict[str, Any], over: str) -> float:
    """0 without one."""
    return (result["speedup"] or {}).get(over, 0.0) if result["verified"] else 0.0


def print_figures(figures: Figures, as_json: bool) -> None:
    """One a line, or one document."""
    if as_json:
        print(json.dumps({"schema": "kernelmesh.figures/1", "figures": figures}, indent=2))
        return
    for name, x in figures.items():
        value = "none" if x["value"] is None else format(x["value"], ".4g")
        print(f"{name} {value} {x['unit']}" + ("" if x["ok"] else f"   misses its goal {x['goal']}"))
