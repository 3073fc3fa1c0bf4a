"""How C++ candidates are built: one library with a C function, by g++."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from pathlib import Path, PurePosixPath

from kernelmesh_worker.adapter import CompileRequest, CompileResult, Finding, run_tool

COMPILER = "g++"
ARTIFACT = "kernel.so"
ABI = "kernelmesh_abi.h"  # whoever carries it has a library
LOG_BYTES = 16 << 10
MANIFEST = json.loads(Path(__file__).with_name("manifest.json").read_text(encoding="utf-8"))

ARCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
DIAGNOSTIC = re.compile(
    r"^(?:\./)?(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? (?P<level>fatal error|error|warning): (?P<text>.*)"
)
ENDED = re.compile(r"^(?:\S*/)?(?:ld|collect2|cc1plus|g\+\+|as)\S*: (?:fatal )?(?:error: )?(?P<text>.*)")
MEMORY = ("out of memory allocating", "virtual memory exhausted", "Killed signal terminated program")


@functools.lru_cache(maxsize=1)
def toolchain() -> str:
    """Name and version, part of cache keys."""
    command = [COMPILER, "-dumpfullversion"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        said = f"there is no {COMPILER} on PATH, which builds C++ candidates; install it: apt install {COMPILER}"
        raise RuntimeError(said) from None
    return f"{COMPILER} {done.stdout.strip()}"


def compile(request: CompileRequest) -> CompileResult:
    """A library for a c_abi entry, and for Python that comes with sources of one; else there is nothing to be built."""
    if "c_abi" not in request.manifest["entry"] and ABI not in request.files:
        return CompileResult(ok=True)
    arch = request.arch or "native"
    if not ARCH.fullmatch(arch):
        return _refuse(f"{arch!r} is no architecture")
    try:
        units = _lay_out(request)
    except ValueError as problem:
        return _refuse(str(problem))
    command = [COMPILER, *MANIFEST["flags"], f"-march={arch}", "-shared", "-fPIC", "-Wall", "-Wextra"]
    command += ["-fdiagnostics-color=never", "-fmax-errors=20", "-I.", "-o", ARTIFACT, *units]
    done = run_tool(command, request.limit_s, request.folder)
    findings = _findings(done.output)
    if done.timed_out:
        return _refuse(f"{COMPILER} took longer than {request.limit_s:g} s", done.output, findings, "timeout")
    if done.code != 0:
        kind = "out_of_memory" if any(sign in done.output for sign in MEMORY) else "compile_error"
        return _refuse(_first_error(done.output, done.code), done.output, findings, kind)
    return CompileResult(ok=True, artifact=ARTIFACT, warnings=findings)


def _lay_out(request: CompileRequest) -> list[str]:
    """The units to compile, in the folder."""
    request.lay_out()
    suffix = "." + MANIFEST["extension"]
    places = map(PurePosixPath, request.files)
    units = [f"./{place}" for place in places if place.suffix == suffix]  # a name may begin with - or @
    if not units:
        raise ValueError(f"no source ends in {suffix}")
    return units


def _refuse(
    message: str, log: str = "", findings: list[Finding] | None = None, kind: str = "compile_error"
) -> CompileResult:
    return CompileResult(ok=False, kind=kind, message=message, log=log[:LOG_BYTES], warnings=findings or [])


def _findings(output: str) -> list[Finding]:
    found = (DIAGNOSTIC.match(line) for line in output.splitlines())
    return [Finding(file=x["file"], line=int(x["line"]), message=f"{x['level']}: {x['text']}") for x in found if x]


def _first_error(output: str, code: int) -> str:
    lines = output.splitlines()
    for line in lines:
        found = DIAGNOSTIC.match(line)
        if found and found["level"] != "warning":
            return f"{found['file']}:{found['line']}: {found['text']}"
    for line in lines:
        found = ENDED.match(line)
        if found:
            return found["text"]
    return lines[0] if lines else f"{COMPILER} ended with code {code}"
