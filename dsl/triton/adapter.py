"""How Triton candidates are built: each function that launches.json names becomes a binary, without a GPU and without
torch, and the record of launches gets what only the compiler knows."""

from __future__ import annotations

import base64
import binascii
import functools
import importlib.metadata
import importlib.util
import json
import re
import struct
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

import msgpack
from kernelmesh_worker.adapter import CompileRequest, CompileResult, Finding, run_tool
from kernelmesh_worker.architectures import SHARED_BYTES_A_BLOCK, capability_of

ARTIFACT = "kernels.launches"
BUILDER = Path(__file__).with_name("build_kernels.py")
LOG_BYTES = 16 << 10
MOST_REGISTERS = 255
SCRATCH_GRAIN = 256
FUSION = "1"  # products and sums may be fused; unset, it means another thing in every version


class Refused(Exception):
    """What is wrong with the candidate, in one line."""


# -- the toolchain ----------------------------------------------------------------------------------------------------


def _tools() -> Path:
    found = importlib.util.find_spec("triton")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("there is no Triton, which builds Triton candidates; install it: pip install triton")
    return Path(found.submodule_search_locations[0], "backends", "nvidia", "bin")


@functools.lru_cache(maxsize=1)
def toolchain() -> str:
    """Versions and what changes results, part of cache keys."""
    assemblers = []
    for tool in ("ptxas", "ptxas-blackwell"):  # Triton itself chooses by architecture
        if (file := _tools() / tool).is_file():
            command = [str(file), "--version"]
            said = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
            assemblers.append(f"{tool} {re.search(r'V[0-9.]+', said.stdout)[0]}")
    return f"triton {importlib.metadata.version('triton')}, {', '.join(assemblers)}, fusion {FUSION}"


# -- building ---------------------------------------------------------------------------------------------------------


def compile(request: CompileRequest) -> CompileResult:
    """The record with its binaries. Python that launches its own kernels needs no build."""
    entry = request.manifest["entry"].get("launch_record")
    if entry is None:
        return CompileResult(ok=True)
    try:
        capability = capability_of(request.arch)
        record = _read_record(request, entry["record"])
        wanted = _functions(request, record)
        request.lay_out()  # Python is found by a file's name
    except (ValueError, Refused) as problem:
        return _refuse(str(problem))
    built: dict[tuple[int, str], dict[str, Any]] = {}
    findings: list[Finding] = []
    for image, names in wanted.items():
        result, done = _build(request, record["images"][image]["name"], image, names, capability)
        if result is None:
            return done
        for kernel in result:
            built[image, kernel["function"]] = kernel
            findings += _remarks(record["images"][image]["name"], kernel)
    try:
        _fill_in(record, built, request.arch, SHARED_BYTES_A_BLOCK[capability])
    except Refused as problem:
        return _refuse(str(problem), findings=findings)
    except (KeyError, TypeError, AttributeError) as error:
        return _refuse(f"{entry['record']} is no launch record: {type(error).__name__} {error}", findings=findings)
    Path(request.folder, ARTIFACT).write_bytes(msgpack.packb(record))
    return CompileResult(ok=True, artifact=ARTIFACT, warnings=findings)


def _read_record(request: CompileRequest, path: str) -> dict[str, Any]:
    try:
        record = json.loads(request.read(path))
        if record["version"] != 1:
            raise Refused(f"{path}: version {record['version']} of a launch record is not known")
        launches = _launches(record)
        for launch in launches:
            for parameter in launch["parameters"]:
                parameter["value"] = base64.b64decode(parameter["value"], validate=True)
            record["images"][launch["image"]]["name"]  # noqa: B018 - is it there?
    except (KeyError, IndexError, TypeError, AttributeError, binascii.Error, json.JSONDecodeError) as error:
        raise Refused(f"{path} is no launch record: {type(error).__name__} {error}") from None
    return record


def _launches(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation["launch"] for operation in record["operations"] if "launch" in operation]


