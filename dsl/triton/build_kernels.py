"""Compiles Triton functions to binaries without a GPU: build_kernels.py ORDER, in the folder where results go.

A program of its own, since a candidate's Python runs when it is imported, and a compiler may crash. ORDER is JSON:
{"file": path, "functions": [name], "capability": 90, "limit": bytes}. Writes NUMBER.cubin for each function and
result.json: {"kernels": [...]} or {"error": {"line": n, "message": text}}. The file's table KERNELS says of each
function: signature (name -> type, "constexpr" among them), constants, aligned (names of pointers that are multiples of
16), num_warps, num_stages, and if wanted num_ctas, maxnreg.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import json
import os
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

KEYS = {"signature", "constants", "aligned", "num_warps", "num_stages", "num_ctas", "maxnreg"}
REGISTERS = re.compile(r"Used (\d+) registers")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
STACK = re.compile(r"(\d+) bytes stack frame")


class Refused(Exception):
    """What is wrong with the candidate, in one line."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def main() -> None:
    order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.environ.update(order["environment"])  # before Triton is imported, which reads it
    try:
        result: dict[str, Any] = {"kernels": build(order)}
    except Refused as refused:
        result = {"error": {"line": refused.line, "message": str(refused)}}
    Path("result.json").write_text(json.dumps(result), encoding="utf-8")


def build(order: dict[str, Any]) -> list[dict[str, Any]]:
    module = load(order["file"])
    table = getattr(module, "KERNELS", None)
    if not isinstance(table, dict):
        raise Refused("there is no table KERNELS that says how the kernels are compiled")
    return [build_one(order, module, table, i, name) for i, name in enumerate(order["functions"])]


def load(file: str) -> ModuleType:
    """The candidate's own code runs here."""
    described = importlib.util.spec_from_file_location("candidate_kernels", file)
    if described is None or described.loader is None:
        raise Refused("is no Python file")
    module = importlib.util.module_from_spec(described)
    sys.modules["candidate_kernels"] = module
    try:
        described.loader.exec_module(module)
    except SyntaxError as error:
        raise Refused(f"SyntaxError: {error.msg}", error.lineno or 0) from None
    except BaseException as error:
        raise Refused(said(error), line_in(error, file)) from None
    return module


def said(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:400]


def line_in(error: BaseException, file: str) -> int:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] or 0 if lines else 0


def build_one(
    order: dict[str, Any], module: ModuleType, table: dict[str, Any], index: int, name: str
) -> dict[str, Any]:
    from triton.compiler import CompilationError
    from triton.runtime.errors import PTXASError
    from triton.runtime.jit import JITFunction

    function = getattr(module, name, None)
    if not isinstance(function, JITFunction):
        raise Refused(f"{name} is no function under @triton.jit")
    entry = checked(name, table.get(name), function.arg_names)
    log = io.StringIO()
    try:
        with contextlib.redirect_stdout(log):
            compiled = compile_one(order, function, entry)
    except CompilationError as error:
        inside = getattr(error.node, "lineno", 1)
        raise Refused(reason(error), line_of(function) + inside - 1) from None
    except PTXASError as error:
        raise Refused(f"ptxas: {assembler_line(str(error))}") from None
    except Exception as error:  # noqa: BLE001 - the compiler's passes raise what they like
        raise Refused(f"{name}: {said(error)}", line_of(function)) from None
    Path(f"{index}.cubin").write_bytes(compiled.asm["cubin"])
    return described(name, entry, compiled, log.getvalue()) | {"line": line_of(function)}


def line_of(function: Any) -> int:
    """Of its def, from which the compiler counts lines; decorators stand before it."""
    before = itertools.takewhile(lambda line: not line.lstrip().startswith("def "), function.raw_src)
    return function.starting_line_number + len(list(before))


def checked(name: str, entry: Any, arguments: list[str]) -> dict[str, Any]:
    if not isinstance(entry, dict) or not KEYS >= entry.keys() or "signature" not in entry:
        raise Refused(f"KERNELS[{name!r}] must be a dict with a signature and no keys but {', '.join(sorted(KEYS))}")
    signature = entry["signature"]
    if list(signature) != list(arguments):
        raise Refused(f"KERNELS[{name!r}]: the signature must name {', '.join(arguments)} in this order")
    constants = {key for key, kind in signature.items() if kind == "constexpr"}
    if constants != set(entry.get("constants", {})):
        raise Refused(f"KERNELS[{name!r}]: constants must give {', '.join(sorted(constants)) or 'nothing'}")
    return entry


def compile_one(order: dict[str, Any], function: Any, entry: dict[str, Any]) -> Any:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    names = list(entry["signature"])
    attributes = {(names.index(x),): [["tt.divisibility", 16]] for x in entry.get("aligned", [])}
    source = ASTSource(
        fn=function, signature=entry["signature"], constexprs=entry.get("constants", {}), attrs=attributes
    )
    options = {key: entry[key] for key in ("num_warps", "num_stages", "num_ctas", "maxnreg") if key in entry}
    return triton.compile(source, target=GPUTarget("cuda", order["capability"], 32), options=options)


def reason(error: BaseException) -> str:
    """The compiler's last line: those before show the source."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return said(cause) if cause is not error else said(error).removeprefix("CompilationError: ")


def assembler_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if "error" in line or "fatal" in line.lower()]
    return lines[0] if lines else text.strip().splitlines()[0]


def described(name: str, entry: dict[str, Any], compiled: Any, log: str) -> dict[str, Any]:
    metadata = compiled.metadata

    def number(pattern: re.Pattern[str], group: int = 1) -> int:
        found = pattern.search(log)
        return int(found[group]) if found else 0

    return {
        "function": name,
        "symbol": metadata.name,
        "warps": metadata.num_warps,
        "ctas": getattr(metadata, "num_ctas", 1),
        "shared": metadata.shared,
        "scratch": getattr(metadata, "global_scratch_size", 0),
        "scratch_align": getattr(metadata, "global_scratch_align", 1),
        "profile": getattr(metadata, "profile_scratch_size", 0) or 0,
        "arguments": sum(kind != "constexpr" for kind in entry["signature"].values()),
        "registers": number(REGISTERS),
        "spilled": number(SPILLS) + number(SPILLS, 2),
        "stack": number(STACK),
    }


if __name__ == "__main__":
    main()
