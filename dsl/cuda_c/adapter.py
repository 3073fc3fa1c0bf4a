"""How CUDA C++ candidates are built: each image of their launch record by NVRTC, all as one file."""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
import re
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import msgpack
from kernelmesh_worker.adapter import CompileRequest, CompileResult, Finding, run_tool
from kernelmesh_worker.architectures import SHARED_BYTES_A_BLOCK, capability_of
from kernelmesh_worker.launches import Launches

ARTIFACT = "kernels.launches"
LOG_BYTES = 16 << 10
HERE = Path(__file__).resolve().parent
MANIFEST = json.loads((HERE / "manifest.json").read_text(encoding="utf-8"))
OLDEST = 80  # max.NaN, bfloat16
THREADS_A_BLOCK = 1024
REGISTERS_A_BLOCK = 64 << 10  # of 4 bytes, since sm_30
REGISTERS_AT_ONCE = 256  # that a warp gets at a time

PLACE = r"^(?:\./)?(?P<file>[^\s:(][^:(]*)\((?P<line>\d+)\): "
DIAGNOSTIC = re.compile(PLACE + r"(?P<text>(?:catastrophic |fatal )?error.*)")
REMARK = re.compile(PLACE + r"(?P<text>warning.*)")
PTXAS = re.compile(r"^(?:ptxas|nvrtc|NVRTC)\b.*?(?:error|fatal)\s*:\s*(?P<text>.*)")
FUNCTION = re.compile(r"Compiling entry function '(?P<name>[^']+)'")
USED = re.compile(r"Used (?P<registers>\d+) registers")
SHARED = re.compile(r"(?P<bytes>\d+) bytes smem")
SPILLS = re.compile(r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill")


@functools.lru_cache(maxsize=1)
def _nvrtc() -> ModuleType:
    described = importlib.util.spec_from_file_location("kernelmesh_nvrtc", HERE / "nvrtc.py")
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


@functools.lru_cache(maxsize=1)
def toolchain() -> str:
    """Name and version, part of cache keys."""
    return f"NVRTC {_nvrtc().nvrtc_version()}"


class _Refusal(Exception):
    """Why there is no artifact; the rest of what the result says."""

    def __init__(self, message: str, kind: str = "compile_error", log: str = "", line: int = 0, file: str = "") -> None:
        super().__init__(message)
        self.kind, self.log = kind, log
        self.findings = [Finding(file=file, line=line, message=message)] if file else []


def compile(request: CompileRequest) -> CompileResult:
    """Of a launch record the built one; nothing of other entries, whose sources are no image."""
    entry = request.manifest["entry"].get("launch_record")
    if entry is None:
        return CompileResult(ok=True)
    findings: list[Finding] = []
    try:
        capability = capability_of(request.arch)
        if capability < OLDEST:
            raise ValueError(f"{request.arch} lacks instructions of these kernels, which are for sm_{OLDEST} and later")
        request.lay_out()
        record = _record(request, entry.get("record", "launches.json"))
        built = _Build(request, findings)
        resources = [built.image(image) for image in record["images"]]
        record["arch"] = request.arch
        Launches(record)  # as whoever runs it will check it
        _check_launches(record, resources, capability)
    except ValueError as problem:
        return CompileResult(ok=False, message=str(problem), warnings=findings)
    except _Refusal as no:
        log = no.log[:LOG_BYTES]
        return CompileResult(ok=False, kind=no.kind, message=str(no), log=log, warnings=findings + no.findings)
    Path(request.folder, ARTIFACT).write_bytes(msgpack.packb(record))
    return CompileResult(ok=True, artifact=ARTIFACT, warnings=findings)


def _record(request: CompileRequest, path: str) -> dict[str, Any]:
    """The launch record, with bytes in place of their texts."""
    if path not in request.files:
        raise ValueError(f"there is no source {path}, which the entry names as its launch record")
    try:
        record = json.loads(request.read(path))
        images = record["images"]
        for operation in record["operations"]:
            for parameter in operation.get("launch", {}).get("parameters", []):
                parameter["value"] = base64.b64decode(parameter["value"], validate=True)
        names = [image["name"] for image in images]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no launch record: {error}") from None
    for name in names:
        if name not in request.files:
            raise ValueError(f"{path} names an image {name!r}, which is no source")
    return record


class _Build:
    """All images of a candidate, within one limit of time."""

    def __init__(self, request: CompileRequest, findings: list[Finding]) -> None:
        self._request = request
        self._end = time.monotonic() + request.limit_s
        self._findings = findings
        self._known: dict[str, tuple[bytes, dict[str, dict[str, int]]]] = {}

    def image(self, image: dict[str, Any]) -> dict[str, dict[str, int]]:
        """Fills its content in; what its kernels take, by name."""
        name = image["name"]
        if name not in self._known:
            self._known[name] = self._compile(name, f"image_{len(self._known)}.cubin")
        image["content"], resources = self._known[name]
        return resources

    def _compile(self, unit: str, cubin: str) -> tuple[bytes, dict[str, dict[str, int]]]:
        request = self._request
        command = [sys.executable, str(HERE / "build_unit.py"), request.arch, f"./{unit}", cubin, *MANIFEST["flags"]]
        done = run_tool(command, max(0.1, self._end - time.monotonic()), request.folder)
        self._findings += _remarks(done.output)
        if done.timed_out:
            raise _Refusal(f"NVRTC took longer than {request.limit_s:g} s", "timeout", done.output)
        if done.code != 0:
            raise _first_error(done.output, done.code)
        resources = _resources(done.output)
        for kernel, used in resources.items():
            said = f"{kernel}: {used['registers']} registers, {used['shared']} bytes of shared memory"
            spilled = f", {used['spills']} bytes spilled" if used["spills"] else ""
            self._findings.append(Finding(file=unit, line=0, message=said + spilled))
        return Path(request.folder, cubin).read_bytes(), resources


def _first_error(output: str, code: int) -> _Refusal:
    for line in output.splitlines():
        if found := DIAGNOSTIC.match(line):
            text = re.sub(r"^(?:catastrophic |fatal )?error(?: #[\w-]+)?: ", "", found["text"])
            said = f"{found['file']}:{found['line']}: {text}"
            return _Refusal(said, log=output, file=found["file"], line=int(found["line"]))
        if found := PTXAS.match(line):
            return _Refusal(found["text"], log=output)
    lines = [line for line in output.splitlines() if line.strip()]
    if "Traceback" in output or not lines:
        return _Refusal(lines[-1] if lines else f"NVRTC ended with code {code}", log=output)
    return _Refusal(lines[0], log=output)


def _remarks(output: str) -> list[Finding]:
    found = (REMARK.match(line) for line in output.splitlines())
    return [Finding(file=x["file"], line=int(x["line"]), message=x["text"]) for x in found if x]


def _resources(output: str) -> dict[str, dict[str, int]]:
    """Registers of a thread, bytes that it spills, static shared memory of a block: by kernel."""
    kernels: dict[str, dict[str, int]] = {}
    used: dict[str, int] = {}
    for line in output.splitlines():
        if found := FUNCTION.search(line):
            used = kernels.setdefault(found["name"], {"registers": 0, "spills": 0, "shared": 0})
        elif found := SPILLS.search(line):
            used["spills"] = int(found["stores"]) + int(found["loads"])
        elif found := USED.search(line):
            used["registers"] = int(found["registers"])
            shared = SHARED.search(line)
            used["shared"] = int(shared["bytes"]) if shared else 0
    return kernels


def _check_launches(record: dict[str, Any], resources: list[dict[str, dict[str, int]]], capability: int) -> None:
    """Whether a block of each launch fits onto a multiprocessor of the architecture."""
    for operation in record["operations"]:
        launch = operation.get("launch")
        if launch is None:
            continue
        image, kernel = launch.get("image", 0), launch.get("kernel", "")
        if not isinstance(image, int) or not 0 <= image < len(resources) or kernel not in resources[image]:
            raise ValueError(f"there is no kernel {kernel!r} in image {image}")
        used, block = resources[image][kernel], launch.get("block", {})
        threads = block.get("x", 1) * block.get("y", 1) * block.get("z", 1)
        shared = launch.get("shared_bytes", 0) + used["shared"]
        warps = -(-threads // 32)
        registers = warps * -(-used["registers"] * 32 // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
        for what, count, limit in (
            ("threads", threads, THREADS_A_BLOCK),
            ("bytes of shared memory", shared, SHARED_BYTES_A_BLOCK[capability]),
            ("registers", registers, REGISTERS_A_BLOCK),
        ):
            if count > limit:
                raise ValueError(f"{kernel} takes {count} {what} a block, sm_{capability} has {limit}")