def _functions(request: CompileRequest, record: dict[str, Any]) -> dict[int, list[str]]:
    """What is to be compiled of each image, in the order of the launches."""
    wanted: dict[int, list[str]] = {}
    for launch in _launches(record):
        if not isinstance(launch.get("kernel"), str):
            raise Refused("a launch of the record names no kernel")
        names = wanted.setdefault(launch["image"], [])
        if launch["kernel"] not in names:
            names.append(launch["kernel"])
    for image in wanted:
        name = record["images"][image]["name"]
        if name not in request.files or PurePosixPath(name).suffix != ".py":
            raise Refused(f"the launch record names the image {name!r}, which is no Python source of the candidate")
    return wanted


def _build(
    request: CompileRequest, name: str, image: int, functions: list[str], capability: int
) -> tuple[list[dict[str, Any]] | None, CompileResult]:
    folder = Path(request.folder, f"image{image}")
    cache = folder / "cache"
    cache.mkdir(parents=True)
    environment = {"TRITON_CACHE_DIR": str(cache), "TRITON_DEFAULT_FP_FUSION": FUSION, "TRITON_DUMP_PTXAS_LOG": "1"}
    environment |= dict.fromkeys(("HOME", "TRITON_HOME", "TMPDIR"), str(folder))
    source = str(Path(request.folder, name))
    order = {"file": source, "functions": functions, "capability": capability, "environment": environment}
    (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
    done = run_tool([sys.executable, "-P", str(BUILDER), "order.json"], request.limit_s, str(folder))
    if done.timed_out:
        return None, _refuse(f"Triton took longer than {request.limit_s:g} s", done.output, kind="timeout")
    file = folder / "result.json"
    if done.code != 0 or not file.is_file():
        return None, _refuse(_ended(done.output, done.code), done.output, kind=_kind(done.output, done.code))
    result = json.loads(file.read_text(encoding="utf-8"))
    if "error" in result:
        error = result["error"]
        finding = Finding(file=name, line=error["line"], message=error["message"])
        where = f"{name}:{error['line']}" if error["line"] else name
        return None, _refuse(f"{where}: {error['message']}", done.output, [finding])
    for i, kernel in enumerate(result["kernels"]):
        kernel["cubin"] = (folder / f"{i}.cubin").read_bytes()
    return result["kernels"], CompileResult(ok=True)


def _kind(output: str, code: int) -> str:
    return "out_of_memory" if "MemoryError" in output or "bad_alloc" in output else "compile_error"


def _ended(output: str, code: int) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
    return f"the Triton compiler {how}" + (f": {lines[-1].strip()}" if lines else "")


def _remarks(file: str, kernel: dict[str, Any]) -> list[Finding]:
    name, line = kernel["function"], kernel["line"]
    spilled = f", {kernel['spilled']} bytes of them spilled" if kernel["spilled"] else ""
    shared = f", {kernel['shared']} bytes of shared memory" if kernel["shared"] else ""
    text = f"{name} uses {kernel['registers']} registers{spilled}{shared}, {32 * kernel['warps']} threads a block"
    return [Finding(file=file, line=line, message=text)]


def _refuse(
    message: str, log: str = "", findings: list[Finding] | None = None, kind: str = "compile_error"
) -> CompileResult:
    return CompileResult(ok=False, kind=kind, message=message, log=log[:LOG_BYTES], warnings=findings or [])


# -- the record -------------------------------------------------------------------------------------------------------


def _fill_in(record: dict[str, Any], built: dict[tuple[int, str], dict[str, Any]], arch: str, limit: int) -> None:
    """An image for each kernel, and what only the compiler knows of each launch."""
    images: list[dict[str, Any]] = []
    places: dict[tuple[int, str], int] = {}
    for launch in _launches(record):
        key = (launch["image"], launch["kernel"])
        kernel = built[key]
        if kernel["shared"] > limit:
            raise Refused(f"{kernel['function']} needs {kernel['shared']} bytes of shared memory; {arch} has {limit}")
        if key not in places:
            places[key] = len(images)
            name = f"{record['images'][launch['image']]['name']}:{kernel['function']}"
            images.append({"name": name, "content": kernel["cubin"]})
        launch["image"] = places[key]
        launch["kernel"] = kernel["symbol"]
        launch["block"] = {"x": 32 * kernel["warps"], "y": 1, "z": 1}
        launch["shared_bytes"] = kernel["shared"]
        _add_cluster(launch, kernel)
        _add_hidden(record, launch, kernel)
    record["images"] = images
    record["arch"] = arch


def _add_cluster(launch: dict[str, Any], kernel: dict[str, Any]) -> None:
    if kernel["ctas"] > 1:  # a program of several blocks
        launch["cluster"] = {"x": kernel["ctas"], "y": 1, "z": 1}
        launch["grid"]["x"] *= kernel["ctas"]


def _add_hidden(record: dict[str, Any], launch: dict[str, Any], kernel: dict[str, Any]) -> None:
    """Triton's own parameters stand behind those of the function: memory for descriptors, memory for profiles."""
    sizes = parameter_sizes(kernel["cubin"], kernel["symbol"])
    given = [len(parameter["value"]) for parameter in launch["parameters"]]
    if len(given) != kernel["arguments"] or sizes[: len(given)] != given:
        raise Refused(
            f"{kernel['function']} takes parameters of {_listed(sizes[: kernel['arguments']])} bytes; "
            f"its launch gives {_listed(given)}"
        )
    hidden = sizes[len(given) :]
    if any(size != 8 for size in hidden) or len(hidden) > 2:
        raise Refused(f"{kernel['function']} takes parameters of {_listed(hidden)} bytes that this Triton adds")
    if kernel["profile"]:
        raise Refused(f"{kernel['function']} profiles itself, for which a launch has no memory")
    for i in range(len(hidden)):
        pointers = []
        if i == 0 and kernel["scratch"]:
            pointers = [{"at": 0, "place": {"buffer": "scratch", "index": len(record["scratch"]), "offset": 0}}]
            blocks = launch["grid"]["x"] * launch["grid"]["y"] * launch["grid"]["z"]
            record["scratch"].append(_up(blocks * kernel["scratch"]))
        launch["parameters"].append({"value": bytes(8), "pointers": pointers})


def _up(size: int) -> int:
    return (size + SCRATCH_GRAIN - 1) // SCRATCH_GRAIN * SCRATCH_GRAIN


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes)) or "no"


