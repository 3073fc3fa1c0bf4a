"""Kernels for test_map_kernels.py: a graph goes through kernel_writer and g++ into a callable."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[3]


def writer() -> Path | None:
    """The program in $KERNELMESH_BUILD, else in the build folder that was written last."""
    folders = [Path(os.environ["KERNELMESH_BUILD"])] if "KERNELMESH_BUILD" in os.environ else ROOT.glob("build/*")
    programs = [folder / "kernel_writer" for folder in folders if (folder / "kernel_writer").exists()]
    return max(programs, key=lambda program: program.stat().st_mtime, default=None)


def dtype_name(x: torch.dtype) -> str:
    return str(x).removeprefix("torch.")


def spec(x: torch.Tensor) -> dict[str, Any]:
    return {"dtype": dtype_name(x.dtype), "shape": list(x.shape), "strides": list(x.stride())}


def value(name: str, index: int, x: torch.Tensor) -> dict[str, Any]:
    return {"name": name, "origin": "input", "index": index, "spec": spec(x)}


def node(name: str, op: str, output: torch.Tensor, **arguments: Any) -> dict[str, Any]:
    """Arguments: a name of a tensor, a number or "=text"."""

    def content(x: Any) -> dict[str, Any]:
        if isinstance(x, str) and x.startswith("="):
            return {"text": {"text": x[1:]}}
        return {"value": {"name": x}} if isinstance(x, str) else {"real": {"number": x}}

    listed = [{"name": key, "content": content(x)} for key, x in arguments.items()]
    return {"name": name, "op": f"aten.{op}", "arguments": listed, "output": spec(output)}


def graph(values: list[dict[str, Any]], nodes: list[dict[str, Any]]) -> dict[str, Any]:
    return {"version": 1, "task": "test", "values": values, "nodes": nodes, "outputs": [nodes[-1]["name"]]}


def write(
    folder: Path,
    of: dict[str, Any],
    knobs: dict[str, Any] | None = None,
    library: bool = False,
    others: Sequence[dict[str, Any]] = (),
    reference: dict[str, Any] | None = None,
    **more: Any,
) -> str:
    """The kernel's files in the folder; what the coder said. With `library`, torch computes what MAP does not;
    `others` are graphs of further shapes, `reference` is the task that the export takes its weights from, `more` are
    keys of kernel_writer's question."""
    folder.mkdir(parents=True, exist_ok=True)
    program = writer()
    assert program is not None
    recipes = ["map", "library"] if library else []
    asked = {"graph": of, "others": list(others), "knobs": knobs or {}}
    asked |= {"allow_library_calls": library, "recipes": recipes, "reference": reference} | more
    question = json.dumps(asked)
    done = subprocess.run([program, ROOT / "dsl", folder], input=question, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def load(folder: Path) -> ModuleType:
    """The export as a module."""
    described = importlib.util.spec_from_file_location(f"export_{folder.name}", folder / "export.py")
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def unary(folder: Path, op: str, x: torch.Tensor, knobs: dict[str, Any] | None = None, **arguments: Any) -> Any:
    """ModelNew of one operator over a tensor like x."""
    write(folder, graph([value("x", 0, x)], [node("y", op, x, self="x", **arguments)]), knobs)
    return load(folder).ModelNew()
