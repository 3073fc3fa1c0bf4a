"""The candidates that the judge is proven against: files whose first lines say what is expected of them.

A candidate is NAME.py (a python_host entry, `ModelNew`) or NAME.cpp (a c_abi entry). Its docstring or first comment
tells what it tries and has these lines:

    task: NAME           file of tasks/
    expect: KIND KIND    kinds of failure that are right; `passed` if it must pass
    class: B none        classes that are right, `none` for a verdict without one; left out: not looked at
    library: NAME        native/NAME.cpp, built and given to a Python candidate as kernel.so
    function: NAME       of a c_abi candidate; kernelmesh_run if left out
    options: {JSON}      of judge_options
    precision: CLASS     what `judging.precision` or the rejection's details must say
    degenerate: yes      if it passes, then only as one on a degenerate task
    slow: yes            if it passes, then with the time that it really takes: far behind eager
    sandboxed: yes       only a sandbox stops it, or keeps it from harming others; left out without one
    weights: HOW         what `judging.weights` must say
    never: TEXT          what the message must not say where there is a sandbox
    long: yes            only with the long tests
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
_FIELD = re.compile(r"^[ /*#]*([a-z]+): *(.+?)\s*$")
_KNOWN = frozenset(
    "task expect class library function options precision degenerate slow sandboxed weights long never".split()
)


@dataclass(frozen=True)
class Candidate:
    name: str
    file: Path
    task: str
    expect: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    library: str = ""
    function: str = "kernelmesh_run"
    options: dict[str, Any] = field(default_factory=dict)
    precision: str = ""
    weights: str = ""
    never: str = ""
    degenerate: bool = False
    slow: bool = False
    sandboxed: bool = False

    @property
    def is_native(self) -> bool:
        return self.file.suffix == ".cpp"

    @property
    def task_code(self) -> str:
        return (self.file.parents[1] / "tasks" / f"{self.task}.py").read_text(encoding="utf-8")


def read(file: Path) -> Candidate:
    fields = _fields(file)
    texts = {key: fields[key] for key in ("library", "function", "precision", "weights", "never") if key in fields}
    return Candidate(
        name=file.stem,
        file=file,
        task=fields["task"],
        expect=frozenset(fields["expect"].split()),
        classes=frozenset(fields.get("class", "").split()),
        options=json.loads(fields.get("options", "{}")),
        degenerate="degenerate" in fields,
        slow="slow" in fields,
        sandboxed="sandboxed" in fields,
        **texts,
    )


def candidates(folder: str, of: Path = HERE) -> list[Any]:
    """Parameters for pytest: one a file, sorted by name."""
    files = sorted(x for x in (of / folder).iterdir() if x.suffix in (".py", ".cpp"))
    return [pytest.param(read(x), id=x.stem, marks=[pytest.mark.long] if "long" in _fields(x) else []) for x in files]


def _fields(file: Path) -> dict[str, str]:
    """Of the file's first comment."""
    text = file.read_text(encoding="utf-8")
    end = text.find('"""', 3) if file.suffix == ".py" else text.find("\n#")
    pairs = (match.groups() for match in map(_FIELD.match, text[:end].splitlines()) if match)
    return {key: value for key, value in pairs if key in _KNOWN}