# -- the binary -------------------------------------------------------------------------------------------------------


def parameter_sizes(cubin: bytes, symbol: str) -> list[int]:
    """Bytes of each parameter of a kernel, in their order, as the binary's .nv.info section has them."""
    found: dict[int, int] = {}
    info = sections(cubin).get(f".nv.info.{symbol}", b"")
    at = 0
    while at + 4 <= len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != 4:  # the value is in the head itself
            continue
        if attribute == 0x17 and size >= 12:  # KPARAM_INFO: index, ordinal, offset, and the size in the upper bits
            _, ordinal, _, word = struct.unpack_from("<IHHI", info, at)
            found[ordinal] = word >> 18
        at += size
    return [found[i] for i in sorted(found)]


def sections(elf: bytes) -> dict[str, bytes]:
    """Of a 64-bit ELF file, by name."""
    if elf[:4] != b"\x7fELF" or elf[4] != 2:
        raise Refused("the compiler made no 64-bit ELF file")
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, start + i * size) for i in range(count)]
    text = heads[names]
    table = elf[text[4] : text[4] + text[5]]
    named = ((table[head[0] : table.index(b"\0", head[0])].decode(), head) for head in heads)
    return {name: elf[head[4] : head[4] + head[5]] for name, head in named if head[1] != 8}
