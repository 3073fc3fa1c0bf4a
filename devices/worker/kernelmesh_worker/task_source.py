"""What can be said of a task's text without running it. Without torch, and by itself: as a program it looks at tasks
before anything is started. `PYTHON -I task_source.py FILE...`: each file is a record `task` as JSON; prints for each
that can't work `kernelmesh-task {"file", "line", "message"}`, a line each.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import sys
import warnings
from pathlib import Path

NEEDED = {
    ("Model",): 'it has no class "Model"; write the reference as a torch.nn.Module of that name',
    ("get_inputs", "get_inputs_dyn_list"): 'it has no function "get_inputs"; add one that returns a list of '
    "the inputs of Model.forward",
}
CANDIDATE = 'it has "ModelNew" but no "Model"; it looks like a candidate, give the task first and then the candidate'
_OPEN_ENDED = {"exec", "globals", "setattr", "vars"}  # whatever these define can't be read off the text
Problem = tuple[int, str]


def missing_package(module: str) -> str:
    """What to do about a module that can't be found; empty if its package is there."""
    package = module.partition(".")[0]
    if not package or _is_there(package):
        return ""
    python = sys.executable
    install = f"{python} -m pip install" if _is_there("pip") else f"uv pip install --python {python}"
    return f"it needs the package {package}, which {python} does not have; install it: `{install} {package}`"


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):  # half a package: importing it says more
        return True


def problem_in(code: str) -> Problem | None:
    """The first thing that stops the task whatever happens: its line, 0 if none, and a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(code)
            compile(code, "task", "exec")  # a return outside of a function parses
        except SyntaxError as error:
            return error.lineno or 0, f"it is no valid Python: {error.msg}"
        except (ValueError, RecursionError, MemoryError):
            return None
    return _absent_import(tree) or _absent_name(tree)


def _absent_import(tree: ast.Module) -> Problem | None:
    """Of imports that are carried out in any case: not those of a branch, a try or a function."""
    for node in tree.body:
        names = [x.name for x in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [node.module]
        for name in names:
            if said := missing_package(name):
                return node.lineno, said
    return None


def _absent_name(tree: ast.Module) -> Problem | None:
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name)
        elif isinstance(node, ast.Name):
            bound.add(node.id if isinstance(node.ctx, ast.Store) or node.id in _OPEN_ENDED else "")
    if bound & {"*", *_OPEN_ENDED}:
        return None
    if "ModelNew" in bound and "Model" not in bound:
        return 0, CANDIDATE
    return next(((0, sentence) for names, sentence in NEEDED.items() if not bound & set(names)), None)


def main(files: list[str]) -> None:
    for file in files:
        problem = problem_in(json.loads(Path(file).read_text())["code"])
        if problem:
            print("kernelmesh-task " + json.dumps({"file": file, "line": problem[0], "message": problem[1]}))


if __name__ == "__main__":
    main(sys.argv[1:])
