"""What the benches share: the interpreter, goals, and how figures are printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Goals = dict[str, dict[str, float]]


def default_python() -> str:
    """The interpreter that kernelmesh itself would take, as far as a script can tell."""
    candidates = [os.environ.get("KERNELMESH_PYTHON", ""), os.environ.get("VIRTUAL_ENV", "") + "/bin/python"]
    candidates.append(str(ROOT / ".venv" / "bin" / "python"))
    return next((x for x in candidates if x and Path(x).exists()), sys.executable)


def built(build: Path, program: str) -> Path:
    """A program of benchmarks in a build folder, made now if it is not there: what users run holds none."""
    made = subprocess.run(["cmake", "--build", str(build), "--target", program], stdout=sys.stderr, check=False)
    if made.returncode != 0:
        sys.exit(f"{program} can't be built in {build}; run scripts/quickstart --no-run first")
    return build.resolve() / program  # resolved: processes of a node run in folders of their own


def met(value: float, goal: dict[str, float]) -> bool:
    """Within the goal's bounds."""
    return goal.get("min", value) <= value <= goal.get("max", value)


def report(found: dict[str, tuple[float, str]], goals: Goals, as_json: bool) -> int:
    """Prints one figure a line, or one document; the exit code. `found`: value and unit by name."""
    figures = {}
    for name, (value, unit) in found.items():
        figures[name] = {"value": value, "unit": unit, "goal": goals[name], "ok": met(value, goals[name])}
    if as_json:
        print(json.dumps({"schema": "kernelmesh.figures/1", "figures": figures}, indent=2))
    else:
        for name, x in figures.items():
            print(f"{name} {x['value']:.4g} {x['unit']}" + ("" if x["ok"] else f"   misses its goal {x['goal']}"))
    return 0 if all(x["ok"] for x in figures.values()) else 1
